import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTsReader } from '../../../src/core/media/ts-reader.ts';
import type { OtherUnit, Reading, Track, Unit } from '../../../src/core/media/units.ts';
import { wrapTicks } from '../../../src/core/media/units.ts';
import { withGrids } from '../../../src/core/timeline/agreement.ts';
import { type CanonicalSegment, createCanonicalCutter } from '../../../src/core/timeline/cutter.ts';
import type { TimelineRun } from '../../../src/core/timeline/run.ts';
import {
  audioTrack,
  inPieces,
  type SyntheticOptions,
  syntheticReading,
} from '../../support/synthetic-source.ts';

const second = 90_000;
const epoch = 1_790_000_000 * second;

/** Picture 0 is at the epoch; windows of two seconds, keyframes half a second behind their beginning. */
function aRun(fields: Partial<TimelineRun> = {}): TimelineRun {
  return {
    sequence: 7,
    foundedAt: 0,
    foundedBy: 'node-a',
    firstNumber: 1_000,
    originTicks: epoch - second / 2,
    segmentTicks: 2 * second,
    targetDurationS: 2,
    layout: { video: 'h264', audio: [{ format: 'aac' }], others: [] },
    pictureGrid: { anchor: epoch, period: 3_600 },
    soundGrids: [{ anchor: epoch, period: 1_920 }],
    ...fields,
  };
}

function cut(
  readings: readonly Reading[],
  { run = aRun(), base = 0 }: { run?: TimelineRun; base?: number } = {},
) {
  const cutter = createCanonicalCutter(run, { offset: epoch - base, nearTicks: epoch });
  const segments = readings.flatMap((reading) => [...cutter.push(reading)]);
  return { segments, state: cutter.state(), cutter };
}

/** Segments with a checksum for their bytes. */
function listed(segments: readonly CanonicalSegment[]) {
  return segments.map((segment) => ({
    ...segment,
    bytes: `${segment.bytes.length} ${createHash('sha256').update(segment.bytes).digest('hex')}`,
  }));
}

function byNumber(segments: readonly CanonicalSegment[]) {
  return new Map(listed(segments).map((segment) => [segment.number, segment]));
}

const timeOf = (unit: Unit) => unit.pts ?? 0;

const numbers = (segments: readonly CanonicalSegment[]) => segments.map(({ number }) => number);

function expectConsecutive(segments: readonly CanonicalSegment[]): void {
  for (const [index, segment] of segments.slice(1).entries()) {
    const before = segments[index];
    expect(segment.number).toBe((before?.number ?? 0) + 1);
    expect(segment.startTicks).toBe((before?.startTicks ?? 0) + (before?.durationTicks ?? 0));
  }
}

