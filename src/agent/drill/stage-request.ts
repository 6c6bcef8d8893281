import type { DrillFailure } from '../../core/drill/failure.ts';
import type { Candidates } from '../../core/placement/candidates.ts';
import type { GoodArrival, ViewerRequest, ViewingDeps } from '../viewing-parts.ts';

/** The failure of a drill that a request for `stream` meets; undefined for almost all. */
export function stagedFailure(
  { staging }: Pick<ViewingDeps, 'staging'>,
  { session, nodes }: GoodArrival,
  asked: {
    readonly stream: string;
    readonly request: Pick<ViewerRequest, 'viewer' | 'now'>;
    readonly candidates: () => Candidates;
  },
): DrillFailure | undefined {
  const { viewer, now } = asked.request;
  const canMove = () =>
    viewer.followsBackups &&
    asked
      .candidates()
      .list.some(({ node, target }) => nodes.includes(node.id) && target.hls.eligible);
  return staging.failureOf(asked.stream, { session, family: viewer.family, canMove }, now);
}
