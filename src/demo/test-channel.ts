import { readdirSync, readFileSync } from 'node:fs';
import type { UnixMs } from '../core/time.ts';
import { readShape, shiftSegment, ticksPerSecond } from './transport-stream.ts';

/** Every segment of the clip lasts this long. */
const segmentMs = 2000;
/** Segments listed at once. */
const windowSegments = 8;
/** Segments that can still be fetched, listed or not: 60 s, for players that lag behind. */
const keptSegments = 30;

/**
 * A live channel without an encoder: a clip of whole segments, looped for ever. What is on air is a
 * function of the wall clock alone, so that any number of origins on machines with equal clocks
 * publish the same playlist and the same bytes, and go on with the same numbers after a restart.
 */
export type TestChannel = {
  /** The one-variant multivariant playlist. */
  multivariantPlaylist(): string;
  /** The live window at `wallMs`: segment n is listed once its 2 s, n * 2 s to (n + 1) * 2 s, are over. */
  mediaPlaylist(wallMs: UnixMs): string;
  /** Segment `number`; undefined before it is listed and 60 s after. */
  segment(number: number, wallMs: UnixMs): Uint8Array | undefined;
};

/** Loops `clip`, its segments in order. Video, audio and continuity counters run on over the seam. */
export function createTestChannel(clip: readonly Uint8Array[]): TestChannel {
  const segments = clip.map((bytes) => ({ bytes, shape: readShape(bytes) }));

  /** Packets of `pid` in all segments before segment `number`, counted from the Unix epoch. */
  function packetsBefore(pid: number, number: number): number {
    const perLoop = segments.map(({ shape }) => shape.packets.get(pid) ?? 0);
    const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
    const loops = Math.floor(number / segments.length);
    return loops * sum(perLoop) + sum(perLoop.slice(0, number % segments.length));
  }

  function render(number: number): Uint8Array | undefined {
    const source = segments[number % segments.length];
    if (source === undefined) return undefined;
    const startTicks = (number * segmentMs * ticksPerSecond) / 1000;
    const pids = [...source.shape.packets.keys()];
    return shiftSegment(source.bytes, source.shape, {
      ticks: startTicks - source.shape.firstVideoTicks,
      firstCounter: new Map(pids.map((pid) => [pid, packetsBefore(pid, number) % 16])),
    });
  }

  return {
    multivariantPlaylist: () =>
      [
        '#EXTM3U',
        '#EXT-X-VERSION:6',
        '#EXT-X-INDEPENDENT-SEGMENTS',
        '#EXT-X-STREAM-INF:BANDWIDTH=300000,AVERAGE-BANDWIDTH=260000,RESOLUTION=640x360,FRAME-RATE=25.000,CODECS="avc1.42c01f,mp4a.40.2"',
        'video.m3u8',
        '',
      ].join('\n'),
    mediaPlaylist: (wallMs) => renderMediaPlaylist(newestSegment(wallMs)),
    segment(number, wallMs) {
      const age = newestSegment(wallMs) - number;
      return age >= 0 && age < keptSegments ? render(number) : undefined;
    },
  };
}

/** The clip that comes with the agent. */
export function loadClip(): readonly Uint8Array[] {
  const folder = new URL('./clip/', import.meta.url);
  const names = readdirSync(folder).filter((name) => name.endsWith('.mpegts'));
  return names.sort().map((name) => readFileSync(new URL(name, folder)));
}

function newestSegment(wallMs: UnixMs): number {
  return Math.floor(wallMs / segmentMs) - 1;
}

function renderMediaPlaylist(newest: number): string {
  const first = newest - windowSegments + 1;
  const lines = [
    '#EXTM3U',
    '#EXT-X-VERSION:6',
    `#EXT-X-TARGETDURATION:${segmentMs / 1000}`,
    `#EXT-X-MEDIA-SEQUENCE:${first}`,
    '#EXT-X-INDEPENDENT-SEGMENTS',
  ];
  for (let number = first; number <= newest; number++) {
    lines.push(
      `#EXT-X-PROGRAM-DATE-TIME:${new Date(number * segmentMs).toISOString()}`,
      `#EXTINF:${(segmentMs / 1000).toFixed(3)},`,
      `${number}.ts`,
    );
  }
  return `${lines.join('\n')}\n`;
}