describe('a member of a run', () => {
  it('cuts at the first keyframe of each number, two seconds long', () => {
    const { segments } = cut([syntheticReading({ to: 500 })]);
    expect(numbers(segments)).toEqual([1_001, 1_002, 1_003, 1_004, 1_005, 1_006, 1_007, 1_008]);
    expect(segments.map((s) => s.durationTicks)).toEqual(Array(8).fill(2 * second));
    expect(segments[0]?.startTicks).toBe(epoch + 2 * second);
    expectConsecutive(segments);
  });

  it('begins only where a number changes, whatever keyframe it sees first', () => {
    for (const from of [0, 1, 25, 26, 49]) {
      const { segments } = cut([syntheticReading({ from, to: 300 })]);
      expect(segments[0]?.startTicks).toBe(epoch + (from === 0 ? 2 : from <= 25 ? 2 : 4) * second);
    }
  });

  it('does not begin before all sound of the first segment was seen', () => {
    const reading = syntheticReading({ from: 20, to: 300 });
    const startWithSoundFrom = (ticks: number) => {
      const units = reading.units.filter((unit) => unit.kind === 'video' || timeOf(unit) >= ticks);
      return cut([{ ...reading, units }]).segments[0]?.number;
    };
    // Number 1001 begins at 180000; frames lie at 178560 and 180480.
    expect(startWithSoundFrom(178_560)).toBe(1_001);
    expect(startWithSoundFrom(178_561)).toBe(1_002);
  });

  it('gives the same segments however its input is cut into pieces', () => {
    const reading = syntheticReading({ to: 400, reorder: 2, soundLate: 30_000 });
    const whole = listed(cut([reading]).segments);
    const property = fc.property(fc.integer({ min: 1, max: 300 }), (size) => {
      expect(listed(cut(inPieces(reading, size)).segments)).toEqual(whole);
    });
    fc.assert(property, { numRuns: 25 });
    expect(whole.length).toBeGreaterThan(5);
  });

  it('gives the same segments wherever it joins, whatever its base of time', () => {
    const all = byNumber(cut([syntheticReading({ to: 600 })]).segments);
    const join = fc.record({ from: fc.nat(300), base: fc.nat(2 ** 33 - 1), late: fc.nat(60_000) });
    const property = fc.property(join, ({ from, base, late }) => {
      const reading = syntheticReading({ from, to: 600, base, soundLate: late });
      const { segments } = cut([reading], { base });
      expect(segments.length).toBeGreaterThanOrEqual(3);
      for (const segment of listed(segments)) expect(segment).toEqual(all.get(segment.number));
    });
    fc.assert(property, { numRuns: 25 });
  });

  it('puts times that a millisecond container has rounded back on the grid', () => {
    const exact = cut([syntheticReading({ to: 400, sampleRate: 44_100 })], {
      run: aRun({ soundGrids: [{ anchor: epoch, period: (1_024 * 90_000) / 44_100 }] }),
    });
    const reading = syntheticReading({ to: 400, sampleRate: 44_100 });
    const rounded = {
      ...reading,
      units: reading.units.map((unit) => {
        const pts = Math.round((unit.pts ?? 0) / 90) * 90;
        return unit.kind === 'video' ? { ...unit, pts, dts: pts } : { ...unit, pts };
      }),
    };
    const run = aRun({ soundGrids: [{ anchor: epoch, period: (1_024 * 90_000) / 44_100 }] });
    expect(listed(cut([rounded], { run }).segments)).toEqual(listed(exact.segments));
    expect(exact.segments.length).toBeGreaterThan(5);
  });
});

describe('a stretch without keyframes', () => {
  const sparse: SyntheticOptions = {
    to: 900,
    isKey: (picture) => picture % 25 === 0 && (picture < 150 || picture >= 440),
  };

  it('still has consecutive numbers, marked as not independent', () => {
    const { segments } = cut([syntheticReading(sparse)]);
    expectConsecutive(segments);
    const dependent = numbers(segments.filter((segment) => !segment.isIndependent));
    expect(dependent).toEqual([1_003, 1_004, 1_005, 1_006, 1_007, 1_008]);
    expect(segments.every((segment) => segment.bytes.length > 0)).toBe(true);
  });

  it('is the same for a member that joins before it and for one whose input comes in pieces', () => {
    const reading = syntheticReading({ ...sparse, reorder: 2 });
    const all = byNumber(cut([reading]).segments);
    const joined = cut(inPieces(syntheticReading({ ...sparse, reorder: 2, from: 60 }), 7)).segments;
    expect(joined.length).toBeGreaterThan(10);
    for (const segment of listed(joined)) expect(segment).toEqual(all.get(segment.number));
  });

  it('has windows in which nothing came as gaps, numbered too', () => {
    const isMissing = (picture: number) => picture >= 160 && picture < 330;
    const reading = syntheticReading({ to: 600, isMissing });
    const units = reading.units.filter(
      (unit) => unit.kind === 'video' || timeOf(unit) < 580_000 || timeOf(unit) > 1_190_000,
    );
    const { segments } = cut([{ ...reading, units }]);
    expectConsecutive(segments);
    const gaps = segments.filter((segment) => segment.bytes.length === 0);
    expect(numbers(gaps)).toEqual([1_004, 1_005]);
  });
});

