import { describe, expect, it } from 'vitest';
import { type Stage, Staging } from '../../../src/agent/drill/staging.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

function stagedFor(stage: Partial<Stage> = {}) {
  const clock = createVirtualClock();
  const staging = new Staging({ clock, timers: clock });
  const { monoMs } = clock.now();
  staging.begin({
    ...{ id: 'one', stream: 'ch1', failure: 'not-found', slowMs: 0, until: monoMs + 10_000 },
    ...{ chosen: new Set(['probe']), probes: new Set(['probe', 'control']) },
    ...{ viewersPercent: 0, force: false, ...stage },
  });
  const ask = (session: string | undefined, stream = 'ch1', canMove = true) =>
    staging.failureOf(stream, { session, family: 'browser', canMove: () => canMove }, clock.now());
  return { clock, staging, ask };
}

const crowd = Array.from({ length: 2_000 }, (_, at) => `viewer-${at}`);

describe('the failure of a drill', () => {
  it('is met by the chosen players of the drill, not by the others, nor on another stream', () => {
    const { ask } = stagedFor();
    expect([ask('probe'), ask('control'), ask(undefined), ask('probe', 'ch2')]).toEqual([
      ...['not-found', undefined, undefined, undefined],
    ]);
  });

  it('is over at its time: a moment before it is met, then it is not', () => {
    const { clock, ask, staging } = stagedFor();
    clock.pause(9_999);
    expect([ask('probe'), staging.isOn(clock.now())]).toEqual(['not-found', true]);
    clock.pause(1);
    expect([ask('probe'), staging.isOn(clock.now())]).toEqual([undefined, false]);
  });

  it('is met by no viewer at 0 percent, by all at 100, and by about its share between', () => {
    const met = (viewersPercent: number) => {
      const { ask } = stagedFor({ viewersPercent });
      return crowd.filter((session) => ask(session) !== undefined).length;
    };
    expect([met(0), met(100)]).toEqual([0, 2_000]);
    expect(Math.abs(met(10) - 200)).toBeLessThan(50);
  });

  it('is met by the same viewers again and again, and by others in another drill', () => {
    const one = stagedFor({ viewersPercent: 10 });
    const chosen = () => crowd.filter((session) => one.ask(session) !== undefined);
    expect(chosen()).toEqual(chosen());
    const other = stagedFor({ viewersPercent: 10, id: 'two' });
    expect(chosen()).not.toEqual(crowd.filter((session) => other.ask(session) !== undefined));
  });

  it('spares viewers whom no backup could take, unless it is forced', () => {
    const careful = stagedFor({ viewersPercent: 100 });
    expect(careful.ask('viewer', 'ch1', false)).toBeUndefined();
    const forced = stagedFor({ viewersPercent: 100, force: true });
    expect(forced.ask('viewer', 'ch1', false)).toBe('not-found');
  });

  it('holds 500 requests without an answer, and cuts further ones at once', async () => {
    const { staging } = stagedFor({ failure: 'silent' });
    let cut = 0;
    const asked = crowd.slice(0, 502).map(async () => {
      await staging.instead('silent');
      cut += 1;
    });
    await Promise.resolve();
    await new Promise((resolve) => setImmediate(resolve));
    expect(cut).toBe(2);
    staging.end();
    await Promise.all(asked);
    expect(cut).toBe(502);
  });

  it('seeks a hundred viewers at a time, all in turn, and those found no more', () => {
    const { ask, staging, clock } = stagedFor({ viewersPercent: 100 });
    const some = crowd.slice(0, 150);
    for (const session of some) ask(session);
    expect([staging.sought().length, staging.sought().length]).toEqual([100, 50]);
    staging.found('node-b', [{ session: 'viewer-0', sinceMs: 0 }], clock.now());
    staging.found('node-c', [{ session: 'viewer-0', sinceMs: 0 }], clock.now());
    expect(staging.met().get('viewer-0')?.at).toBe('node-b');
    expect([...staging.sought(), ...staging.sought()]).toEqual(some.slice(1));
    staging.end();
    expect(staging.sought()).toEqual([]);
  });
});
