import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readMeaning } from '../../../src/adapters/origin/read-playlist.ts';
import { bytesOf, fixture } from '../../core/playlist/playlist-texts.ts';
import { aMediaPlaylist, aMultivariantPlaylist } from '../../support/playlist-arbitraries.ts';

const read = (text: string) => readMeaning(bytesOf(text));
const media = (lines: string) => `#EXTM3U\n#EXT-X-TARGETDURATION:4\n${lines}\n`;
const segment = '#EXTINF:4,\na.ts\n';

describe('the meaning of a playlist', () => {
  it.each([
    ['groups.m3u8', 3],
    ['ladder.m3u8', 3],
    ['odd-ladder.m3u8', 5],
  ])('%s has %i variants', (name, variants) => {
    expect(read(fixture(name))).toEqual({ kind: 'multivariant', variants });
  });

  it.each([
    ['live.m3u8', { mediaSequence: 1419, targetDurationMs: 4000, endList: false }],
    ['low-latency.m3u8', { mediaSequence: 90, lowLatency: true, trailingParts: 2 }],
  ])('%s has its numbers', (name, playlist) => {
    expect(read(fixture(name))).toMatchObject({ kind: 'media', playlist });
  });

  it('is found for all that packagers write', () => {
    fc.assert(
      fc.property(aMediaPlaylist, ({ text, segments }) => {
        const found = read(text);
        expect(found?.kind === 'media' && found.playlist.segments.length).toBe(segments);
      }),
    );
    fc.assert(
      fc.property(aMultivariantPlaylist, (text) => {
        const hasEntries = /#EXT-X-(?:STREAM-INF|MEDIA:|I-FRAME)/.test(text);
        expect(read(text)?.kind).toBe(hasEntries ? 'multivariant' : undefined);
      }),
    );
  });

  it.each([
    ['a short IV', media(`#EXT-X-KEY:METHOD=AES-128,URI="k",IV=0x1\n${segment}`)],
    ['a rendition of unknown type', '#EXTM3U\n#EXT-X-MEDIA:TYPE=x,GROUP-ID="g",NAME="n"\n'],
    ['parts without equals sign', '#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1,,LIVE,\na.m3u8\n'],
    ['tags that begin like others', media(`#EXT-X-ENDLIST-FOO\n${segment}`)],
    ['a fractional target duration', `#EXTM3U\n#EXT-X-TARGETDURATION:9.7\n${segment}`],
    ['a negative media sequence', media(`#EXT-X-MEDIA-SEQUENCE:-11\n${segment}`)],
    ['blanks after colons', media(`#EXT-X-MEDIA-SEQUENCE: 7\n#EXTINF: 4 ,x\na.ts\n`)],
    ['a byte order mark', `\ufeff${media(segment)}`],
    ['no final line end', media(segment).trimEnd()],
  ])('is found with %s', (_, text) => {
    expect(read(text)).toBeDefined();
  });

  it.each([
    ['nothing', ''],
    ['an error page', '<html></html>'],
    ['channels', '#EXTM3U\n#EXTINF:-1,One\nhttp://h/1\n'],
    ['carriage returns alone', media(segment).replaceAll('\n', '\r')],
    ['no target duration', `#EXTM3U\n${segment}`],
    ['a URI that belongs to no segment', media(`${segment}b.ts`)],
    [
      'a media sequence beyond counting',
      media(`#EXT-X-MEDIA-SEQUENCE:9007199254740993\n${segment}`),
    ],
  ])('is not found with %s', (_, text) => {
    expect(read(text)).toBeUndefined();
  });
});

describe('a hostile playlist', () => {
  it.each([
    '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="__proto__",NAME="polluted",URI="x.m3u8"',
    '#EXT-X-MEDIA:TYPE=__proto__,GROUP-ID="polluted",NAME="x",URI="x.m3u8"',
    '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="constructor",NAME="prototype",URI="x.m3u8"',
    '#EXT-X-DATERANGE:ID="__proto__",START-DATE="2026-01-15T07:00:00Z",X-POLLUTED="y"',
    '#EXT-X-DEFINE:NAME="__proto__",VALUE="polluted"',
    '#EXT-X-STREAM-INF:__proto__="polluted",BANDWIDTH=1,constructor="x"\nv.m3u8',
  ])('changes no object of ours: %s', (line) => {
    const names = Object.getOwnPropertyNames(Object.prototype).sort();
    read(`#EXTM3U\n${line}\n#EXT-X-STREAM-INF:BANDWIDTH=1,AUDIO="__proto__"\nv.m3u8\n`);
    read(media(`${line}\n${segment}`));
    expect(Object.getOwnPropertyNames(Object.prototype).sort()).toEqual(names);
    const empty: object = {};
    for (const name of ['polluted', 'id', 'startDate', 'xPolluted']) {
      expect(name in empty).toBe(false);
    }
  });

  it('costs no more than its length: commas, variables', () => {
    const commas = `#EXTM3U\n#EXT-X-STREAM-INF:${','.repeat(60_000)}BANDWIDTH=1\nv.m3u8\n`;
    expect(read(commas)).toEqual({ kind: 'multivariant', variants: 1 });
    const defines = Array.from(
      { length: 3000 },
      (_, index) => `#EXT-X-DEFINE:NAME="n${index}",VALUE="v"`,
    ).join('\n');
    const found = read(media(`${defines}\n${'#EXTINF:4,\n{$n1}.ts\n'.repeat(3000)}`));
    expect(found?.kind === 'media' && found.playlist.segments.length).toBe(3000);
  });
});
