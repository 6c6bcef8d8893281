import { describe, expect, it } from 'vitest';
import { packagedMsOf, wishedSegmentMs } from '../../../src/core/timeline/packaged.ts';
import { syntheticReading } from '../../support/synthetic-source.ts';

describe('a segment of a packager', () => {
  it('is as long as from its first picture to its last, in any order, over the wrap of PTS', () => {
    const { units, ...rest } = syntheticReading({ to: 150, base: 2 ** 33 - 90_000 });
    expect(packagedMsOf({ ...rest, units })).toBeCloseTo(149 * 40, 3);
    const [first, ...others] = units;
    if (first === undefined) throw new Error('nothing was made');
    expect(packagedMsOf({ ...rest, units: [first, ...others.reverse()] })).toBeCloseTo(149 * 40, 3);
  });

  it('is measured by its sound where it has no pictures, and 0 where it has neither', () => {
    const { units, ...rest } = syntheticReading({ to: 150 });
    const sound = units.filter(({ kind }) => kind === 'audio');
    expect(packagedMsOf({ ...rest, units: sound }) / 6_000).toBeCloseTo(1, 1);
    expect(packagedMsOf({ ...rest, units: [] })).toBe(0);
  });
});

describe('the segment duration that is wished for', () => {
  it.each([
    [[], 2_000],
    [[1_999], 2_000],
    [[2_001], 2_001],
    [[1_960, 5_960, 3_960], 5_960],
    [[9_999], 9_999],
    [[10_001], 10_000],
  ])('of packagers of %j ms is %i ms', (packagedMs, wished) => {
    expect(wishedSegmentMs(packagedMs)).toBe(wished);
  });
});