describe('a packager whose times break', () => {
  const twice = ({ base }: { base: number }) => [
    syntheticReading({ to: 300 }),
    syntheticReading({ from: 300, to: 400, base }),
  ];

  it('is cut no further when they go back by a tick or more', () => {
    expect(cut(twice({ base: -3_600 })).state).toBe('cutting');
    expect(cut(twice({ base: -3_601 })).state).toBe('jumped');
  });

  it('is cut no further when they go on by more than 10 s, and as far as it got', () => {
    const step = 10 * second - 3_600;
    expect(cut(twice({ base: step })).state).toBe('cutting');
    const { segments, state } = cut(twice({ base: step + 1 }));
    expect(state).toBe('jumped');
    expect(numbers(segments)).toEqual([1_001, 1_002, 1_003, 1_004]);
  });

  it('is cut on over the wrap of its time stamps', () => {
    const base = 2 ** 33 - 4 * second;
    const { segments } = cut([syntheticReading({ to: 500, base })], { base });
    expect(listed(segments)).toEqual(listed(cut([syntheticReading({ to: 500 })]).segments));
  });

  it('is not cut when its tracks are not those of the run', () => {
    const silent = syntheticReading({ to: 300, sampleRate: 'none' });
    expect(cut([silent])).toMatchObject({ state: 'differs', segments: [] });
  });
});

describe('sound', () => {
  it('that comes late in the bytes is waited for', () => {
    const whole = byNumber(cut([syntheticReading({ to: 600 })]).segments);
    for (const soundLate of [1_000, 63_000, 1.6 * second]) {
      const { segments } = cut(inPieces(syntheticReading({ to: 600, soundLate }), 10));
      expect(segments.length).toBeGreaterThan(7);
      for (const segment of listed(segments)) {
        expect(segment).toEqual(whole.get(segment.number));
      }
    }
  });

  it('that stops is given up after 1.7 s', () => {
    const soundlessUntil = (to: number) => {
      const reading = syntheticReading({ to });
      const units = reading.units.filter((unit) => unit.kind === 'video' || timeOf(unit) < 500_000);
      const { segments } = cut(inPieces({ ...reading, units }, 10));
      expectConsecutive(segments);
      return segments.length;
    };
    // The segment that ends at 540000 waits until 693000; pictures lie at 691200 and 694800.
    expect(soundlessUntil(194) - soundlessUntil(193)).toBe(1);
    expect(soundlessUntil(600)).toBeGreaterThanOrEqual(9);
  });

  it('that has a gap goes on where it is, on a grid moved for all members alike', () => {
    const shift = (from: number, by: number): Reading => {
      const reading = syntheticReading({ from, to: 600 });
      const units = reading.units.map((unit) =>
        unit.kind === 'audio' && unit.pts > 700_000 ? { ...unit, pts: unit.pts + 777 + by } : unit,
      );
      return { ...reading, units };
    };
    const whole = byNumber(cut([shift(0, 0)]).segments);
    for (const segment of listed(cut([shift(60, 1)]).segments)) {
      expect(segment).toEqual(whole.get(segment.number));
    }
  });

  it('that has a gap is the same for a member that joins behind it with the grids of another', () => {
    const moved = (from: number): Reading => {
      const reading = syntheticReading({ from, to: 600 });
      const units = reading.units.map((unit) =>
        unit.kind === 'audio' && unit.pts > 300_000 ? { ...unit, pts: unit.pts + 860 } : unit,
      );
      return { ...reading, units };
    };
    const first = cut([moved(0)]);
    const run = withGrids(aRun(), first.cutter.grids());
    expect(run.soundGrids[0]?.anchor).toBe(epoch + 900);
    const joined = listed(cut([moved(200)], { run }).segments);
    const whole = byNumber(first.segments);
    expect(joined.length).toBeGreaterThan(3);
    for (const segment of joined) expect(segment).toEqual(whole.get(segment.number));
  });

  it('alone is cut exactly at its windows', () => {
    const reading = syntheticReading({ to: 600 });
    const units = reading.units.filter((unit) => unit.kind === 'audio');
    const run = aRun({ layout: { audio: [{ format: 'aac' }], others: [] } });
    const { segments } = cut([{ ...reading, tracks: [audioTrack], units }], { run });
    expectConsecutive(segments);
    expect(segments[0]).toMatchObject({ number: 1_001, startTicks: epoch + 1.5 * second });
    const read = createTsReader().read(segments[0]?.bytes ?? new Uint8Array(0), 'segment');
    expect(read.units.length).toBe(94);
    expect(read.units.every((unit) => unit.kind === 'audio')).toBe(true);
  });
});

