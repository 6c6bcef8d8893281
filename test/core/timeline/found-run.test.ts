import { describe, expect, it } from 'vitest';
import { ticksPerSecond } from '../../../src/core/media/units.ts';
import { createCanonicalCutter } from '../../../src/core/timeline/cutter.ts';
import { type FoundingFacts, foundRun, rungOf } from '../../../src/core/timeline/found-run.ts';
import { pictureGridOf } from '../../../src/core/timeline/picture-grid.ts';
import type { TimelineRun } from '../../../src/core/timeline/run.ts';
import {
  inPieces,
  type SyntheticOptions,
  syntheticReading,
} from '../../support/synthetic-source.ts';

const arrivedAt = 1_790_000_000_000;

function facts(source: SyntheticOptions, fields: Partial<FoundingFacts> = {}): FoundingFacts {
  const { tracks, units } = syntheticReading(source);
  return { nodeId: 'node-a', tracks, units, arrivedAt, segmentMs: 2_000, ...fields };
}

function founded(source: SyntheticOptions, fields: Partial<FoundingFacts> = {}) {
  const founding = foundRun(facts(source, fields));
  if (founding.kind !== 'founded') throw new Error(founding.why);
  return founding;
}

/** Numbers that a member gives which founds a run after `to` pictures and goes on. */
function numbersOf(source: SyntheticOptions, fields: Partial<FoundingFacts> = {}) {
  const { run, offset } = founded(source, fields);
  const cutter = createCanonicalCutter(run, { offset, nearTicks: run.originTicks });
  const whole = syntheticReading({ ...source, to: source.to + 1_500 });
  const segments = inPieces(whole, 50).flatMap((reading) => [...cutter.push(reading)]);
  return { run, segments, numbers: segments.map(({ number }) => number) };
}

