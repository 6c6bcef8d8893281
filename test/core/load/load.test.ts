import { describe, expect, it } from 'vitest';
import {
  type LoadCounter,
  type LoadState,
  networkCapacity,
  observeLoad,
} from '../../../src/core/load/load.ts';

const smoothingMs = 4_000;

const cpu = (used: number, perS?: number): LoadCounter => ({
  ...{ resource: 'cpu', name: 'machine', used },
  ...(perS !== undefined && { perS }),
});
const link = (name: string, used: number, perS?: number): LoadCounter => ({
  ...{ resource: 'network', name, used },
  ...(perS !== undefined && { perS }),
});
const loop = (used: number): LoadCounter => ({ resource: 'loop', name: 'thread', used, perS: 1 });

/** The load after readings one second apart. */
function loadOf(readings: readonly (readonly LoadCounter[])[], networkBitsPerS?: number) {
  let state: LoadState | undefined;
  for (const [at, counters] of readings.entries())
    state = observeLoad(state, counters, at * 1000, networkBitsPerS);
  return state?.load;
}

describe('the measured load', () => {
  it('is not known after the first reading, and is the share of what can be done after the second', () => {
    expect(loadOf([[cpu(10, 4)]])).toEqual({});
    expect(loadOf([[cpu(10, 4)], [cpu(12, 4)]])?.cpuPercent).toBe(50);
  });

  it('is unknown, not zero, where nothing can be read or the capacity is not known', () => {
    expect(loadOf([[], []])).toEqual({});
    const known = loadOf([
      [cpu(1, 1), link('eth0 out', 1)],
      [cpu(1, 1), link('eth0 out', 9)],
    ]);
    expect(known).toEqual({ cpuPercent: 0, loopPercent: undefined, networkPercent: undefined });
  });

  it('shows 63 % of a step after the smoothing time, whatever the distance of the readings', () => {
    const busyMs = [0, ...Array.from({ length: smoothingMs / 500 }, (_, at) => (at + 1) * 500)];
    let every500: LoadState | undefined = observeLoad(undefined, [cpu(0, 1)], -500);
    every500 = observeLoad(every500, [cpu(0, 1)], 0);
    let once = every500;
    for (const ms of busyMs.slice(1)) every500 = observeLoad(every500, [cpu(ms / 1000, 1)], ms);
    once = observeLoad(once, [cpu(smoothingMs / 1000, 1)], smoothingMs);
    expect(every500.load.cpuPercent).toBeCloseTo(63.2, 1);
    expect(once.load.cpuPercent).toBeCloseTo(63.2, 1);
  });

  it('is that of the fullest: the machine, what bounds the agent in it, or its one thread', () => {
    const group: LoadCounter = { resource: 'cpu', name: 'group 1', used: 0, perS: 0.5 };
    expect(
      loadOf([
        [cpu(0, 8), group],
        [cpu(1, 8), { ...group, used: 0.4 }],
      ])?.cpuPercent,
    ).toBe(80);
    const full = loadOf([
      [cpu(0, 8), loop(0)],
      [cpu(1, 8), loop(0.95)],
    ]);
    expect(full).toMatchObject({ cpuPercent: 95, loopPercent: 95 });
  });

  it('takes the fullest direction of the fullest link by its own speed', () => {
    const before = [link('a in', 0, 1e9), link('a out', 0, 1e9), link('b out', 0, 1e8)];
    const later = [link('a in', 1e8, 1e9), link('a out', 3e8, 1e9), link('b out', 9e7, 1e8)];
    expect(loadOf([before, later])?.networkPercent).toBe(90);
  });

  it('adds all links of one direction against a configured capacity', () => {
    const before = [link('a in', 0), link('a out', 0), link('b out', 0)];
    const later = [link('a in', 1e8), link('a out', 3e8), link('b out', 3e8)];
    expect(loadOf([before, later], 1e9)?.networkPercent).toBe(60);
  });

  it('leaves out a counter that fell, and goes on with the next reading', () => {
    const readings = [[cpu(5, 1)], [cpu(5.5, 1)], [cpu(0, 1)], [cpu(0.5, 1)]];
    expect(loadOf(readings.slice(0, 3))?.cpuPercent).toBeUndefined();
    expect(loadOf(readings)?.cpuPercent).toBe(50);
  });

  it('does not take two readings at once for anything', () => {
    const first = observeLoad(undefined, [cpu(0, 1)], 1000);
    expect(observeLoad(first, [cpu(1, 1)], 1199)).toBe(first);
    expect(observeLoad(first, [cpu(0.1, 1)], 1200).load.cpuPercent).toBeCloseTo(50);
  });

  it('knows the capacity of the network as configured, else from the fastest link', () => {
    const counters = [link('a out', 0, 1e8), link('b out', 0, 1e9), cpu(0, 1e12)];
    expect(networkCapacity(counters, 5e8)).toBe(5e8);
    expect(networkCapacity(counters, undefined)).toBe(1e9);
    expect(networkCapacity([cpu(0, 1)], undefined)).toBeUndefined();
  });
});
