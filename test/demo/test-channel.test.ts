import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createTestChannel, loadClip } from '../../src/demo/test-channel.ts';
import { isInstalled } from '../support/installed.ts';

const channel = createTestChannel(loadClip());
/** Segment 1000 is listed from here on. */
const wallMs = 1001 * 2000;
/** The 33-bit timestamps start over within segment 47 721: 2^33 / 180 000 = 47 721.86. */
const wrapNumber = 47_721;

describe('the live window of the test channel', () => {
  it('lists a segment when its two seconds are over, not a millisecond before', () => {
    expect(channel.mediaPlaylist(wallMs - 1)).not.toContain('\n1000.ts\n');
    expect(channel.mediaPlaylist(wallMs)).toContain('\n1000.ts\n');
    expect(channel.mediaPlaylist(wallMs + 1)).toContain('\n1000.ts\n');
  });

  it('numbers and dates its segments by the wall clock alone', () => {
    const playlist = channel.mediaPlaylist(wallMs);
    expect(playlist).toContain('#EXT-X-MEDIA-SEQUENCE:993\n');
    expect(playlist).toContain(
      '#EXT-X-PROGRAM-DATE-TIME:1970-01-01T00:33:20.000Z\n#EXTINF:2.000,\n1000.ts\n',
    );
    expect(createTestChannel(loadClip()).mediaPlaylist(wallMs + 1999)).toBe(playlist);
  });

  it('serves what it lists and a minute of what it listed, nothing else', () => {
    expect(channel.segment(1001, wallMs)).toBeUndefined();
    expect(channel.segment(1000, wallMs)).toBeDefined();
    expect(channel.segment(971, wallMs)).toBeDefined();
    expect(channel.segment(970, wallMs)).toBeUndefined();
  });
});

describe('the segments of the test channel', () => {
  it('carry continuity counters that run on over every seam', () => {
    const last = new Map<number, number>();
    for (const packet of packetsOf(segments(996, 12))) {
      const pid = (((packet[1] ?? 0) & 0x1f) << 8) | (packet[2] ?? 0);
      const hasPayload = ((packet[3] ?? 0) & 0x10) !== 0;
      const counter = (packet[3] ?? 0) & 0x0f;
      const before = last.get(pid);
      if (before !== undefined) {
        expect({ pid, counter }).toEqual({ pid, counter: (before + (hasPayload ? 1 : 0)) % 16 });
      }
      last.set(pid, counter);
    }
    expect([...last.keys()]).toEqual(expect.arrayContaining([0, 0x100, 0x101]));
  });

  it('differ from their source in clocks and counters only', () => {
    const [one, other] = [segments(1000, 1), segments(1004, 1)];
    expect(one.length).toBe(other.length);
    const differing = one.filter((byte, at) => byte !== other[at]).length;
    expect(differing).toBeGreaterThan(0);
    expect(differing).toBeLessThan(one.length / 20);
  });

  it('damaged clips are refused at start', () => {
    expect(() => createTestChannel([new Uint8Array(188)])).toThrow('sync byte');
    expect(() => createTestChannel([segments(1000, 1).subarray(0, 188)])).toThrow('no video');
    expect(() => createTestChannel([segments(1000, 1).subarray(0, 1000)])).toThrow('cut short');
  });

  it.skipIf(!isInstalled('ffprobe'))('play as one stream without a hole, ffprobe finds', () => {
    const packets = probe(segments(996, 9));
    const video = packets.filter(({ kind }) => kind === 'video').map(({ pts }) => pts);
    const audio = packets.filter(({ kind }) => kind === 'audio').map(({ pts }) => pts);
    expect(video).toHaveLength(9 * 50);
    expect(new Set(differences(video))).toEqual(new Set([3600]));
    // 9 segments of 93.75 audio frames each begin at a frame that is whole by then.
    expect(audio).toHaveLength(844);
    expect(new Set(differences(audio))).toEqual(new Set([1920]));
    expect(video[0]).toBe(996 * 180_000);
    expect(audio[0]).toBe(video[0]);
  });

  it.skipIf(!isInstalled('ffprobe'))('start over at 2^33 ticks, as MPEG-TS does', () => {
    const video = probe(segments(wrapNumber + 1, 1)).filter(({ kind }) => kind === 'video');
    expect(video[0]?.pts).toBe((wrapNumber + 1) * 180_000 - 2 ** 33);
  });
});

function segments(first: number, count: number): Uint8Array {
  const parts = Array.from({ length: count }, (_, index) => {
    const number = first + index;
    return channel.segment(number, (number + 1) * 2000) ?? new Uint8Array();
  });
  return Uint8Array.from(Buffer.concat(parts));
}

function* packetsOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 188) yield bytes.subarray(at, at + 188);
}

function differences(values: readonly number[]): number[] {
  return values.slice(1).map((value, index) => value - (values[index] ?? Number.NaN));
}

function probe(bytes: Uint8Array): { kind: string; pts: number }[] {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-probe-'));
  try {
    const path = join(folder, 'stream.ts');
    writeFileSync(path, bytes);
    const text = execFileSync(
      'ffprobe',
      ['-v', 'error', '-show_entries', 'packet=codec_type,pts', '-of', 'json', path],
      { encoding: 'utf8' },
    );
    const { packets } = JSON.parse(text) as { packets: { codec_type: string; pts: number }[] };
    return packets.map(({ codec_type, pts }) => ({ kind: codec_type, pts }));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