describe('a run that is founded', () => {
  it('needs four keyframes, and tracks that can be written anew', () => {
    expect(foundRun(facts({ to: 75 }))).toEqual({ kind: 'refused', why: 'too-little' });
    expect(foundRun(facts({ to: 76 })).kind).toBe('founded');
    expect(foundRun(facts({ to: 76 }, { tracks: [] }))).toEqual({ kind: 'refused', why: 'empty' });
  });

  it('is content with two keyframes when no more is to be waited for', () => {
    const refused = { kind: 'refused', why: 'too-little' };
    expect(foundRun(facts({ to: 25 }, { isLate: true }))).toEqual(refused);
    expect(foundRun(facts({ to: 26 }, { isLate: true })).kind).toBe('founded');
  });

  it('counts its time in Unix time at arrival, whatever the packager counts', () => {
    const base = 2 ** 33 - 100_000;
    const { run, offset } = founded({ to: 100, base });
    const lastPts = 99 * 3_600;
    expect((base + lastPts + offset) / ticksPerSecond).toBeCloseTo(arrivedAt / 1_000 + 95_443.7, 0);
    expect(Math.abs(run.originTicks / ticksPerSecond - arrivedAt / 1_000)).toBeLessThan(2);
  });

  it('numbers from Unix seconds, so that forgetting everything lets no number fall', () => {
    const first = numbersOf({ to: 100 });
    const again = numbersOf({ to: 100 }, { arrivedAt: arrivedAt + 60_000 });
    expect(first.numbers[0]).toBe(Math.floor(first.run.originTicks / ticksPerSecond));
    expect(again.numbers[0] ?? 0).toBeGreaterThan((first.numbers[0] ?? 0) + 30);
    const later = numbersOf({ to: 100 }, { arrivedAt: arrivedAt + 3_600_000 });
    expect(later.run.sequence).toBe(first.run.sequence + 1);
  });

  it('has a discontinuity sequence that hls.js can count up to at each reload', () => {
    const inTwentyYears = Date.UTC(2046);
    const { run } = numbersOf({ to: 100 }, { arrivedAt: inTwentyYears });
    expect(run.sequence).toBeLessThan(200_000);
  });

  it('goes on from the run before without a hole', () => {
    const previous = { sequence: 41, lastNumber: 777 };
    const { run, numbers } = numbersOf({ to: 100 }, { previous });
    expect(run).toMatchObject({ sequence: 42, succeeds: 41, firstNumber: 778 });
    expect(numbers[0]).toBe(778);
  });

  it('has keyframes in the middle of its windows, whole intervals long', () => {
    const rows = [
      { gop: 25, segmentMs: 2_000, seconds: 2 },
      { gop: 48, segmentMs: 2_000, seconds: 1.92 },
      { gop: 12, segmentMs: 2_000, seconds: 1.92 },
      { gop: 12, segmentMs: 500, seconds: 1.44 },
      { gop: 100, segmentMs: 2_000, seconds: 4 },
    ];
    for (const { gop, segmentMs, seconds } of rows) {
      const isKey = (picture: number) => picture % gop === 0;
      const { run, segments } = numbersOf({ to: Math.max(4 * gop, 50), isKey }, { segmentMs });
      expect(run.segmentTicks).toBe(seconds * ticksPerSecond);
      expect(segments.length).toBeGreaterThan(5);
      for (const segment of segments) {
        expect(segment.durationTicks).toBe(run.segmentTicks);
        expect(segment.isIndependent).toBe(true);
      }
    }
  });

  it('has windows that do not drift from keyframes at any rate', () => {
    for (const rate of [24_000 / 1_001, 30_000 / 1_001, 60_000 / 1_001, 50]) {
      const periodTicks = ticksPerSecond / rate;
      const isKey = (picture: number) => picture % 25 === 0;
      const { run } = founded({ to: 101, periodTicks, isKey });
      const intervals = run.segmentTicks / (25 * periodTicks);
      expect(Math.abs(intervals - Math.round(intervals))).toBeLessThan(1e-9);
    }
  });

  it('has room for the longest interval where keyframes are irregular', () => {
    const isKey = (picture: number) => [0, 30, 100, 130].includes(picture % 150);
    const { run, segments, numbers } = numbersOf({ to: 300, isKey });
    expect(run.segmentTicks).toBeGreaterThanOrEqual(70 * 3_600);
    expect(segments.every((segment) => segment.isIndependent)).toBe(true);
    expect(numbers).toEqual(numbers.map((_, index) => (numbers[0] ?? 0) + index));
    const longest = Math.max(...segments.map((segment) => segment.durationTicks));
    expect(longest).toBeLessThanOrEqual(run.targetDurationS * ticksPerSecond);
  });

  it('serves every rung of a packager, with the same numbers and windows', () => {
    const { run, offset } = founded({ to: 100 });
    const { tracks, units } = syntheticReading({ to: 200, periodTicks: 1_800, sampleRate: 44_100 });
    const rung = rungOf(run, { tracks, units }, offset);
    if (typeof rung === 'string') throw new Error(rung);
    expect(rung).toMatchObject({ originTicks: run.originTicks, segmentTicks: run.segmentTicks });
    expect(rung.pictureGrid?.period).toBe(1_800);
    expect(rung.soundGrids[0]?.period).toBeCloseTo(2_089.8, 1);
    const numbersFor = (each: TimelineRun, periodTicks: number, sampleRate: number) => {
      const cutter = createCanonicalCutter(each, { offset, nearTicks: run.originTicks });
      const isKey = (picture: number) => (picture * periodTicks) % 90_000 === 0;
      const source = { to: 2_000_000 / periodTicks, periodTicks, isKey, sampleRate };
      return cutter.push(syntheticReading(source)).map((each_) => [each_.number, each_.startTicks]);
    };
    expect(numbersFor(rung, 1_800, 44_100)).toEqual(numbersFor(run, 3_600, 48_000));
    expect(rungOf(run, { tracks: [], units: [] }, offset)).toBe('empty');
  });

  it('of sound alone numbers exact windows, from its first number on', () => {
    const { tracks, units } = syntheticReading({ to: 500 });
    const sound = {
      tracks: tracks.filter((track) => track.kind === 'audio'),
      units: units.filter((unit) => unit.kind === 'audio'),
    };
    const previous = { sequence: 3, lastNumber: 20 };
    const early = { ...sound, units: sound.units.slice(0, 200) };
    const founding = foundRun({ ...facts({ to: 1 }), ...early, previous });
    if (founding.kind !== 'founded') throw new Error(founding.why);
    const { run, offset } = founding;
    expect(run.segmentTicks).toBe(2 * ticksPerSecond);
    const cutter = createCanonicalCutter(run, { offset, nearTicks: run.originTicks });
    const numbers = cutter.push({ ...sound, faults: 0 }).map(({ number }) => number);
    expect(numbers.slice(0, 2)).toEqual([21, 22]);
  });

  it('is plain JSON: what a peer is told is what was founded', () => {
    const { run } = founded({ to: 100, periodTicks: 3_753.75, sampleRate: 44_100 });
    expect(JSON.parse(JSON.stringify(run))).toEqual(withoutAbsent(run));
  });
});

describe('the grid of pictures', () => {
  const times = (count: number, period: number, noise: (i: number) => number = () => 0) =>
    Array.from({ length: count }, (_, i) => Math.round(7_000 + i * period) + noise(i));

  it('is found at exact and at rounded times', () => {
    const exact = times(60, 3_003);
    expect(pictureGridOf(exact)).toEqual({ anchor: 7_000, period: 3_003 });
    const rounded = exact.map((time) => Math.round(time / 90) * 90);
    const grid = pictureGridOf(rounded);
    expect(grid?.period).toBe(3_003);
    expect(Math.abs((grid?.anchor ?? 0) - 7_000)).toBeLessThanOrEqual(45);
  });

  it('is found with pictures missing, in any order', () => {
    const some = times(90, 3_600).filter((_, i) => i % 7 !== 0);
    expect(pictureGridOf(some.reverse())?.period).toBe(3_600);
  });

  it('is not there for few pictures, other rates and changing ones', () => {
    expect(pictureGridOf(times(49, 3_600))).toBeUndefined();
    expect(pictureGridOf(times(60, 3_700))).toBeUndefined();
    expect(pictureGridOf(times(60, 3_600, (i) => (i % 5) * 300))).toBeUndefined();
  });
});

function withoutAbsent(run: TimelineRun): object {
  return Object.fromEntries(Object.entries(run).filter(([, value]) => value !== undefined));
}
