import { describe, expect, it } from 'vitest';
import { withAdtsHeader } from '../../../src/core/media/adts.ts';
import { concatBytes } from '../../../src/core/media/bytes.ts';
import { createTsReader } from '../../../src/core/media/ts-reader.ts';
import type { AudioFrame, Reading, VideoUnit } from '../../../src/core/media/units.ts';
import {
  nullPacket,
  packet,
  pes,
  pesPackets,
  picture,
  section,
  sectionPackets,
  tables,
} from '../../support/ts-builder.ts';

const video = 0x100;
const audio = 0x101;
const cues = 0x102;
const programme = tables([
  { type: 0x1b, pid: video },
  { type: 0x0f, pid: audio },
  { type: 0x86, pid: cues },
]);

const read = (...packets: readonly Uint8Array[]) =>
  createTsReader().read(concatBytes([...programme, ...packets]), 'segment');

const pictures = (reading: Reading): VideoUnit[] =>
  reading.units.filter((unit) => unit.kind === 'video');
const frames = (reading: Reading): AudioFrame[] =>
  reading.units.filter((unit) => unit.kind === 'audio');

const aac = { coreType: 2, rateIndex: 3, channels: 2 };
const frame = (fill: number, size = 100) => withAdtsHeader(aac, new Uint8Array(size).fill(fill));
const sliceBytes = (unit: VideoUnit | undefined) => unit?.parts.at(-1)?.length;

describe('pictures in MPEG-TS', () => {
  const one = pes(0xe0, picture(true, 500), { pts: 9_000, dts: 5_400, bounded: false });
  const two = pes(0xe0, picture(false, 300), { pts: 12_600, dts: 9_000, bounded: false });

  it('end with the next one or with the segment when they have no length', () => {
    const reading = read(...pesPackets(video, one), ...pesPackets(video, two, { counter: 3 }));
    expect(pictures(reading).map((u) => [u.pts, u.dts, sliceBytes(u)])).toEqual([
      [9_000, 5_400, 501],
      [12_600, 9_000, 301],
    ]);
    expect(reading.faults).toBe(0);
  });

  it('are put together when other packets lie between theirs', () => {
    const [first = nullPacket, ...rest] = pesPackets(video, one);
    const sound = pesPackets(audio, pes(0xc0, frame(1), { pts: 90 }));
    const empty = packet({ pid: video, payload: new Uint8Array(0), counter: 0 });
    const clock = packet({
      pid: 0x1ff,
      payload: new Uint8Array(0),
      field: [0x10, 1, 2, 3, 4, 5, 6],
    });
    const reading = read(first, nullPacket, ...sound, empty, clock, ...rest);
    expect(reading.faults).toBe(0);
    expect(sliceBytes(pictures(reading)[0])).toBe(501);
    expect(reading.units.map((unit) => unit.kind)).toEqual(['video', 'audio']);
  });

  it('are read when their header goes over a packet border', () => {
    const reading = read(...pesPackets(video, one, { size: 11 }));
    expect(pictures(reading)).toMatchObject([{ pts: 9_000, dts: 5_400, isKey: true }]);
  });

  it('are cut to their length when they have one, padding left out', () => {
    const bounded = pes(0xe0, picture(true, 100), { pts: 90 });
    const padded = concatBytes([bounded, new Uint8Array(20).fill(0x55)]);
    expect(sliceBytes(pictures(read(...pesPackets(video, padded)))[0])).toBe(101);
  });

  it('with a length go on in the next segment, without one they do not', () => {
    for (const [bounded, expected] of [
      [true, 501],
      [false, 103],
    ] as const) {
      const whole = pes(0xe0, picture(true, 500), { pts: 90, bounded });
      const packets = pesPackets(video, whole, { size: 127 });
      const reader = createTsReader();
      const units = [packets.slice(0, 1), packets.slice(1)].flatMap((part) => [
        ...reader.read(concatBytes([...programme, ...part]), 'segment').units,
      ]);
      expect(units.flatMap((u) => (u.kind === 'video' ? sliceBytes(u) : []))).toEqual([expected]);
    }
  });

  it('without a time belong to the one before', () => {
    const rest = pes(0xe0, new Uint8Array(50).fill(9), { bounded: false });
    const field = pes(0xe0, picture(false, 80), { bounded: false });
    const reading = read(
      ...pesPackets(video, one),
      ...pesPackets(video, rest, { counter: 3 }),
      ...pesPackets(video, field, { counter: 4 }),
    );
    expect(pictures(reading).map((u) => u.parts.map((part) => part.length))).toEqual([
      [2, 551, 2, 81],
    ]);
  });

  it('are key pictures by their content, or by the container where the slice agrees', () => {
    const marked = [0x40];
    const slice = (type: number) => Uint8Array.of(0, 0, 1, 0x41, type, 5, 5);
    const isKey = (body: Uint8Array, field: number[]) =>
      pictures(read(...pesPackets(video, pes(0xe0, body, { pts: 90 }), { field })))[0]?.isKey;
    // Slice header: first_mb_in_slice 0 (1), slice_type 7 (0001000) I, or 5 (00110) P.
    expect(isKey(slice(0b1000_1000), marked)).toBe(true);
    expect(isKey(slice(0b1000_1000), [0])).toBe(false);
    expect(isKey(slice(0b1001_1000), marked)).toBe(false);
    expect(isKey(picture(true, 20), [0])).toBe(true);
    const recovery = Uint8Array.of(0, 0, 1, 0x06, 6, 1, 0x84, 0x80);
    expect(isKey(concatBytes([recovery, slice(0b1000_1000)]), [0])).toBe(true);
    const other = Uint8Array.of(0, 0, 1, 0x06, 5, 1, 6, 0x80);
    expect(isKey(concatBytes([other, slice(0b1000_1000)]), [0])).toBe(false);
  });
});

