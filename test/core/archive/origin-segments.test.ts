import { describe, expect, it } from 'vitest';
import { originSegments, readOriginName } from '../../../src/core/archive/origin-segments.ts';
import { readMediaPlaylist } from '../../../src/core/playlist/media-playlist.ts';

const startMs = Date.UTC(2026, 10, 15, 12);
const range = { startMs: startMs + 60_000, endMs: startMs + 120_000 };
const recording = { startMs, endMs: startMs + 3_600_000 };

function read(lines: string, path = '~archive/~origin/tv/high/archive.m3u8') {
  const text = `#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-MEDIA-SEQUENCE:7\n${lines}#EXT-X-ENDLIST\n`;
  const playlist = readMediaPlaylist(new TextEncoder().encode(text));
  return playlist && originSegments(playlist, { path, range, recording, server: 's' });
}

describe("the segments of a media server's own archive", () => {
  it('are named after their paths, and found by their names', () => {
    const [segment] = read("#EXTINF:6,\n../../../../tv/a%20~b/(1)'!.ts\n") ?? [];
    expect(segment?.name).toMatch(/^[\w.~-]+$/);
    expect(readOriginName(segment?.name ?? '')).toBe("tv/a%20~b/(1)'!.ts");
  });

  it('are of the time that dates say, or that was asked for where there are none that can be right', () => {
    const starts = (date?: number) => {
      const line = date && `#EXT-X-PROGRAM-DATE-TIME:${new Date(date).toISOString()}\n`;
      return read(`${line ?? ''}#EXTINF:6,\na.ts\n#EXTINF:4,\nb.ts\n`)?.map((one) => one.startMs);
    };
    const counted = [range.startMs, range.startMs + 6_000];
    expect(starts()).toEqual(counted);
    expect(starts(range.startMs - 2_000)).toEqual(counted.map((ms) => ms - 2_000));
    expect(starts(range.startMs + 600_000)).toEqual(counted.map((ms) => ms + 600_000));
    expect(starts(range.startMs + 600_001)).toEqual(counted);
  });

  it('go on but for discontinuities; gaps are none of them', () => {
    const segments = read(
      '#EXTINF:6,\na.ts\n#EXT-X-GAP\n#EXTINF:6,\nb.ts\n#EXT-X-DISCONTINUITY\n#EXTINF:6,\nc.ts\n',
    );
    expect(segments?.map(({ run }) => run)).toEqual([`s-${startMs}-0`, `s-${startMs}-1`]);
    const numbers = segments?.map(({ number }) => number) ?? [];
    expect(numbers[1]).toBeGreaterThan(numbers[0] ?? 0);
  });

  it('have their initialisation segment', () => {
    const [segment] = read('#EXT-X-MAP:URI="../../../../tv/init.mp4"\n#EXTINF:6,\na.m4s\n') ?? [];
    expect(readOriginName(segment?.map ?? '')).toBe('tv/init.mp4');
  });

  it.each([
    ['encrypted', '#EXT-X-KEY:METHOD=AES-128,URI="k"\n#EXTINF:6,\na.ts\n'],
    ['parts of files', '#EXT-X-BYTERANGE:9@0\n#EXTINF:6,\na.ts\n'],
    ['good for a session', '#EXTINF:6,\na.ts?session=1\n'],
    ['on another host', '#EXTINF:6,\nhttp://other/a.ts\n'],
    ['what may be a playlist', '#EXTINF:6,\na.m3u8\n'],
    ['of names that are too long', `#EXTINF:6,\n${'a'.repeat(200)}.ts\n`],
  ])('cannot stand in a playlist of many when they are %s', (_, lines) => {
    expect(read(lines)).toBeUndefined();
  });

  it.each(['a.ts', 'origin.a.m3u8', 'origin.a.MPD', 'origin.~', 'origin.~E0.ts', 'origin.', ''])(
    'are not named "%s"',
    (name) => expect(readOriginName(name)).toBeUndefined(),
  );
});
