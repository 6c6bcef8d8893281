import { standardRates } from '../media/frame-rate.ts';
import { ticksPerSecond } from '../media/units.ts';
import type { Grid } from './grid.ts';

/** Pictures that show whether they come at a constant rate; enough to tell 29.97 from 30 by rounded times. */
export const gridPicturesMin = 50;
/** Times on a grid scatter in all by no more: whole milliseconds do by 90 ticks on either side. */
const spreadTicks = 200;
/** Rates this near to the measured one are tried. */
const nearRate = 0.02;

/**
 * The grid that presentation times (group's time, any order) lie on, if they come at a constant standard rate: exact
 * where they are exact, in the middle of them where they scatter. Missing pictures do not matter.
 */
export function pictureGridOf(times: readonly number[]): Grid | undefined {
  if (times.length < gridPicturesMin) return undefined;
  const sorted = [...times].sort((a, b) => a - b);
  const first = sorted[0] ?? 0;
  const steps = sorted.slice(1).map((time, index) => time - (sorted[index] ?? 0));
  const usual = [...steps].sort((a, b) => a - b)[steps.length >> 1] ?? 0;
  let best: (Grid & { readonly spread: number }) | undefined;
  for (const rate of standardRates) {
    const period = ticksPerSecond / rate;
    if (Math.abs(usual / period - 1) > nearRate) continue;
    const { low, high } = offsetsOf(sorted, first, period);
    const spread = high - low;
    if (spread > (best?.spread ?? spreadTicks)) continue;
    best = { anchor: first + Math.round((low + high) / 2), period, spread };
  }
  return best && { anchor: best.anchor, period: best.period };
}

/** Smallest and largest distance of the times from the grid through `first`. */
function offsetsOf(times: readonly number[], first: number, period: number) {
  let low = 0;
  let high = 0;
  for (const time of times) {
    const distance = time - first;
    const offset = distance - Math.round(distance / period) * period;
    low = Math.min(low, offset);
    high = Math.max(high, offset);
  }
  return { low, high };
}
