import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addToCoverage,
  joinToleranceMs,
  trimCoverage,
} from '../../../src/core/archive/coverage.ts';
import {
  cutRanges,
  gapsOf,
  intersectRanges,
  mergeRanges,
  spanOf,
  subtractRanges,
  type TimeRange,
  totalMs,
} from '../../../src/core/archive/ranges.ts';

const range = (startMs: number, endMs: number): TimeRange => ({ startMs, endMs });

/** Ranges on a small line, so that they touch, overlap and repeat; some have no length. */
const someRanges = fc.array(
  fc
    .tuple(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 12 }))
    .map(([start, length]) => range(start, start + length)),
  { maxLength: 12 },
);
const sorted = someRanges.map((ranges) => mergeRanges(ranges));
const lineEnd = 80;

/** The oracle: every millisecond of the line, in or out. */
function marks(ranges: readonly TimeRange[]): readonly boolean[] {
  return Array.from({ length: lineEnd }, (_, at) =>
    ranges.some(({ startMs, endMs }) => startMs <= at && at < endMs),
  );
}

function expectTidy(ranges: readonly TimeRange[], apartMs = 0) {
  for (const [at, { startMs, endMs }] of ranges.entries()) {
    expect(startMs).toBeLessThan(endMs);
    const next = ranges[at + 1];
    if (next !== undefined) expect(next.startMs - endMs).toBeGreaterThan(apartMs);
  }
}

describe('recorded ranges', () => {
  it('merge to the same time, whatever their order, sorted and apart', () => {
    fc.assert(
      fc.property(someRanges, (ranges) => {
        const merged = mergeRanges(ranges);
        expect(marks(merged)).toEqual(marks(ranges));
        expectTidy(merged);
        expect(mergeRanges(ranges.toReversed())).toEqual(merged);
      }),
    );
  });

  it('lose and add no more than holes within the tolerance', () => {
    fc.assert(
      fc.property(someRanges, fc.integer({ min: 0, max: 5 }), (ranges, toleranceMs) => {
        const merged = mergeRanges(ranges, toleranceMs);
        expectTidy(merged, toleranceMs);
        const filled = gapsOf(mergeRanges(ranges)).filter(
          ({ startMs, endMs }) => endMs - startMs <= toleranceMs,
        );
        expect(marks(merged)).toEqual(marks([...ranges, ...filled]));
      }),
    );
  });

  it('subtract, intersect and add up as sets of milliseconds do', () => {
    fc.assert(
      fc.property(sorted, sorted, (a, b) => {
        const [inA, inB] = [marks(a), marks(b)];
        expect(marks(subtractRanges(a, b))).toEqual(inA.map((is, at) => is && !inB[at]));
        expect(marks(intersectRanges(a, b))).toEqual(inA.map((is, at) => is && inB[at]));
        expect(totalMs(a)).toBe(inA.filter(Boolean).length);
        expect(totalMs(subtractRanges(a, b)) + totalMs(intersectRanges(a, b))).toBe(totalMs(a));
      }),
    );
  });

  it('cut to a period are those within it', () => {
    fc.assert(
      fc.property(sorted, fc.nat(70), fc.nat(20), (ranges, at, ms) => {
        const period = range(at, at + ms);
        const within = ms === 0 ? [] : intersectRanges(ranges, [period]);
        expect(cutRanges(ranges, period)).toEqual(within);
      }),
    );
  });

  it('have gaps that make them whole again', () => {
    fc.assert(
      fc.property(sorted, (ranges) => {
        const span = spanOf(ranges);
        const whole = mergeRanges([...ranges, ...gapsOf(ranges)]);
        expect(whole).toEqual(span === undefined ? [] : [span]);
      }),
    );
  });

  it.each([
    ['touching', [range(0, 10), range(10, 20)], [range(0, 20)]],
    ['a hole of 1 ms', [range(0, 10), range(11, 20)], [range(0, 10), range(11, 20)]],
    ['no length', [range(5, 5)], []],
    ['no length inside another', [range(0, 10), range(5, 5)], [range(0, 10)]],
    ['one in another', [range(0, 30), range(5, 10)], [range(0, 30)]],
    ['nothing', [], []],
  ])('merge exactly without a tolerance: %s', (_, ranges, merged) => {
    expect(mergeRanges(ranges)).toEqual(merged);
  });
});

describe('coverage', () => {
  it.each([
    ['just below', joinToleranceMs - 1, 1],
    ['at', joinToleranceMs, 1],
    ['just above', joinToleranceMs + 1, 2],
  ])('joins neighbours that lie %s the tolerance apart or not', (_, holeMs, count) => {
    const added = addToCoverage([range(0, 10_000)], [range(10_000 + holeMs, 20_000)]);
    expect(added).toHaveLength(count);
  });

  it.each([
    ['before all', 0, [range(10, 20), range(30, 40)]],
    ['at the first start', 10, [range(10, 20), range(30, 40)]],
    ['inside', 15, [range(15, 20), range(30, 40)]],
    ['at an end', 20, [range(30, 40)]],
    ['in a hole', 25, [range(30, 40)]],
    ['at the last end', 40, []],
    ['after all', 50, []],
  ])('is trimmed %s', (_, beforeMs, left) => {
    expect(trimCoverage([range(10, 20), range(30, 40)], beforeMs)).toEqual(left);
  });

  it('keeps the newest ranges when there are too many', () => {
    const many = Array.from({ length: 10_001 }, (_, at) => range(at * 2_000, at * 2_000 + 1_000));
    const kept = addToCoverage([], many);
    expect(kept).toHaveLength(10_000);
    expect(kept[0]).toEqual(range(2_000, 3_000));
  });
});
