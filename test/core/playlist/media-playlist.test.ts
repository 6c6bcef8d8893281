import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type MediaPlaylist,
  readMediaPlaylist,
} from '../../../src/core/playlist/media-playlist.ts';
import { aMediaPlaylist } from '../../support/playlist-arbitraries.ts';
import { bytesOf, fixture, rawBytesOf } from './playlist-texts.ts';

const head = '#EXTM3U\n#EXT-X-TARGETDURATION:4\n';

function read(text: string): MediaPlaylist {
  const playlist = readMediaPlaylist(bytesOf(text));
  if (playlist === undefined) throw new Error('not read as a media playlist');
  return playlist;
}

function firstSegment(lines: string) {
  return read(`${head}${lines}\n#EXTINF:4,\na.ts\n`).segments[0];
}

describe('a media playlist', () => {
  it('says its numbers, segments, gaps, discontinuities and times', () => {
    const playlist = read(fixture('live.m3u8'));
    expect(playlist).toMatchObject({
      targetDurationMs: 4000,
      mediaSequence: 1419,
      discontinuitySequence: 3,
      endList: false,
      encrypted: true,
      lowLatency: false,
      trailingParts: 0,
    });
    const at = Date.parse('2026-01-15T07:00:00.250Z');
    expect(playlist.segments).toMatchObject([
      { uri: 'seg-1419.ts', durationMs: 4000, gap: false, programDateTimeMs: at },
      { uri: 'seg-1420.ts', durationMs: 3960, programDateTimeMs: at + 4000 },
      { uri: 'seg-1421.ts', gap: true, discontinuity: false },
      { uri: 'seg-1422.ts', durationMs: 4000, gap: false, discontinuity: true },
    ]);
    expect(playlist.segments[2]?.programDateTimeMs).toBeUndefined();
  });

  it('of low latency says its parts', () => {
    expect(read(fixture('low-latency.m3u8'))).toMatchObject({
      lowLatency: true,
      partTargetMs: 500,
      trailingParts: 2,
      hasPreloadHint: true,
      canBlockReload: true,
      mapUri: 'init.mp4',
      segments: [{ uri: '90.mp4', mapUri: 'init.mp4' }, { uri: '91.mp4' }],
    });
  });

  it('reads the same with any line ends, a byte order mark and an open end', () => {
    const text = fixture('live.m3u8');
    const expected = read(text);
    expect(read(text.replaceAll('\n', '\r\n'))).toEqual(expected);
    expect(read(text.replaceAll('\n', '\r\r\n'))).toEqual(expected);
    expect(read(`\ufeff${text}`)).toEqual(expected);
    expect(read(text.trimEnd())).toEqual(expected);
  });

  it('has as many segments as EXTINF tags with a URI', () => {
    fc.assert(
      fc.property(aMediaPlaylist, ({ text, segments }) => {
        expect(read(text).segments).toHaveLength(segments);
      }),
    );
    expect(read(`${head}stray.ts\n#EXTINF:4,\n#EXTINF:4,\na.ts\nb.ts\n`).segments).toMatchObject([
      { uri: 'a.ts' },
    ]);
  });

  it('ends only by its own tag', () => {
    expect(read(`${head}#EXT-X-ENDLIST\n`).endList).toBe(true);
    expect(read(`${head}#EXT-X-ENDLIST-FOO\n#ext-x-endlist\n`).endList).toBe(false);
  });

  it('counts parts after the last whole segment only, and says what was skipped', () => {
    const part = '#EXT-X-PART:DURATION=1,URI="p"\n';
    const text = `${head}#EXT-X-SKIP:SKIPPED-SEGMENTS=7\n${part}${part}#EXTINF:4,\na.ts\n${part}`;
    expect(read(text)).toMatchObject({ skippedSegments: 7, trailingParts: 1, lowLatency: true });
    expect(read(`${head}#EXTINF:4,\na.ts\n`)).toMatchObject({
      trailingParts: 0,
      lowLatency: false,
    });
  });

  it('takes a byte range without offset to follow the one before in the same file', () => {
    const range = (value: string, uri: string) => `#EXTINF:4,\n#EXT-X-BYTERANGE:${value}\n${uri}\n`;
    const ranges = [
      ['100@50', 'a'],
      ['200', 'a'],
      ['30', 'b'],
      ['5@900', 'a'],
    ] as const;
    const text = head + ranges.map(([value, uri]) => range(value, uri)).join('');
    expect(read(text).segments.map((segment) => segment.byteRange)).toEqual([
      { length: 100, offset: 50 },
      { length: 200, offset: 150 },
      { length: 30, offset: 0 },
      { length: 5, offset: 900 },
    ]);
  });

  it('is encrypted by any method but NONE', () => {
    expect(read(`${head}#EXT-X-KEY:METHOD=NONE\n`).encrypted).toBe(false);
    expect(read(`${head}#EXT-X-KEY:METHOD=SAMPLE-AES,URI="k"\n`).encrypted).toBe(true);
    expect(read(`${head}#EXT-X-KEY:METHOD=AES-128\n#EXT-X-KEY:METHOD=NONE\n`).encrypted).toBe(true);
  });

  it('names files as a request for them would, and only where the player alone knows as written', () => {
    const text = `#EXTM3U\n#EXT-X-DEFINE:NAME="f",VALUE="v"\n#EXT-X-TARGETDURATION:4
#EXTINF:4,\n{$f}/а.ts\n#EXTINF:4,\n{$other}/b.ts\n`;
    expect(read(text).segments.map(({ uri }) => uri)).toEqual(['v/%D0%B0.ts', '{$other}/b.ts']);
  });

  it('keeps a negative media sequence, and numbers of any playable size', () => {
    const sequence = (value: string) =>
      read(`${head}#EXT-X-MEDIA-SEQUENCE:${value}\n`).mediaSequence;
    expect(sequence('-11')).toBe(-11);
    expect(sequence(' 5')).toBe(5);
    expect(sequence(`${Number.MAX_SAFE_INTEGER}`)).toBe(Number.MAX_SAFE_INTEGER);
  });

  it.each([
    ['no target duration', '#EXTM3U\n#EXTINF:4,\na.ts\n'],
    ['a target duration of zero', '#EXTM3U\n#EXT-X-TARGETDURATION:0\n#EXTINF:4,\na.ts\n'],
    ['a target duration that is no number', '#EXTM3U\n#EXT-X-TARGETDURATION:x\n#EXTINF:4,\na.ts\n'],
    ['a media sequence beyond counting', `${head}#EXT-X-MEDIA-SEQUENCE:9007199254740993\n`],
    ['variants', fixture('ladder.m3u8')],
    ['nothing', ''],
  ])('with %s is not read', (_, text) => {
    expect(readMediaPlaylist(bytesOf(text))).toBeUndefined();
  });

  it('need not be UTF-8', () => {
    const bytes = rawBytesOf(`${head}#EXTINF:4,caf\xe9\ncaf\xe9.ts\n`);
    expect(readMediaPlaylist(bytes)?.segments).toMatchObject([{ uri: 'caf%E9.ts' }]);
  });
});

