import type { MonoMs, Now } from '../time.ts';

/** Whether the wall clock may be believed where a wrong one would destroy something. */
export type ClockWatch = {
  /** Wall clock minus monotonic clock at the last look. */
  readonly offsetMs: number;
  /** Since when it has not been set. */
  readonly sinceMonoMs: MonoMs;
  readonly isSteady: boolean;
};

/** A wall clock is believed when nobody set it for so long, ms. */
const steadyMs = 600_000;
/** A clock that is set by this much or less between two looks is only being corrected, ms. */
const correctionMsMax = 60_000;

/** The next state of the watch. Not steady at first: a machine that has just started may not know the time yet. */
export function watchClock(before: ClockWatch | undefined, now: Now): ClockWatch {
  const offsetMs = now.wallMs - now.monoMs;
  const isSet = before === undefined || Math.abs(offsetMs - before.offsetMs) > correctionMsMax;
  const sinceMonoMs = isSet ? now.monoMs : before.sinceMonoMs;
  return { offsetMs, sinceMonoMs, isSteady: now.monoMs - sinceMonoMs >= steadyMs };
}
