import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  joinPeriod,
  type PeriodText,
  withPass,
} from '../../../src/core/archive/period-playlist.ts';
import {
  readSegmentList,
  renewedList,
  writeSegmentList,
} from '../../../src/core/archive/segment-list.ts';
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
    run: 'c1',
    number: first + at,
    ...rest,
  }));
}

/** Segments of which each has its own relation to the one before. */
function brokenBlock(run: string, kinds: readonly string[]): readonly ListedSegment[] {
  let [atMs, runs, maps] = [startMs, 0, 0];
  return kinds.map((kind, number) => {
    if (kind === 'hole') atMs += 20_000;
    if (kind === 'run') runs += 1;
    if (kind === 'map') maps += 1;
    const durationMs = 5_000 + number;
    const segment = { name: `${number}.ts`, startMs: atMs, durationMs, number };
    atMs += durationMs;
    return { ...segment, run: `${run}${runs}`, ...(maps > 0 && { map: `${maps}.mp4` }) };
  });
}

const stretch = (from: number, to: number, parts: Partial<Taken> = {}): Taken => ({
  startMs: startMs + from * 6_000,
  endMs: startMs + to * 6_000,
  blocks: [block(0, 20)],
  prefix: '',
  ...parts,
});

const render = (stretches: readonly Taken[], grows = false, node = 'a') =>
  textOf(joinPeriod(takeSegments(stretches), { grows, node }));

const textOf = (playlist: PeriodText, query = '?pass=p') =>
  new TextDecoder().decode(withPass(playlist, query));

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

  it('has numbers of discontinuities that no other node has, but where all have the same segments', () => {
    const numberOf = (node: string, run: string) =>
      /SEQUENCE:(\d+)\n#EXT-X-PLAYLIST/.exec(
        render([stretch(3, 4, { blocks: [block(0, 20, { run })] })], false, node),
      )?.[1];
    expect(numberOf('a', 'one')).toBe(numberOf('a', 'two'));
    expect(numberOf('b', 'one')).not.toBe(numberOf('a', 'one'));
    expect([numberOf('a', 'c2'), numberOf('b', 'c2')]).toEqual(['3', '3']);
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

describe('the text of a period', () => {
  const two = [
    stretch(0, 4, { blocks: [block(0, 4)] }),
    stretch(4, 8, { prefix: 'http://b/', blocks: [block(0, 20)] }),
  ];
  const sent = (stretches: readonly Taken[], known?: PeriodText) =>
    joinPeriod(takeSegments(stretches), { grows: true, node: 'a' }, known);

  it('is joined once as long as nothing changes, for whichever viewer', () => {
    const first = sent(two);
    expect(sent(two, first)).toBe(first);
    expect(textOf(first, '?pass=q')).toBe(textOf(first).replaceAll('pass=p', 'pass=q'));
    expect(textOf(first, '')).not.toContain('?');
    const own = sent([stretch(0, 4)]);
    expect(withPass(own, '?pass=p').buffer).toBe(withPass(own, '?pass=q').buffer);
  });

  it('is joined anew where what it begins with is another', () => {
    const first = sent(two);
    const [, other] = two;
    for (const changed of [
      stretch(1, 4, { blocks: [block(0, 4)] }),
      stretch(0, 4, { blocks: [block(0, 4)], lostMs: 12_000 }),
      stretch(0, 4, { blocks: [block(0, 4, { durationMs: 7_600 })] }),
    ]) {
      const stretches = other === undefined ? [] : [changed, other];
      expect(sent(stretches, first).text).not.toBe(first.text);
      expect(textOf(sent(stretches, first))).toBe(textOf(sent(stretches)));
    }
    expect(textOf(joinPeriod(takeSegments(two), { grows: false, node: 'a' }, first))).toContain(
      'ENDLIST',
    );
  });

  it('is only added to when segments come, and what was sent stays as it was', () => {
    const [whole, before] = [block(0, 20), sent([stretch(0, 5, { blocks: [block(0, 1)] })])];
    const early = sent([stretch(0, 100, { blocks: [whole.slice(0, 5)] })], before);
    const earlyText = textOf(early);
    const late = sent([stretch(0, 100, { blocks: [whole.slice(0, 6)] })], early);
    expect(late.text).toBe(early.text);
    expect(textOf(late)).toBe(`${earlyText}#EXTINF:6.000,\n5.ts\n`);
    expect(textOf(early)).toBe(earlyText);
    // Somebody went on from it already.
    const again = sent([stretch(0, 100, { blocks: [whole.slice(0, 8)] })], early);
    expect(again.text).not.toBe(early.text);
    expect(textOf(late)).toBe(`${earlyText}#EXTINF:6.000,\n5.ts\n`);
    expect(textOf(again)).toBe(textOf(sent([stretch(0, 8, { blocks: [block(0, 20)] })])));
  });

  it('is what it would be if joined at once, however it grew', () => {
    const looks = fc.array(
      fc.record({ own: fc.nat(3), other: fc.nat(3), isFirstGone: fc.boolean() }),
      { minLength: 1, maxLength: 8 },
    );
    const breaks = fc.array(fc.constantFrom('same', 'hole', 'run', 'map'), {
      minLength: 24,
      maxLength: 24,
    });
    fc.assert(
      fc.property(looks, breaks, (all, kinds) => {
        const made = (run: string) => brokenBlock(run, kinds);
        const [own, other, fresh] = [made('a'), made('b'), () => [made('a'), made('b')] as const];
        let known: PeriodText | undefined;
        let [ownTo, otherTo, from] = [1, 0, 0];
        for (const look of all) {
          [ownTo, otherTo] = [ownTo + (otherTo === 0 ? look.own : 0), otherTo + look.other];
          if (look.isFirstGone && ownTo > from + 1) from += 1;
          const parts = (a: typeof own, b: typeof own) => [
            { block: a.slice(from, ownTo + 1), from: 0, to: ownTo - from, prefix: '' },
            ...(otherTo === 0 ? [] : [{ block: b, from: 0, to: otherTo, prefix: 'http://b/' }]),
          ];
          known = joinPeriod(parts(own, other), { grows: true, node: 'a' }, known);
          expect(textOf(known)).toBe(
            textOf(joinPeriod(parts(...fresh()), { grows: true, node: 'a' })),
          );
        }
      }),
      { numRuns: 200 },
    );
  });
});

describe('a list of segments for another node', () => {
  const segments = block(0, 3, { map: 'a.mp4' }).map((one) => ({ ...one, bytes: 5 }));

  it('comes as it was told', () => {
    expect(readSegmentList(writeSegmentList(segments))).toEqual(segments);
  });

  it('told again is the same as far as it is the same', () => {
    const again = () => block(0, 3, { map: 'a.mp4' }).map((one) => ({ ...one, bytes: 5 }));
    expect(renewedList(segments, again())).toBe(segments);
    const grown = renewedList(segments, [...again(), ...again()]);
    expect(grown).toEqual([...segments, ...segments]);
    expect(grown.slice(0, 3).map((one, at) => one === segments[at])).toEqual([true, true, true]);
    expect(renewedList(segments, again().slice(1))).toEqual(segments.slice(1));
    const other = again().map((one) => ({ ...one, bytes: 6 }));
    expect(renewedList(segments, other)).toEqual(other);
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
