import type { NodeFacts } from '../core/group/node.ts';
import type { PassClaims } from '../core/pass/claims.ts';
import type { ReasonCode } from '../core/reasons.ts';
import type { Now } from '../core/time.ts';
import type { ViewerQuery } from '../core/viewer/query.ts';
import type { Viewer } from '../core/viewer/viewer.ts';
import type { Arrival, Arrivals } from './arrivals.ts';
import type { LiveStreams } from './live-streams.ts';
import type { Outlook } from './outlook.ts';
import type { Passes } from './passes.ts';
import type { NewId } from './ports.ts';
import type { Sessions } from './sessions.ts';
import type { Spread } from './spread.ts';
import type { ViewingKeys } from './viewing-keys.ts';

/** What every request of a viewer is made from. */
export type ViewerRequest = {
  readonly viewer: Viewer;
  /** Path without the leading slash, percent-encoded as received. */
  readonly path: string;
  /** Raw query without `?`; empty when there is none. */
  readonly query: string;
  /** Value of the Range header. */
  readonly range?: string | undefined;
  readonly now: Now;
};

export type ViewingDeps = {
  readonly self: () => NodeFacts;
  readonly live: LiveStreams;
  readonly outlook: Outlook;
  readonly arrivals: Arrivals;
  readonly passes: Passes;
  readonly keys: ViewingKeys;
  readonly sessions: Sessions;
  readonly spread: Spread;
  readonly newId: NewId;
};

export type GoodArrival = Exclude<Arrival, { kind: 'refused' }>;

/** One opening of a stream, with everything that had to be waited for. */
export type Opening = {
  readonly request: ViewerRequest;
  readonly query: ViewerQuery;
  readonly arrival: GoodArrival;
};

/** Viewers of other nodes are let in while this node may take more; one that is in already always is. */
function admissionRefusal(self: NodeFacts, arrival: GoodArrival): ReasonCode | undefined {
  if (arrival.kind === 'own' || arrival.isActive) return undefined;
  if (self.overloaded) return 'overloaded';
  return self.atBackupLimit ? 'backup-limit' : undefined;
}

/** The arrival in placement's terms. */
export function placedArrival(self: NodeFacts, arrival: GoodArrival) {
  return arrival.kind === 'own' && arrival.hops.length === 0
    ? ({ kind: 'own' } as const)
    : ({
        kind: 'backup',
        home: arrival.home,
        hops: arrival.hops,
        refusal: admissionRefusal(self, arrival),
      } as const);
}

/** Claims of a pass for `nodes`, valid from now for the configured time. */
export function passClaims(parts: {
  readonly home: string;
  readonly nodes: readonly string[];
  readonly session: string;
  readonly group: string;
  readonly login?: string | undefined;
  readonly hops: readonly string[];
  readonly ttlS: number;
  readonly now: Now;
}): PassClaims {
  const nowS = Math.floor(parts.now.wallMs / 1000);
  return {
    iss: parts.home,
    aud: parts.nodes,
    sub: parts.session,
    grp: parts.group,
    ...(parts.login !== undefined && { lgn: parts.login }),
    iat: nowS,
    nbf: nowS,
    exp: nowS + parts.ttlS,
    hop: parts.hops,
  };
}

/** A stream's name as the path of a URL. */
export function namePath(name: string): string {
  return name.split('/').map(encodeURIComponent).join('/');
}
