import { describe, expect, it } from 'vitest';
import { countedLoad, type Lately, noCost, note } from '../../../src/core/placement/lately.ts';

const cost = (networkPercent: number) => ({ ...noCost, networkPercent });

/** A second each: the network load, and what those cost who join. */
function countAfter(seconds: readonly (readonly [number, number])[]) {
  let lately: Lately = [];
  for (const [at, [networkPercent, joined]] of seconds.entries())
    lately = note(lately, { networkPercent }, cost(joined), at * 1_000);
  const now = (seconds.length - 1) * 1_000;
  return { lately, counted: countedLoad(lately, now)?.networkPercent };
}

const idle = (seconds: number) => Array.from({ length: seconds }, () => [30, 0] as const);

describe('the load as it is counted', () => {
  it('is not known for the first six seconds', () => {
    expect(countAfter(idle(6)).counted).toBeUndefined();
    expect(countAfter(idle(7)).counted).toBe(30);
  });

  it('is what it was before, and what those cost who joined since, whatever is measured', () => {
    expect(countAfter([...idle(13), [80, 10], [5, 10], [60, 10]]).counted).toBe(60);
  });

  it('follows a load that rises evenly with those who join', () => {
    const rising = Array.from({ length: 30 }, (_, at) => [30 + at, 1] as const);
    expect(countAfter(rising).counted).toBe(60);
  });

  it('forgets who joined when it must show', () => {
    const burst = [...idle(13), [40, 20] as const];
    const then = Array.from({ length: 13 }, () => [50, 0] as const);
    expect(countAfter([...burst, ...then]).counted).toBe(50);
  });

  it('takes thirteen seconds of memory', () => {
    expect(countAfter(idle(100)).lately).toHaveLength(13);
  });

  it('counts several who join within a second', () => {
    let { lately } = countAfter(idle(13));
    for (let viewer = 0; viewer < 5; viewer += 1) lately = note(lately, undefined, cost(2), 12_900);
    expect(countedLoad(lately, 12_950)?.networkPercent).toBe(40);
  });
});
