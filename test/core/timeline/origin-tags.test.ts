import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { tagsOf } from '../../../src/core/timeline/origin-tags.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);
const startMs = Date.UTC(2026, 0, 15, 10);
const linesOf = (text: string) => tagsOf(bytesOf(text)).map(({ lines }) => lines);

/** Segments of 6 s from 10:00:00 on, each with the lines before it, and what stands behind the last. */
function aPlaylist(segments: readonly (readonly string[])[], behind: readonly string[] = []) {
  return [
    '#EXTM3U',
    '#EXT-X-TARGETDURATION:6',
    '#EXT-X-MEDIA-SEQUENCE:100',
    '#EXT-X-PROGRAM-DATE-TIME:2026-01-15T10:00:00Z',
    ...segments.flatMap((lines, i) => [...lines, '#EXTINF:6,', `${i}.ts`]),
    ...behind,
    '',
  ].join('\n');
}

describe('tags of an origin that the canonical playlist does not own', () => {
  it('are the lines before a segment: cues and everything unknown, whole and in order', () => {
    const text = `#EXTM3U
#EXT-X-VERSION:3
#EXT-X-TARGETDURATION:6
#EXT-X-MEDIA-SEQUENCE:100
#EXTINF:6.0,
100.ts
#EXT-OATCLS-SCTE35:/DAlAAAAAAAAAP/wFAUAAAABf+/+LRQrAP4BI9MIAAEBAQAAfxV6SQ==
  #EXT-X-ASSET:CAID=0x0000000020FB6501\r
#EXTINF:6.0,
#EXT-X-CUE-OUT:30.000
# a comment
#EXT-X-SPLICEPOINT-SCTE35:/DAlAAA=
101.ts
#EXT-X-CUE-OUT-CONT: 12/30
#EXTINF:6.0,
102.ts
#EXT-X-CUE-IN
#EXT-X-DISCONTINUITY
#EXTVENDOR
#EXTINF:6.0,
103.ts
`;
    expect(linesOf(text)).toEqual([
      [],
      [
        '#EXT-OATCLS-SCTE35:/DAlAAAAAAAAAP/wFAUAAAABf+/+LRQrAP4BI9MIAAEBAQAAfxV6SQ==',
        '#EXT-X-ASSET:CAID=0x0000000020FB6501',
        '#EXT-X-CUE-OUT:30.000',
        '#EXT-X-SPLICEPOINT-SCTE35:/DAlAAA=',
      ],
      ['#EXT-X-CUE-OUT-CONT: 12/30'],
      ['#EXT-X-CUE-IN', '#EXTVENDOR'],
    ]);
  });

  it.each([
    ...[
      'VERSION:7',
      'ALLOW-CACHE:NO',
      'INDEPENDENT-SEGMENTS',
      'PLAYLIST-TYPE:EVENT',
      'BITRATE:900',
    ],
    ...['DISCONTINUITY-SEQUENCE:3', 'START:TIME-OFFSET=0', 'KEY:METHOD=NONE', 'MAP:URI="i.mp4"'],
    ...['BYTERANGE:5@0', 'GAP', 'PART-INF:PART-TARGET=1', 'PART:DURATION=1,URI="p.ts"', 'ENDLIST'],
    ...['SERVER-CONTROL:HOLD-BACK=18', 'PRELOAD-HINT:TYPE=PART,URI="p"', 'PREFETCH:next.ts'],
    ...['RENDITION-REPORT:URI="b.m3u8"', 'DEFINE:NAME="a",VALUE="b"', 'I-FRAMES-ONLY'],
    ...['PROGRAM-DATE-TIME:2026-01-15T10:00:00Z', 'DISCONTINUITY', 'SKIP:SKIPPED-SEGMENTS=0'],
  ])('do not include #EXT-X-%s', (tag) => {
    expect(
      linesOf(aPlaylist([[`#EXT-X-${tag}`, `#EXT-X-${tag.split(':')[0]}-OF-A-VENDOR`]])),
    ).toEqual([[`#EXT-X-${tag.split(':')[0]}-OF-A-VENDOR`]]);
  });

  it('are told with number, length and date, counted on from the last one given in the same stretch', () => {
    const text = aPlaylist([[], ['#EXT-X-SKIP:SKIPPED-SEGMENTS=7'], ['#EXT-X-DISCONTINUITY'], []]);
    expect(tagsOf(bytesOf(text))).toMatchObject([
      { programDateTimeMs: startMs, durationMs: 6000 },
      { programDateTimeMs: startMs + 6000, mediaSequence: 108 },
      { mediaSequence: 109 },
      { mediaSequence: 110 },
    ]);
    expect(tagsOf(bytesOf(text))[2]).not.toHaveProperty('programDateTimeMs');
  });

  it('have their variables resolved, and are left out where only the player knows one', () => {
    const text = aPlaylist([
      [
        '#EXT-X-DEFINE:NAME="id",VALUE="7"',
        '#EXT-X-DEFINE:IMPORT="theirs"',
        '#EXT-X-ASSET:CAID="{$id}"',
        '#EXT-X-ASSET:CAID="{$theirs}"',
      ],
    ]);
    expect(linesOf(text)).toEqual([['#EXT-X-ASSET:CAID="7"']]);
  });

  it('keep letters of any alphabet, and are left out where they are not UTF-8', () => {
    const text = aPlaylist([['#EXT-X-TITLE:Ünïcode é', '#EXT-X-TITLE:\u0007']]);
    const bytes = bytesOf(text).map((byte) => (byte === 7 ? 0xff : byte));
    expect(tagsOf(bytes)[0]?.lines).toEqual(['#EXT-X-TITLE:Ünïcode é']);
  });

  it('are bounded in length and number', () => {
    const long = (length: number) => `#EXT-X-L:${'x'.repeat(length - 9)}`;
    const lengths = [16_383, 16_384, 16_385].map(long);
    expect(linesOf(aPlaylist([lengths]))).toEqual([lengths.slice(0, 2)]);
    const many = Array.from({ length: 101 }, (_, i) => `#EXT-X-N:${i}`);
    expect(linesOf(aPlaylist([many, ['#EXT-X-N:last']]))).toEqual([
      many.slice(0, 100),
      ['#EXT-X-N:last'],
    ]);
    const ranges = Array.from({ length: 501 }, (_, i) => `#EXT-X-DATERANGE:ID="${i}"`);
    const spread = Array.from({ length: 6 }, (_, i) => ranges.slice(i * 90, i * 90 + 90));
    expect(linesOf(aPlaylist(spread)).flat()).toEqual(ranges.slice(0, 500));
  });

  it('are none of a body that is no media playlist', () => {
    expect(tagsOf(bytesOf('<html>'))).toEqual([]);
    expect(tagsOf(bytesOf('#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\na.m3u8\n'))).toEqual([]);
  });
});

