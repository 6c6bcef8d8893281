import { describe, expect, it } from 'vitest';
import { segmentsOfFiles } from '../../../src/core/archive/file-segments.ts';
import { compileNameTimes } from '../../../src/core/archive/name-times.ts';

const noonMs = Date.UTC(2026, 10, 30, 12);

describe('times in names', () => {
  it.each([
    ['%Y/%m/%d/%H/%M/%S', '2026/11/30/12/00/07-04000.ts', noonMs + 7_000],
    ['%Y-%m-%dT%H%M%S', 'ch1/seg-2026-11-30T120007.ts', noonMs + 7_000],
    ['%Y%m%d%H%M%S', '20261130120007.ts', noonMs + 7_000],
    ['%Y%m%d-%H', 'rec.20261130-12.ts', noonMs],
    ['seg_{unix}', 'a/seg_1796040007.ts', 1_796_040_007_000],
    ['%s', '1796040007.ts', 1_796_040_007_000],
    ['{ms}', '1796040007123.ts', 1_796_040_007_123],
    ['{unix}.', 'x+1796040007.ts', 1_796_040_007_000],
  ])('are read by %s from %s', (pattern, path, ms) => {
    expect(compileNameTimes(pattern)?.(path)).toBe(ms);
  });

  it.each([
    ['%Y/%m/%d', '2026/13/30/x.ts'],
    ['%Y%m%d', '120261130.ts'],
    ['{unix}', '1796040007123.ts'],
    ['{unix}', 'a.ts'],
    ['seg_{unix}', 'seg-1796040007.ts'],
  ])('%s finds none in %s', (pattern, path) => {
    expect(compileNameTimes(pattern)?.(path)).toBeUndefined();
  });

  it.each(['', 'segment', '%H%M%S', '%Y%Y%m%d', '{unix}{unix}', '%Y%m%d{unix}', '{ms}-%s'])(
    'no pattern is %j',
    (pattern) => {
      expect(compileNameTimes(pattern)).toBeUndefined();
    },
  );

  it('every character of a pattern that is no placeholder means itself', () => {
    expect(compileNameTimes('a.b(c)+{unix}')?.('a.b(c)+1796040007.ts')).toBe(1_796_040_007_000);
    expect(compileNameTimes('a.b{unix}')?.('axb1796040007.ts')).toBeUndefined();
  });
});

describe('segments of files', () => {
  const files = (...starts: readonly number[]) =>
    starts.map((startMs) => ({ path: `${startMs}.ts`, startMs, bytes: 1 }));
  const none = new Map();

  it('last until the next one begins, the newest as long as is usual', () => {
    const segments = segmentsOfFiles(files(8_100, 0, 4_000), none);
    expect(segments.map(({ durationMs }) => durationMs)).toEqual([4_000, 4_100, 4_100]);
    expect(new Set(segments.map(({ run }) => run)).size).toBe(1);
    expect(segments.map(({ number }) => number)).toEqual([0, 1, 2]);
  });

  it.each([
    [6_000, 6_000, 1],
    [6_001, 4_000, 2],
  ])('that are followed after %i ms last %i ms, in %i runs', (distance, durationMs, runs) => {
    const start = 12_000 + distance;
    const segments = segmentsOfFiles(
      files(0, 4_000, 8_000, 12_000, start, start + 4_000, start + 8_000),
      none,
    );
    expect(segments[3]?.durationMs).toBe(durationMs);
    expect(new Set(segments.map(({ run }) => run)).size).toBe(runs);
  });

  it('stay what they were when the oldest go and new ones come', () => {
    const before = segmentsOfFiles(files(0, 4_000, 8_000), none);
    const known = new Map(before.map((segment) => [segment.path, segment]));
    const after = segmentsOfFiles(files(4_000, 8_000, 12_000), known);
    expect(after[0]).toBe(before[1]);
    expect(after.map(({ run, number }) => [run, number])).toEqual([
      ['f0', 1],
      ['f0', 2],
      ['f0', 3],
    ]);
  });

  it('are none of no files, and one of one', () => {
    expect(segmentsOfFiles([], none)).toEqual([]);
    expect(segmentsOfFiles(files(5), none)).toMatchObject([{ startMs: 5, durationMs: 4_000 }]);
  });
});
