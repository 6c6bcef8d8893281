import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isPackedRanges,
  packedSpan,
  packRanges,
  rangesWithin,
  unpackRanges,
} from '../../../src/core/archive/archive-facts.ts';
import { intersectRanges, mergeRanges, type TimeRange } from '../../../src/core/archive/ranges.ts';

const nowMs = 1_800_000_000_000;
const range = (startMs: number, endMs: number): TimeRange => ({ startMs, endMs });
const ranges = fc
  .array(fc.tuple(fc.nat(5_000), fc.integer({ min: 1, max: 500 })), { maxLength: 20 })
  .map((list) =>
    mergeRanges(list.map(([at, ms]) => range(nowMs - 1e9 + at, nowMs - 1e9 + at + ms))),
  );

describe('ranges as members tell them', () => {
  it('are what they were, whole and within any period', () => {
    fc.assert(
      fc.property(ranges, fc.nat(5_500), fc.integer({ min: 1, max: 3_000 }), (list, at, ms) => {
        const packed = packRanges(list, nowMs, undefined);
        expect(packed === undefined || isPackedRanges(packed)).toBe(true);
        expect(unpackRanges(packed, nowMs)).toEqual(list);
        const period = range(nowMs - 1e9 + at, nowMs - 1e9 + at + ms);
        expect(rangesWithin(packed, period)).toEqual(intersectRanges(list, [period]));
      }),
    );
  });

  it('grow without a word as long as the last one reaches to now, and end when it does not', () => {
    const first = packRanges([range(nowMs - 1e6, nowMs - 5_000)], nowMs, undefined);
    const later = packRanges([range(nowMs - 1e6, nowMs + 5_000)], nowMs + 10_000, first);
    expect(later).toBe(first);
    expect(packedSpan(first)?.endMs).toBe(Infinity);
    expect(rangesWithin(first, range(nowMs, nowMs + 1e5))).toEqual([range(nowMs, nowMs + 1e5)]);
    const ended = packRanges([range(nowMs - 1e6, nowMs + 5_000)], nowMs + 65_001, first);
    expect(packedSpan(ended)?.endMs).toBe(nowMs + 5_000);
  });

  it.each([
    ['less than a minute', 59_999, true],
    ['a minute', 60_000, false],
  ])('are told again once %s was trimmed, or not', (_, ms, isSame) => {
    const first = packRanges([range(0, 1e7), range(2e7, 3e7)], nowMs, undefined);
    const trimmed = packRanges([range(ms, 1e7), range(2e7, 3e7)], nowMs, first);
    expect(trimmed === first).toBe(isSame);
  });

  it('are the newest when there are too many, and refused when they are more or no ranges', () => {
    const many = Array.from({ length: 1_001 }, (_, at) => range(at * 10, at * 10 + 5));
    const packed = packRanges(many, nowMs, undefined) ?? [];
    expect(isPackedRanges(packed)).toBe(true);
    expect(unpackRanges(packed, nowMs)[0]).toEqual(range(10, 15));
    for (const wrong of [
      [...packed, 1],
      [1, 0],
      [1, -1],
      [1.5, 1],
      [0, Number.NaN],
      [0, 2 ** 60],
    ])
      expect(isPackedRanges(wrong)).toBe(false);
  });
});