describe('lost and broken packets', () => {
  const body = pes(0xe0, picture(true, 800), { pts: 9_000 });
  const next = pes(0xe0, picture(false, 100), { pts: 12_600 });
  const all = [...pesPackets(video, body), ...pesPackets(video, next, { counter: 5 })];

  it('damage the picture they belong to, and only that', () => {
    const without = all.filter((_, index) => index !== 2);
    const reading = read(...without);
    expect(pictures(reading).map((u) => u.damaged)).toEqual([true, false]);
    expect(reading.faults).toBeGreaterThan(0);
  });

  it('that are sent twice change nothing', () => {
    const twice = all.flatMap((each) => [each, each]);
    const reading = read(...twice);
    expect(reading.faults).toBe(0);
    expect(pictures(reading)).toMatchObject(pictures(read(...all)).map(({ parts }) => ({ parts })));
  });

  it('are told when a whole picture is gone', () => {
    const reading = read(...all.slice(0, 5), ...pesPackets(video, next, { counter: 9 }));
    expect(pictures(reading).map((u) => u.damaged)).toEqual([false, true]);
  });

  it('may be announced: a discontinuity indicator allows a jump', () => {
    const jumped = pesPackets(video, next, { counter: 12, field: [0x80] });
    const reading = read(...all.slice(0, 5), ...jumped);
    expect(reading.faults).toBe(0);
  });

  it('are faults when they are marked so or scrambled', () => {
    const payload = new Uint8Array(184);
    const error = packet({ pid: video, payload, flags: { error: true } });
    const scrambled = packet({ pid: video, payload, flags: { scrambled: true } });
    expect(read(error).faults).toBe(1);
    expect(read(scrambled).faults).toBe(1);
  });

  it('are passed over: reading goes on behind bytes that are no packets', () => {
    const garbage = new Uint8Array(333).fill(0x11);
    const reading = read(...all.slice(0, 5), garbage, ...all.slice(5));
    expect(reading.faults).toBe(1);
    expect(pictures(reading).length).toBe(2);
  });
});

