import type { UnixMs } from '../time.ts';
import { numberAt, type TimelineRun, windowStart } from './run.ts';

/** Windows between the newest time and the first number: a cutter begins behind a keyframe and whole sound. */
const windowsAhead = 2;

/**
 * The runs after `runs` (one for each rung, with their grids as they stand), for a member whose packager goes on: the
 * same windows, from the second one behind `newestTicks` (group's time) on, numbered from `previous` on.
 */
export function succeedRuns(
  runs: readonly TimelineRun[],
  {
    nodeId,
    at,
    newestTicks,
    previous,
  }: {
    readonly nodeId: string;
    readonly at: UnixMs;
    readonly newestTicks: number;
    readonly previous: { readonly sequence: number; readonly lastNumber: number };
  },
): readonly TimelineRun[] {
  return runs.map((run) => ({
    ...run,
    sequence: previous.sequence + 1,
    succeeds: previous.sequence,
    foundedAt: at,
    foundedBy: nodeId,
    firstNumber: previous.lastNumber + 1,
    originTicks: windowStart(run, numberAt(run, newestTicks) + windowsAhead),
  }));
}
