import type { Track } from '../media/units.ts';
import { ticksPerSecond, unwrapTicks } from '../media/units.ts';
import type { UnixMs } from '../time.ts';
import { lanesOf } from './layout.ts';
import type { TimelineRun } from './run.ts';

/** Where a stream stood on its timeline. */
export type Remembered = {
  /** Of each rung, with its grids as they stood. */
  readonly runs: readonly TimelineRun[];
  readonly offset: number;
  readonly last?: { readonly sequence: number; readonly number: number } | undefined;
  readonly at: UnixMs;
};

/** What a rung's packager brings now. */
export type RungNow = {
  readonly tracks: readonly Track[];
  /** Newest time, ticks modulo 2^33, and when it arrived. */
  readonly newestTicks: number;
  readonly newestAt: UnixMs;
};

/** The group's time is Unix time at arrival; a packager that kept its times is still so near to it. */
const clockMsMax = 1_000;

/**
 * Whether a stream goes on in the runs it followed: the packager kept its times over the agent's restart, or over an
 * outage of its source, if they still mean the time of day they meant before, and the tracks are the same.
 */
export function resumes({ runs, offset }: Remembered, rungs: readonly RungNow[]): boolean {
  return (
    runs.length > 0 &&
    runs.length === rungs.length &&
    rungs.every(({ tracks, newestTicks, newestAt }, index) => {
      const run = runs[index];
      const nearTicks = (newestAt * ticksPerSecond) / 1_000;
      const ticks = unwrapTicks(newestTicks + offset, nearTicks);
      const apartMs = (Math.abs(ticks - nearTicks) * 1_000) / ticksPerSecond;
      return (
        run !== undefined && apartMs <= clockMsMax && lanesOf(run.layout, tracks) !== undefined
      );
    })
  );
}
