import type { MonoMs } from './time.ts';

/** How often something that happens again and again was seen, and what of it was told. */
export type Repeats = {
  /** Since it was told last. */
  readonly untold: number;
  readonly toldAt?: MonoMs | undefined;
};

/** A repetition is told at most once a minute. */
const tellEveryMs = 60_000;

export const noRepeats: Repeats = { untold: 0 };

/** Counts one more; `tell` is how many are to be told now: the first one at once, then once a minute. */
export function countRepeat(
  { untold, toldAt }: Repeats,
  now: MonoMs,
): { readonly repeats: Repeats; readonly tell?: number } {
  const count = untold + 1;
  if (toldAt !== undefined && now - toldAt < tellEveryMs) {
    return { repeats: { untold: count, toldAt } };
  }
  return { repeats: { untold: 0, toldAt: now }, tell: count };
}