describe('a program date and time', () => {
  const at = (text: string) => firstSegment(`#EXT-X-PROGRAM-DATE-TIME:${text}`)?.programDateTimeMs;

  it.each([
    '2026-01-15T10:00:00.250Z',
    '2026-01-15T10:00:00Z',
    '2024-02-29T23:59:59.999-08:00',
    '2000-12-31T00:00:00+05:30',
    '1969-12-31T23:59:59Z',
    '2100-03-01T00:00:00Z',
  ])('%s is what it says', (text) => {
    expect(at(text)).toBe(Date.parse(text));
  });

  it('is read with the zone as ffmpeg writes it, without zone as UTC, and cut to milliseconds', () => {
    expect(at('2026-01-15T10:00:00.123456+0300')).toBe(Date.parse('2026-01-15T07:00:00.123Z'));
    expect(at('2026-01-15T10:00:00.5')).toBe(Date.parse('2026-01-15T10:00:00.500Z'));
    expect(at('2026-01-15 10:00')).toBe(Date.parse('2026-01-15T10:00:00Z'));
  });

  it('is every instant of the calendar', () => {
    fc.assert(
      fc.property(
        fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(8e12) }),
        (date) => {
          expect(at(date.toISOString())).toBe(date.getTime());
        },
      ),
    );
  });

  it.each([
    '',
    'now',
    '2026-13-01T00:00:00Z',
    '2026-01-32T00:00:00Z',
    '2026-01-01T00:61:00Z',
    '15',
  ])('%j is none', (text) => {
    expect(at(text)).toBeUndefined();
  });
});
