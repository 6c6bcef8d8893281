import { type FoundingFacts, foundRun, rungOf } from './found-run.ts';
import type { LayoutFault } from './layout.ts';
import type { TimelineRun } from './run.ts';

/** Runs of all rungs, in their order, and the member's offset; or why there are none yet, or will be none. */
export type FoundedRuns =
  | { readonly kind: 'founded'; readonly runs: readonly TimelineRun[]; readonly offset: number }
  | { readonly kind: 'waiting' }
  | { readonly kind: 'refused'; readonly why: LayoutFault };

/**
 * Founds a run by the `lead` of the `rungs`, and gives the others theirs. Waits for rungs of which nothing was read; those
 * that do not come at all (`isLate`) refuse the stream.
 */
export function foundRuns(
  facts: Omit<FoundingFacts, 'tracks' | 'units'>,
  rungs: readonly Pick<FoundingFacts, 'tracks' | 'units'>[],
  { lead, isLate }: { lead: number; isLate: boolean },
): FoundedRuns {
  const leading = rungs[lead];
  if (leading === undefined) return { kind: 'waiting' };
  const founding = foundRun({ ...facts, ...leading, isLate });
  if (founding.kind === 'refused') {
    return founding.why === 'too-little' || founding.why === 'empty'
      ? { kind: 'waiting' }
      : { kind: 'refused', why: founding.why };
  }
  const { run, offset } = founding;
  const runs: TimelineRun[] = [];
  for (const [index, rung] of rungs.entries()) {
    const own = index === lead ? run : rungRun(run, rung, offset);
    if (own === 'empty' && !isLate) return { kind: 'waiting' };
    if (typeof own === 'string') return { kind: 'refused', why: own };
    runs.push(own);
  }
  return { kind: 'founded', runs, offset };
}

function rungRun(
  run: TimelineRun,
  rung: Pick<FoundingFacts, 'tracks' | 'units'>,
  offset: number,
): TimelineRun | LayoutFault {
  return rung.units.length === 0 ? 'empty' : rungOf(run, rung, offset);
}
