import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isCovered, middleOf, partsAround, sampleAt } from '../../../src/core/archive/samples.ts';

const hourMs = 3_600_000;

it('looks at every part of what is recorded in time, and at nothing else', () => {
  const ranges = [
    { startMs: 0, endMs: hourMs },
    { startMs: 2 * hourMs, endMs: 2 * hourMs + 10_000 },
    { startMs: 3 * hourMs, endMs: 5 * hourMs },
  ];
  const samples = Array.from({ length: 60 }, (_, turn) => sampleAt(ranges, turn));
  for (const sample of samples) expect(sample && isCovered(ranges, sample)).toBe(true);
  for (const range of [ranges[0], ranges[2]]) {
    if (range === undefined) continue;
    const starts = samples.flatMap((sample) =>
      sample && isCovered([range], sample) ? [sample.startMs] : [],
    );
    const marks = [range.startMs, ...starts.sort((a, b) => a - b), range.endMs];
    for (const [at, mark] of marks.entries())
      expect(mark - (marks[at - 1] ?? mark)).toBeLessThan(10 * 60_000);
  }
});

it('looks at nothing where nothing is recorded', () => {
  expect(sampleAt([], 7)).toBeUndefined();
});

it('cuts the range around a sample into parts that make it up', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 10 * hourMs }),
      fc.integer({ min: 1, max: 20 }),
      (lengthMs, count) => {
        const range = { startMs: 5, endMs: 5 + lengthMs };
        const sample = sampleAt([range], 1) ?? range;
        const parts = partsAround([range], sample, count);
        expect(parts.length).toBeLessThanOrEqual(count);
        expect(parts[0]?.startMs).toBe(range.startMs);
        expect(parts.at(-1)?.endMs).toBe(range.endMs);
        for (const [at, part] of parts.entries()) {
          if (at > 0) expect(part.startMs).toBe(parts[at - 1]?.endMs);
          const middle = middleOf(part);
          expect(isCovered([part], middle)).toBe(true);
          expect(middle.endMs - middle.startMs).toBeLessThanOrEqual(30_000);
        }
      },
    ),
  );
});
