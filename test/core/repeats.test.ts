import { expect, it } from 'vitest';
import { countRepeat, noRepeats } from '../../src/core/repeats.ts';

it('tells the first of many repetitions at once, then how many there were each minute', () => {
  let repeats = noRepeats;
  const told = [0, 1, 59_999, 60_000, 60_001, 120_000].map((now) => {
    const next = countRepeat(repeats, now);
    repeats = next.repeats;
    return next.tell;
  });
  expect(told).toEqual([1, undefined, undefined, 3, undefined, 2]);
});
