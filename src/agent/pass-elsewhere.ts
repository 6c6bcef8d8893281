import { passGroup } from '../core/pass/claims.ts';
import type { Offer } from '../core/placement/backups.ts';
import { holdSlot, type Opening, passClaims, type ViewingDeps } from './viewing-parts.ts';

/**
 * The pass with which a viewer is sent to `target`, which keeps its session and its login's slot; undefined where no key
 * signs for others yet.
 */
export function passElsewhere(
  deps: ViewingDeps,
  { request, arrival }: Pick<Opening, 'request' | 'arrival'>,
  { target, hops }: { readonly target: Offer; readonly hops: readonly string[] },
): string | undefined {
  const key = deps.keys.signing();
  if (key === undefined) return undefined;
  const { viewer, now } = request;
  const { home, login, sessionsMax } = arrival;
  const session = arrival.session ?? deps.newId();
  deps.spread.noteSent(target.node.id, now);
  holdSlot(deps, { id: session, login, viewerKey: viewer.key, sessionsMax }, now);
  const claims = passClaims({
    home,
    nodes: [target.node.id],
    session,
    group: passGroup(target.stream),
    login,
    hops,
    now,
    ttlS: deps.self().passTtlS,
  });
  return deps.passes.issue(claims, key);
}
