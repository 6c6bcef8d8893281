import { describe, expect, it } from 'vitest';
import { renderPeriod } from '../../../src/core/archive/period-playlist.ts';
import { readSegmentList, writeSegmentList } from '../../../src/core/archive/segment-list.ts';
import {
  type ListedSegment,
  type Taken,
  takeSegments,
} from '../../../src/core/archive/take-segments.ts';

const startMs = Date.UTC(2026, 10, 15, 12);

/** Segments of 6 s, from number `first` on; `shiftMs` moves them off the grid. */
function block(
  first: number,
  count: number,
  facts: Partial<ListedSegment> & { shiftMs?: number } = {},
): readonly ListedSegment[] {
  const { shiftMs = 0, ...rest } = facts;
  return Array.from({ length: count }, (_, at) => ({
    name: `${first + at}.ts`,
    startMs: startMs + (first + at) * 6_000 + shiftMs,
    durationMs: 6_000,
    run: 'one',
    number: first + at,
    ...rest,
  }));
}

const stretch = (from: number, to: number, parts: Partial<Taken> = {}): Taken => ({
  startMs: startMs + from * 6_000,
  endMs: startMs + to * 6_000,
  blocks: [block(0, 20)],
  prefix: '',
  ...parts,
});

const render = (stretches: readonly Taken[], grows = false) =>
  renderPeriod(takeSegments(stretches), { grows, query: '?pass=p' });

