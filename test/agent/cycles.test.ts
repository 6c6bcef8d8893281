import { describe, expect, it } from 'vitest';
import { Cycles, type Every } from '../../src/agent/cycles.ts';
import { createFakeLog } from '../support/fake-log.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';

/** Cycles whose timers fire when the test says so. */
function createCycles() {
  const log = createFakeLog();
  const timers = new Set<() => void>();
  const every: Every = (_, run) => {
    timers.add(run);
    return () => void timers.delete(run);
  };
  const cycles = new Cycles({ clock: createVirtualClock(), log, every });
  const fire = () => {
    for (const run of timers) run();
  };
  return { cycles, fire, log, timers };
}

/** A run that the test ends. */
function pending() {
  let end: (error?: Error) => void = () => {};
  const promise = new Promise<void>((resolve, reject) => {
    end = (error) => (error === undefined ? resolve() : reject(error));
  });
  return { promise, end };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('a cycle', () => {
  it('is not begun again while it is under way', async () => {
    const { cycles, fire } = createCycles();
    const work = pending();
    let runs = 0;
    const run = () => {
      runs += 1;
      return work.promise;
    };
    cycles.start({ name: 'slow', everyMs: 1, run });
    fire();
    fire();
    expect(runs).toBe(1);
    work.end();
    await settled();
    fire();
    expect(runs).toBe(2);
  });

  it('that may overlap is begun again while it is under way', () => {
    const { cycles, fire } = createCycles();
    let runs = 0;
    const run = () => {
      runs += 1;
      return pending().promise;
    };
    cycles.start({ name: 'reads', everyMs: 1, overlaps: true, run });
    fire();
    fire();
    expect(runs).toBe(2);
  });

  it.each([false, true])(
    'that fails, at once or later, is logged and goes on (overlaps: %s)',
    async (overlaps) => {
      const { cycles, fire, log } = createCycles();
      const later = pending();
      const runs = [
        () => {
          throw new Error('at once');
        },
        () => later.promise,
        () => undefined,
      ];
      let begun = 0;
      cycles.start({ name: 'faulty', everyMs: 1, overlaps, run: () => runs[begun++]?.() });
      fire();
      await settled();
      fire();
      later.end(new Error('later'));
      await settled();
      fire();
      await settled();
      expect(begun).toBe(3);
      expect(log.lines.map(({ level, event, fields }) => [level, event, fields])).toEqual([
        ['error', 'cycle failed', { cycle: 'faulty', cause: 'Error: at once' }],
        ['error', 'cycle failed', { cycle: 'faulty', cause: 'Error: later' }],
      ]);
    },
  );

  it('is stopped when no run of it is under way any more', async () => {
    const { cycles, fire, timers } = createCycles();
    const work = pending();
    cycles.start({ name: 'slow', everyMs: 1, run: () => work.promise });
    fire();
    let isStopped = false;
    const stopped = cycles.stop().then(() => {
      isStopped = true;
    });
    await settled();
    expect([timers.size, isStopped]).toEqual([0, false]);
    work.end();
    await stopped;
    expect(isStopped).toBe(true);
  });
});
