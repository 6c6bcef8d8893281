import { AgentError } from '../core/errors.ts';
import type { NodeFacts } from '../core/group/node.ts';
import { passGroup } from '../core/pass/claims.ts';
import type { StreamConfig } from '../core/stream/stream.ts';
import type { Now, UnixMs } from '../core/time.ts';
import { found } from './administer-streams.ts';
import { type Drain, trialMs } from './drain.ts';
import type { Passes } from './passes.ts';
import type { NewId } from './ports.ts';
import type { ViewingKeys } from './viewing-keys.ts';
import { namePath, passClaims } from './viewing-parts.ts';

/** An opening that will be redirected. */
export type Trial = {
  /** Path and query of the entry below the address of this node; the query holds a pass. */
  readonly entry: string;
  /** From then on the opening is like any other. */
  readonly endsAt: UnixMs;
};

/**
 * Begins trial redirects: with its pass a stream is opened here as by a viewer who is to watch elsewhere, so that a node
 * that could serve it shows whether others could. Nobody else is concerned.
 */
export function createTrials(deps: {
  readonly config: (stream: string) => StreamConfig | undefined;
  readonly self: () => NodeFacts;
  readonly drain: Pick<Drain, 'try'>;
  readonly keys: Pick<ViewingKeys, 'signing'>;
  readonly passes: Pick<Passes, 'issue'>;
  readonly newId: NewId;
}): (stream: string, now: Now) => Trial {
  return (name, now) => {
    const stream = found(deps.config(name), `stream "${name}"`);
    const key = deps.keys.signing();
    if (key === undefined) throw new AgentError('conflict', 'no viewing key is in force');
    const session = deps.newId();
    const { id: home } = deps.self();
    const claims = passClaims({
      ...{ home, nodes: [home], session, group: passGroup(stream) },
      ...{ hops: [], ttlS: trialMs / 1000, now },
    });
    const pass = deps.passes.issue(claims, key);
    deps.drain.try(session, now);
    const file = stream.origin === undefined ? 'manifest.mpd' : 'index.m3u8';
    return {
      entry: `/${namePath(name)}/${file}?pass=${pass}`,
      endsAt: Math.round(now.wallMs + trialMs),
    };
  };
}
