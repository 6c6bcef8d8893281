import { ticksPerSecond, unwrapTicks } from './units.ts';

/** Rates that streams have, frames per second, exact. */
export const standardRates = [
  10,
  12,
  12.5,
  15_000 / 1_001,
  15,
  24_000 / 1_001,
  24,
  25,
  30_000 / 1_001,
  30,
  48,
  50,
  60_000 / 1_001,
  60,
  100,
  120_000 / 1_001,
  120,
] as const;

/** Time stamps in whole milliseconds measure a rate this wrong over a second or two. */
const tolerance = 0.000_6;

/**
 * Frames per second from presentation times (ticks, any order, across one wrap), three decimals. The header's
 * claim is taken where the times agree with it to 1 %, or where they say nothing.
 */
export function frameRateOf(times: readonly number[], claimed?: number): number | undefined {
  const measured = measure(times);
  if (measured === undefined) return claimed === undefined ? undefined : rounded(claimed);
  if (claimed !== undefined && Math.abs(claimed / measured - 1) < 0.01) return rounded(claimed);
  return rounded(nearestStandard(measured) ?? measured);
}

function measure(times: readonly number[]): number | undefined {
  const reference = times[0];
  if (reference === undefined) return undefined;
  const sorted = [...new Set(times.map((time) => unwrapTicks(time, reference)))];
  sorted.sort((a, b) => a - b);
  const first = sorted[0];
  const last = sorted.at(-1);
  if (first === undefined || last === undefined || last <= first) return undefined;
  return ((sorted.length - 1) * ticksPerSecond) / (last - first);
}

/** The exact rate that a measurement stands for, if it is one that streams have. */
function nearestStandard(rate: number): number | undefined {
  let best: number | undefined;
  for (const standard of standardRates) {
    const error = Math.abs(standard / rate - 1);
    if (error < tolerance && (best === undefined || error < Math.abs(best / rate - 1))) {
      best = standard;
    }
  }
  return best;
}

function rounded(rate: number): number {
  return Math.round(rate * 1_000) / 1_000;
}
