import type { PeerTimeline } from '../../core/timeline/agreement.ts';
import type { Mate } from './mate.ts';
import type { Rung } from './rung.ts';

/**
 * The members that can be reached, as the choice of a run wants them. `known`: all; those with other rungs or tracks than
 * ours count as not proved, for nobody can follow a run that its packager does not fit. `awaited`: those that are, or may yet be
 * found to be, of our source and cut as we are.
 */
export function judgeMates(
  mates: readonly Mate[],
  rungs: readonly Rung[],
): { readonly known: readonly PeerTimeline[]; readonly awaited: readonly PeerTimeline[] } {
  const isFit = ({ runs }: Mate) =>
    runs === undefined ||
    (runs.length === rungs.length && runs.every((run, index) => rungs[index]?.fits(run)));
  return {
    known: mates.map((mate) =>
      isFit(mate) ? mate.timeline : { ...mate.timeline, difference: undefined },
    ),
    awaited: mates.flatMap((mate) =>
      isFit(mate) && mate.proof.kind !== 'different' ? mate.timeline : [],
    ),
  };
}