describe('the playlist of a period', () => {
  it('is a finished one, with the time of its beginning', () => {
    expect(render([stretch(2, 4)])).toBe(
      [
        '#EXTM3U',
        '#EXT-X-VERSION:3',
        '#EXT-X-TARGETDURATION:6',
        '#EXT-X-MEDIA-SEQUENCE:2',
        '#EXT-X-PLAYLIST-TYPE:VOD',
        '#EXT-X-PROGRAM-DATE-TIME:2026-11-15T12:00:12.000Z',
        '#EXTINF:6.000,',
        '2.ts',
        '#EXTINF:6.000,',
        '3.ts',
        '#EXT-X-ENDLIST',
        '',
      ].join('\n'),
    );
  });

  it.each([
    ['a segment that ends 100 ms into it is not', 100, '3.ts'],
    ['one that ends 101 ms into it is', 101, '2.ts'],
  ])('begins with the segment that its start lies in: %s', (_, ms, first) => {
    const text = render([stretch(2, 5, { blocks: [block(0, 20, { shiftMs: ms - 6_000 })] })]);
    expect(text.split('\n').find((line) => line.endsWith('.ts'))).toBe(first);
  });

  it('goes on over blocks of one recording without a word', () => {
    const text = render([stretch(0, 10, { blocks: [block(0, 5), block(5, 5)] })]);
    expect(text.match(/\n\d+\.ts/g)).toHaveLength(10);
    expect(text.match(/#EXT-X-(?:DISC|GAP|PROGRAM)/g)).toEqual(['#EXT-X-PROGRAM']);
  });

  it('changes nodes with a discontinuity, a time and passes', () => {
    const other = {
      blocks: [block(0, 20, { run: 'two', shiftMs: 2_000 })],
      prefix: 'http://b/ch1/~archive/x/',
    };
    const own = (first: number, count: number) => ({ blocks: [block(first, count)] });
    const text = render([stretch(0, 4, own(0, 4)), stretch(4, 6, other), stretch(6, 8, own(6, 4))]);
    expect(text.match(/.*\.ts.*/g)).toEqual([
      ...[0, 1, 2, 3].map((at) => `${at}.ts`),
      // Two segments earlier than its stretch, which shares 10 s with the recording before it, and one longer.
      ...[2, 3, 4, 5, 6].map((at) => `http://b/ch1/~archive/x/${at}.ts?pass=p`),
      '6.ts',
      '7.ts',
    ]);
    expect(text.match(/#EXT-X-DISCONTINUITY\n/g)).toHaveLength(2);
    expect(text).not.toContain('\u0000');
  });

  it('has no discontinuity between nodes that publish the same segments', () => {
    const other = { prefix: 'http://b/' };
    const text = render([stretch(0, 2), stretch(2, 4, other), stretch(4, 6)]);
    expect(text).not.toContain('DISCONTINUITY');
  });

  it.each([
    ['500 ms', 500, 0, 0],
    ['501 ms', 501, 1, 0],
    ['ten segments', 60_400, 10, 0],
    ['more than ten', 60_401, 0, 1],
  ])('shows a hole of %s', (_, holeMs, gaps, discontinuities) => {
    const blocks = [[...block(0, 2), ...block(2, 2, { shiftMs: holeMs })]];
    const text = render([stretch(0, 100, { blocks })]);
    expect(text.match(/#EXT-X-GAP\n/g) ?? []).toHaveLength(gaps);
    expect(text.match(/#EXT-X-DISCONTINUITY\n/g) ?? []).toHaveLength(discontinuities);
    // ffmpeg refuses a playlist that names anything without the ending of a segment.
    for (const [uri] of text.matchAll(/^[^#].*$/gm)) expect(uri).toMatch(/\.ts$/);
    for (const [, seconds] of text.matchAll(/#EXTINF:([\d.]+)/g))
      expect(Math.round(Number(seconds))).toBeLessThanOrEqual(6);
  });

  it('keeps the place of what was lost since the player read it elsewhere, however long', () => {
    const elsewhere = { prefix: 'http://b/', blocks: [block(100, 10)] };
    const text = render([
      stretch(100, 105, { blocks: [block(100, 5)], lostMs: 600_000 }),
      stretch(205, 210, { blocks: [block(205, 5)], lostMs: 360_000 }),
    ]);
    expect(text).toContain('#EXT-X-MEDIA-SEQUENCE:0\n#EXT-X-PLAYLIST-TYPE:VOD\n#EXT-X-GAP\n');
    expect(text.match(/#EXT-X-GAP\n#EXTINF:6.000,\n~gap.ts\n/g)).toHaveLength(160);
    // The rest of the second hole nobody had before, either.
    expect(text.match(/#EXT-X-DISCONTINUITY\n/g)).toHaveLength(1);
    expect(
      render([stretch(0, 3, { lostMs: 600_000, blocks: [[]] }), stretch(100, 105, elsewhere)]),
    ).toContain('#EXT-X-MEDIA-SEQUENCE:0\n');
  });

  it('names the initialization segment where it changes', () => {
    const blocks = [[...block(0, 2, { map: 'a.mp4' }), ...block(2, 2, { map: 'b.mp4' })]];
    const text = render([stretch(0, 4, { blocks })]);
    expect(text).toContain('#EXT-X-VERSION:6\n');
    expect(text.match(/#EXT-X-MAP:URI="[^"]*"/g)).toEqual([
      '#EXT-X-MAP:URI="a.mp4"',
      '#EXT-X-MAP:URI="b.mp4"',
    ]);
  });

  it('that grows keeps every line it had', () => {
    const early = render([stretch(0, 5)], true);
    const late = render([stretch(0, 8)], true);
    expect(early).not.toContain('ENDLIST');
    expect(early).toContain('#EXT-X-START:TIME-OFFSET=0,PRECISE=YES\n');
    expect(late.startsWith(early)).toBe(true);
  });
});

describe('a list of segments for another node', () => {
  const segments = block(0, 3, { map: 'a.mp4' }).map((one) => ({ ...one, bytes: 5 }));

  it('comes as it was told', () => {
    expect(readSegmentList(writeSegmentList(segments))).toEqual(segments);
  });

  it.each([
    ['no JSON', '<html>'],
    ['no list', '{}'],
    ['no segments', '[1]'],
    ['a path', '[["../x.ts",1,1,1,"r",1]]'],
    ['a line end', '[["a\\n#EXTINF",1,1,1,"r",1]]'],
    ['a quote in a map', '[["a.ts",1,1,1,"r",1,"x\\""]]'],
    ['a negative duration', '[["a.ts",1,-1,1,"r",1]]'],
    ['an endless segment', '[["a.ts",1,120001,1,"r",1]]'],
    ['no number', '[["a.ts",1,1,1,"r","1"]]'],
  ])('is refused when it has %s', (_, text) => {
    expect(readSegmentList(text)).toBeUndefined();
  });
});