describe('sound in MPEG-TS', () => {
  const step = (1_024 * 90_000) / 48_000;

  it('is cut into frames, each a frame duration later', () => {
    const body = concatBytes([frame(1), frame(2), frame(3)]);
    const reading = read(...pesPackets(audio, pes(0xc0, body, { pts: 900 })));
    expect(frames(reading).map((f) => f.pts)).toEqual([900, 900 + step, 900 + 2 * step]);
    expect(frames(reading).map((f) => f.bytes[50])).toEqual([1, 2, 3]);
  });

  it('may go on in the next PES packet, whose time belongs to the first frame beginning in it', () => {
    const all = concatBytes([frame(1), frame(2), frame(3)]);
    const packets = [
      ...pesPackets(audio, pes(0xc0, all.subarray(0, 150), { pts: 900 })),
      ...pesPackets(audio, pes(0xc0, all.subarray(150), { pts: 5_000 }), { counter: 1 }),
    ];
    expect(frames(read(...packets)).map((f) => f.pts)).toEqual([900, 900 + step, 5_000]);
  });

  it('may begin in one segment and end in the next', () => {
    const all = concatBytes([frame(1), frame(2)]);
    const packets = pesPackets(audio, pes(0xc0, all, { pts: 900 }), { size: 100 });
    const reader = createTsReader();
    const first = reader.read(concatBytes([...programme, ...packets.slice(0, 1)]), 'segment');
    const second = reader.read(concatBytes([...programme, ...packets.slice(1)]), 'segment');
    expect([frames(first).length, frames(second).length]).toEqual([0, 2]);
  });

  it('finds the next frame behind broken bytes, and says that it is damaged', () => {
    const body = concatBytes([frame(1), Uint8Array.of(1, 2, 3), frame(2), frame(3)]);
    const reading = read(...pesPackets(audio, pes(0xc0, body, { pts: 900 })));
    expect(frames(reading).map((f) => f.damaged)).toEqual([false, true, false]);
  });

  it('keeps dependent substreams of E-AC-3 with their frame', () => {
    const syncframe = (kind: number) => {
      const bytes = new Uint8Array(64);
      bytes.set([0x0b, 0x77, (kind << 6) | 0, 31, 0x30, 16 << 3]);
      return bytes;
    };
    const body = concatBytes([syncframe(0), syncframe(1), syncframe(0)]);
    const packets = pesPackets(audio, pes(0xbd, body, { pts: 900 }));
    const programme_ = tables([{ type: 0x87, pid: audio }]);
    const reading = createTsReader().read(concatBytes([...programme_, ...packets]), 'segment');
    expect(frames(reading).map((f) => [f.bytes.length, f.samples])).toEqual([
      [128, 1_536],
      [64, 1_536],
    ]);
  });
});

describe('tables and what is carried', () => {
  it('reads a PMT that goes over several packets, and languages in it', () => {
    const long = Array.from({ length: 40 }, (_, i) => ({
      type: 0x06,
      pid: 0x200 + i,
      descriptors: [0x52, 1, i],
    }));
    const english = { type: 0x0f, pid: audio, descriptors: [0x0a, 4, 0x65, 0x6e, 0x67, 0] };
    const bytes = concatBytes(tables([...long, english]));
    const { tracks } = createTsReader().read(bytes, 'segment');
    expect(tracks.length).toBe(41);
    expect(tracks.at(-1)).toMatchObject({ kind: 'audio', language: 'eng' });
  });

  it('does not believe a table whose CRC is wrong', () => {
    const bytes = concatBytes(programme);
    bytes[2 * 188 - 10] = 0x55;
    expect(createTsReader().read(bytes, 'segment').tracks).toEqual([]);
  });

  it('keeps sections whole, also over packets, and in their place', () => {
    const cue = section([0xfc, 0x30, 0, ...Array.from({ length: 300 }, () => 3)]);
    const one = pesPackets(video, pes(0xe0, picture(true, 100), { pts: 90, bounded: false }));
    const two = pesPackets(video, pes(0xe0, picture(true, 100), { pts: 99, bounded: false }), {
      counter: 1,
    });
    const reading = read(...one, ...sectionPackets(cues, cue), ...two);
    expect(reading.units.map((unit) => unit.kind)).toEqual(['video', 'other', 'video']);
    expect(reading.units[1]).toMatchObject({ form: 'section', bytes: cue });
  });

  it('takes new tracks over when the PMT changes', () => {
    const reader = createTsReader();
    reader.read(concatBytes(programme), 'segment');
    const hevc = concatBytes(tables([{ type: 0x24, pid: 0x300 }]));
    expect(reader.read(hevc, 'segment').tracks).toMatchObject([{ id: 0x300, format: 'hevc' }]);
  });

  it('says which tracks are encrypted', () => {
    const bytes = concatBytes(tables([{ type: 0xdb, pid: video }]));
    const { tracks } = createTsReader().read(bytes, 'segment');
    expect(tracks).toMatchObject([{ kind: 'other', encrypted: true }]);
  });
});
