import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planPieces } from '../../../src/core/archive/plan.ts';
import { cutRanges, mergeRanges, type TimeRange } from '../../../src/core/archive/ranges.ts';
import { type ListedSegment, takeSegments } from '../../../src/core/archive/take-segments.ts';

const segmentMs = 4_000;
const lengthMs = 120_000;

type Recorded = ListedSegment & {
  /** When what is in it was sent. */
  readonly trueMs: number;
};

/** What a node records of the true time: its own cuts, its own idea of the time, nothing in `[off, on)`. */
type Recording = {
  readonly cutMs: number;
  readonly lateMs: number;
  readonly off: number;
  readonly on: number;
};

function segmentsOf(run: string, { cutMs, lateMs, off, on }: Recording): readonly Recorded[] {
  return Array.from({ length: lengthMs / segmentMs }, (_, number) => {
    const trueMs = number * segmentMs + cutMs;
    const startMs = trueMs + lateMs;
    return { name: `${number}.ts`, startMs, durationMs: segmentMs, run, number, trueMs };
  }).filter(({ trueMs }) => trueMs + segmentMs <= off || trueMs >= on);
}

const coverageOf = (segments: readonly ListedSegment[]): readonly TimeRange[] =>
  mergeRanges(
    segments.map(({ startMs, durationMs }) => ({ startMs, endMs: startMs + durationMs })),
    500,
  );

/** What a playlist of both holds, segment by segment. */
function taken(a: readonly Recorded[], b: readonly Recorded[], blocksOf = 7) {
  const period = { startMs: 20_000, endMs: lengthMs - 20_000 };
  const holder = (id: string, segments: readonly Recorded[]) => ({
    id,
    ranges: cutRanges(coverageOf(segments), period),
  });
  const blocks = (segments: readonly Recorded[]) =>
    Array.from({ length: Math.ceil(segments.length / blocksOf) }, (_, at) =>
      segments.slice(at * blocksOf, (at + 1) * blocksOf),
    );
  const pieces = planPieces(period, holder('a', a), [holder('b', b)]);
  const stretches = pieces.flatMap(({ startMs, endMs, node }) =>
    node === undefined
      ? []
      : [{ startMs, endMs, prefix: node, blocks: blocks(node === 'a' ? a : b) }],
  );
  const slices = takeSegments(stretches);
  return slices.flatMap(({ block, from, to }) => block.slice(from, to));
}

const recording = fc.record({
  cutMs: fc.integer({ min: 0, max: segmentMs - 1 }),
  lateMs: fc.integer({ min: 0, max: segmentMs - 200 }),
});

describe('where one recording gives way to another', () => {
  it('nothing is left out that either has, as long as their times are a segment apart at most', () => {
    const outages = fc.record({
      off: fc.integer({ min: 30_000, max: 80_000 }),
      forMs: fc.integer({ min: 1, max: 30_000 }),
    });
    fc.assert(
      fc.property(recording, recording, outages, (own, other, { off, forMs }) => {
        const a = segmentsOf('a', { ...own, off, on: off + forMs });
        const b = segmentsOf('b', { ...other, off: Infinity, on: Infinity });
        const all = taken(a, b);
        const shown = mergeRanges(
          all.map(({ trueMs }) => ({ startMs: trueMs, endMs: trueMs + segmentMs })),
        );
        expect(shown).toHaveLength(1);
        // A seam to and one fro, at each of them less than two segments' time by either's word.
        const twice = all.length * segmentMs - lengthOf(shown);
        expect(twice).toBeLessThan(2 * 3 * segmentMs);
      }),
      { numRuns: 2_000 },
    );
  });

  it('nothing comes twice where both have the same segments', () => {
    fc.assert(
      fc.property(recording, fc.integer({ min: 30_000, max: 80_000 }), (both, off) => {
        const a = segmentsOf('one', { ...both, off, on: off + 13_000 });
        const b = segmentsOf('one', { ...both, off: Infinity, on: Infinity });
        const numbers = taken(a, b).map(({ number }) => number);
        const [first = 0] = numbers;
        expect(numbers).toEqual(numbers.map((_, at) => first + at));
      }),
    );
  });

  it('nothing from beyond a hole of either is taken early', () => {
    // Node A lacks 1 s; node B begins 2 s before that and ends 1 s after it.
    const at = (startMs: number, run: string, number: number) => ({
      ...{ name: `${number}.ts`, startMs, durationMs: 2_000, run, number, trueMs: startMs },
    });
    const a = [at(56_000, 'a', 1), at(58_000, 'a', 2), at(61_000, 'a', 3), at(63_000, 'a', 4)];
    const b = [at(30_000, 'b', 1), at(58_000, 'b', 15), at(60_000, 'b', 16), at(90_000, 'b', 31)];
    expect(taken(a, b).map(({ run, number }) => run + number)).toEqual([
      'b1',
      'a1',
      'a2',
      'b15',
      'b16',
      'a3',
      'a4',
      'b31',
    ]);
  });
});

function lengthOf(ranges: readonly TimeRange[]): number {
  return ranges.reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0);
}
