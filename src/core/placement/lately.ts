import type { Load } from '../load/load.ts';
import type { MonoMs } from '../time.ts';

/** What viewers cost, percent of what the machine can do. */
export type Cost = { readonly cpuPercent: number; readonly networkPercent: number };

export const noCost: Cost = { cpuPercent: 0, networkPercent: 0 };

export function plus(a: Cost, b: Cost): Cost {
  return {
    cpuPercent: a.cpuPercent + b.cpuPercent,
    networkPercent: a.networkPercent + b.networkPercent,
  };
}

/** One second of the past: the load as measured last in it, and what those will cost who joined in it. */
type Second = { readonly second: number; readonly load: Cost; readonly joined: Cost };

/** The last seconds, oldest first; at most 13. */
export type Lately = readonly Second[];

/** From which seconds, by age, the load before is taken, and since when those who joined are counted. */
const beforeS = { youngest: 6, oldest: 12 };
const joinedSinceS = 9;

/** Notes what was measured, and what one who joined now will cost. */
export function note(lately: Lately, load: Load | undefined, joined: Cost, now: MonoMs): Lately {
  const second = Math.floor(now / 1000);
  const last = lately.at(-1);
  const measured: Cost | undefined = load && {
    cpuPercent: load.cpuPercent ?? 0,
    networkPercent: load.networkPercent ?? 0,
  };
  if (last?.second === second) {
    if (measured === undefined && joined === noCost) return lately;
    return [
      ...lately.slice(0, -1),
      { second, load: measured ?? last.load, joined: plus(last.joined, joined) },
    ];
  }
  return [
    ...lately.filter((one) => second - one.second <= beforeS.oldest),
    { second, load: measured ?? last?.load ?? noCost, joined },
  ];
}

/**
 * The load as it will be when all who joined lately watch evenly: that of some seconds ago, and what those since then
 * cost. Players begin with a whole segment at once, so that the load measured meanwhile is no guide. Absent while
 * too little of the past is known.
 */
export function countedLoad(lately: Lately, now: MonoMs): Cost | undefined {
  const second = Math.floor(now / 1000);
  const ageOf = (one: Second) => second - one.second;
  const before = lately.filter(
    (one) => ageOf(one) >= beforeS.youngest && ageOf(one) <= beforeS.oldest,
  );
  if (before.length === 0) return undefined;
  const sum = before.reduce((total, { load }) => plus(total, load), noCost);
  const mean: Cost = {
    cpuPercent: sum.cpuPercent / before.length,
    networkPercent: sum.networkPercent / before.length,
  };
  return lately
    .filter((one) => ageOf(one) <= joinedSinceS)
    .reduce((total, { joined }) => plus(total, joined), mean);
}