describe('a daterange', () => {
  const range = (time: string, more = '', id = 'a') =>
    `#EXT-X-DATERANGE:ID="${id}",START-DATE="2026-01-15T10:00:${time}Z"${more}`;

  it.each([
    ['05.994', 0],
    // Packagers write a millisecond more or less than they mean.
    ['05.995', 1],
    ['06.000', 1],
    ['11.994', 1],
    ['11.995', 2],
  ])('that starts at %s s belongs to segment %i wherever it stands', (time, index) => {
    const line = range(time);
    const expected = [0, 1, 2].map((i) => (i === index ? [line] : []));
    expect(linesOf(aPlaylist([[line], [], []]))).toEqual(expected);
    expect(linesOf(aPlaylist([[], [], [line]]))).toEqual(expected);
    expect(linesOf(aPlaylist([[], [], []], [line]))).toEqual(expected);
  });

  it('stays among the lines of its segment where it stands', () => {
    const lines = ['#EXT-X-A', range('06.000'), '#EXT-X-B'];
    expect(linesOf(aPlaylist([[], lines, []]))).toEqual([[], lines, []]);
  });

  it('stays where it stands when its date is outside of the window, unreadable or absent', () => {
    const strays = [
      range('18.000'),
      '#EXT-X-DATERANGE:ID="b",START-DATE="soon"',
      '#EXT-X-DATERANGE',
    ];
    expect(linesOf(aPlaylist([[], strays, []]))).toEqual([[], strays, []]);
    const undated = aPlaylist([[range('06.000')], []]).replace(/#EXT-X-PROGRAM.*\n/, '');
    expect(linesOf(undated)).toEqual([[range('06.000')], []]);
  });

  it('behind the last segment waits if it dates something to come, else belongs to the last', () => {
    const past = '#EXT-X-DATERANGE:ID="p",START-DATE="2026-01-15T09:00:00Z"';
    expect(linesOf(aPlaylist([[], []], [range('12.000'), past, '#EXT-X-CUE-OUT']))).toEqual([
      [],
      [past],
    ]);
  });

  it('that comes again with one ID belongs to the segment where it ends, or stands', () => {
    const out = range('00.000', ',SCTE35-OUT=0xFC');
    const end = range('00.000', ',END-DATE="2026-01-15T10:00:06Z",SCTE35-IN=0xFC');
    const more = range('00.000', ',X-MORE=1');
    expect(linesOf(aPlaylist([[out], [], [end, more]]))).toEqual([[out], [end], [more]]);
  });
});

const corpus = new URL('../../../../shared/corpus/hls/', import.meta.url);
const names = existsSync(corpus)
  ? readdirSync(corpus, { recursive: true, encoding: 'utf8' }).filter((n) => n.endsWith('.m3u8'))
  : [];

describe.skipIf(names.length === 0)(
  'playlists of real packagers (needs ../shared/corpus/hls)',
  () => {
    it('give every cue in front of a segment, and nothing that describes the bytes of the origin', () => {
      let cues = 0;
      for (const name of names) {
        const bytes = new Uint8Array(readFileSync(new URL(name, corpus)));
        const carried = tagsOf(bytes).flatMap(({ lines }) => lines);
        expect(carried.join('\n')).not.toMatch(
          /^#EXT(?:INF|M3U|-X-(?:KEY|MAP|BYTERANGE|PART|GAP))\b/m,
        );
        cues += carried.filter((line) => /CUE|SCTE35|DATERANGE/.test(line)).length;
      }
      expect(cues).toBeGreaterThan(70);
    });
  },
);
