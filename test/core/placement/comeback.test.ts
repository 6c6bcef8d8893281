import { describe, expect, it } from 'vitest';
import { type Comeback, noteVerdict, shareOf } from '../../../src/core/placement/comeback.ts';

/** What is known after such verdicts, the first at 0 and each 1 s after the one before. */
function seen(...verdicts: readonly boolean[]): Comeback | undefined {
  return verdicts.reduce<Comeback | undefined>(
    (known, isEligible, second) => noteVerdict(known, isEligible, second * 1_000),
    undefined,
  );
}

describe('a member that is seen for the first time', () => {
  it('has its whole weight, eligible at once or after a while', () => {
    expect(shareOf(seen(true), 0)).toBe(1);
    expect(shareOf(seen(false, false, true), 2_000)).toBe(1);
    expect(shareOf(seen(false), 0)).toBe(1);
  });
});

describe('a member that came back', () => {
  const back = seen(true, false, true);

  it.each([
    [0, 0.1],
    [14_999, 0.1],
    [15_000, 0.25],
    [29_999, 0.25],
    [30_000, 0.5],
    [45_000, 0.75],
    [59_999, 0.75],
    [60_000, 1],
    [60_001, 1],
  ])('has after %i ms %d of its weight', (afterMs, share) => {
    expect(shareOf(back, 2_000 + afterMs)).toBe(share);
  });

  it('is not counted anew while it stays', () => {
    expect(shareOf(seen(true, false, true, true, true), 17_000)).toBe(0.25);
  });

  it('begins again when it fails meanwhile', () => {
    expect(shareOf(seen(true, false, true, true, false, false, true), 6_000)).toBe(0.1);
  });
});