describe('what is carried', () => {
  const cues: Track = {
    kind: 'other',
    id: 500,
    encrypted: false,
    streamType: 0x86,
    descriptors: new Uint8Array(0),
  };
  const id3: Track = { ...cues, id: 502, streamType: 0x15 };
  const splice = Uint8Array.from([
    ...[0xfc, 0x30, 0x11, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xff, 0xff],
    ...[0xf0, 0x00, 0x00, 0x00, 0x7a, 0x4f, 0xbf, 0xff],
  ]);
  const run = aRun({
    layout: {
      video: 'h264',
      audio: [{ format: 'aac' }],
      others: [
        { streamType: 0x86, descriptors: '' },
        { streamType: 0x15, descriptors: '' },
      ],
    },
  });

  it('keeps its place: cues behind their picture, timed metadata at its time', () => {
    const others: OtherUnit[] = [
      {
        kind: 'other',
        track: 500,
        at: 100 * 3_600 + 1,
        damaged: false,
        form: 'section',
        bytes: splice,
      },
      {
        ...{ kind: 'other', track: 502, at: 130 * 3_600, damaged: false, form: 'pes' },
        ...{ pts: 160 * 3_600, streamId: 0xbd, bytes: Uint8Array.of(0x49, 0x44, 0x33) },
      },
    ];
    const reading = syntheticReading({ to: 400, others }, [cues, id3]);
    const { segments } = cut([reading], { run });
    const found = segments.flatMap(({ number, bytes }) => {
      const { units } = createTsReader().read(bytes, 'segment');
      const behind = (index: number) =>
        units.slice(0, index).findLast((unit) => unit.kind === 'video')?.pts;
      return units.flatMap((unit, index) =>
        unit.kind === 'other'
          ? [{ number, form: unit.form, pts: unit.pts, behind: behind(index) }]
          : [],
      );
    });
    const at = (picture: number) => wrapTicks(epoch + picture * 3_600);
    expect(found).toMatchObject([
      { number: 1_002, form: 'section', pts: undefined, behind: at(100) },
      { number: 1_003, form: 'pes', pts: at(160) },
    ]);
  });

  it('has the times inside of cues moved with everything else', () => {
    const others: OtherUnit[] = [
      { kind: 'other', track: 500, at: 360_001, damaged: false, form: 'section', bytes: splice },
    ];
    const bytesFor = (base: number) => {
      const placed = others.map((unit) => ({ ...unit, at: unit.at + base }));
      const reading = syntheticReading({ to: 300, base, others: placed }, [cues, id3]);
      return cut([reading], { run, base }).segments;
    };
    // The section of the second member says the same moment in its own time.
    const own = bytesFor(0).find(({ number }) => number === 1_002);
    const unit = createTsReader()
      .read(own?.bytes ?? new Uint8Array(0), 'segment')
      .units.find((candidate) => candidate.kind === 'other');
    const adjustment = unit?.bytes.slice(4, 9) ?? new Uint8Array(5);
    const value = (adjustment[0] ?? 0) * 2 ** 32 + new DataView(adjustment.buffer).getUint32(1);
    expect(value).toBe(wrapTicks(epoch));
  });
});

describe('damage', () => {
  it('is counted in the segment that has it', () => {
    const isDamaged = (picture: number) => picture === 120 || picture === 121;
    const { segments } = cut([syntheticReading({ to: 400, isDamaged })]);
    const damaged = segments.filter((segment) => segment.damagedUnits > 0);
    expect(damaged.map(({ number, damagedUnits }) => [number, damagedUnits])).toEqual([[1_002, 2]]);
  });

  it('of one member does not change the numbers of what follows', () => {
    const whole = byNumber(cut([syntheticReading({ to: 600 })]).segments);
    const isMissing = (picture: number) => picture % 97 === 50;
    const { segments } = cut([syntheticReading({ to: 600, isMissing })]);
    expect(numbers(segments)).toEqual([...whole.keys()]);
    const other = listed(segments).filter((s) => s.bytes !== whole.get(s.number)?.bytes);
    expect(other.length).toBe(6);
  });
});
