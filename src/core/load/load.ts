import type { MonoMs } from '../time.ts';

/**
 * What a resource has done since some fixed moment, as the system counts it; it only rises. `loop` is the one
 * thread that answers viewers, which is full long before a machine of many processors is.
 */
export type LoadCounter = {
  readonly resource: 'cpu' | 'loop' | 'network';
  /** Which of several: an interface and direction, a level of the control groups. */
  readonly name: string;
  /** Seconds of processor time, or bits. */
  readonly used: number;
  /** What it can do in one second; absent where the system does not say. */
  readonly perS?: number | undefined;
};

/** When viewers of other nodes are refused, percent of what the machine can do. */
export type LoadLimits = {
  readonly cpuPercent: number;
  readonly networkPercent: number;
  /** What 100 percent of network load is, bit/s, all interfaces together; absent: each link's own speed. */
  readonly networkBitsPerS?: number | undefined;
};

/** Smoothed load; a resource that cannot be measured is absent. */
export type Load = {
  /** Of the machine, of what bounds the agent's share in it, or of its thread: the fullest. */
  readonly cpuPercent?: number | undefined;
  /** Of the thread that answers viewers alone: what does not serve viewers is not in it. */
  readonly loopPercent?: number | undefined;
  readonly networkPercent?: number | undefined;
};

/** The last reading with what was made of it. */
export type LoadState = {
  readonly counters: readonly LoadCounter[];
  readonly at: MonoMs;
  readonly load: Load;
};

/**
 * After a step of the real load this much of it shows in the smoothed one after one such time: 63 %. Long enough that
 * segments read by all viewers at once are no peak, short enough that admission does not run ahead of it.
 */
const smoothingMs = 4_000;

/** Readings closer together than this say little. */
const gapMsMin = 200;

/**
 * The load after a new reading: of several counters of one resource the fullest, in percent, smoothed. The first
 * reading only begins. A counter that fell (an interface that came anew) is left out once; a pause of the process
 * counts as the mean over it.
 */
export function observeLoad(
  last: LoadState | undefined,
  counters: readonly LoadCounter[],
  at: MonoMs,
  networkBitsPerS?: number,
): LoadState {
  if (last === undefined) return { counters, at, load: {} };
  const gapMs = at - last.at;
  if (gapMs < gapMsMin) return last;
  const of = (resource: LoadCounter['resource']) =>
    ratesOf(resource, last.counters, counters, gapMs);
  const percents = {
    cpu: fullest([...of('cpu'), ...of('loop')]),
    loop: fullest(of('loop')),
    network: networkPercent(of('network'), networkBitsPerS),
  };
  const share = 1 - Math.exp(-gapMs / smoothingMs);
  return {
    counters,
    at,
    load: {
      cpuPercent: smooth(last.load.cpuPercent, percents.cpu, share),
      loopPercent: smooth(last.load.loopPercent, percents.loop, share),
      networkPercent: smooth(last.load.networkPercent, percents.network, share),
    },
  };
}

/** What 100 percent of network load is, bit/s: as configured, else the speed of the fastest link; absent: not known. */
export function networkCapacity(
  counters: readonly LoadCounter[],
  configuredBitsPerS: number | undefined,
): number | undefined {
  if (configuredBitsPerS !== undefined) return configuredBitsPerS;
  const speeds = counters.flatMap(({ resource, perS }) =>
    resource === 'network' && perS !== undefined ? perS : [],
  );
  return speeds.length === 0 ? undefined : Math.max(...speeds);
}

type Rate = { readonly name: string; readonly perS: number; readonly perSMax?: number | undefined };

function ratesOf(
  resource: LoadCounter['resource'],
  before: readonly LoadCounter[],
  after: readonly LoadCounter[],
  gapMs: number,
): readonly Rate[] {
  return after.flatMap((counter) => {
    const earlier = before.find(
      (other) => other.resource === resource && other.name === counter.name,
    );
    if (counter.resource !== resource || earlier === undefined) return [];
    const used = counter.used - earlier.used;
    if (used < 0) return [];
    return { name: counter.name, perS: (used * 1000) / gapMs, perSMax: counter.perS };
  });
}

function fullest(rates: readonly Rate[]): number | undefined {
  const percents = rates.flatMap(({ perS, perSMax }) =>
    perSMax === undefined || perSMax <= 0 ? [] : (100 * perS) / perSMax,
  );
  return percents.length === 0 ? undefined : Math.max(...percents);
}

/** With a configured capacity all links of one direction count together: names end in their direction. */
function networkPercent(rates: readonly Rate[], bitsPerS: number | undefined): number | undefined {
  if (bitsPerS === undefined || rates.length === 0) return fullest(rates);
  const sums = new Map<string, number>();
  for (const { name, perS } of rates) {
    const direction = name.slice(name.lastIndexOf(' ') + 1);
    sums.set(direction, (sums.get(direction) ?? 0) + perS);
  }
  return (100 * Math.max(...sums.values())) / bitsPerS;
}

function smooth(
  last: number | undefined,
  percent: number | undefined,
  share: number,
): number | undefined {
  if (percent === undefined || last === undefined) return percent;
  return last + (percent - last) * share;
}
