import { describe, expect, it } from 'vitest';
import { mapUris, type UriUse } from '../../../src/core/playlist/map-uris.ts';
import { bytesOf, fixture, rawBytesOf, textOf } from './playlist-texts.ts';

/** Every URI that the map is asked about, in order. */
function asked(text: string): [UriUse, string][] {
  const uris: [UriUse, string][] = [];
  mapUris(bytesOf(text), (uri, use) => {
    uris.push([use, uri]);
    return undefined;
  });
  return uris;
}

function mapped(text: string, answer: (uri: string) => string | undefined): string {
  return textOf(mapUris(bytesOf(text), answer));
}

const media = (lines: string) => `#EXTM3U\n#EXT-X-TARGETDURATION:4\n${lines}\n`;
const multivariant = (lines: string) =>
  `#EXTM3U\n${lines}\n#EXT-X-STREAM-INF:BANDWIDTH=1\nv.m3u8\n`;

describe('the URIs of a media playlist', () => {
  it('are those of segments, parts, maps, keys and reports, in order', () => {
    expect(asked(fixture('low-latency.m3u8'))).toEqual([
      ['map', 'init.mp4'],
      ['segment', '90.mp4'],
      ['part', '91.0.mp4'],
      ['segment', '91.mp4'],
      ['part', '92.0.mp4'],
      ['part', '92.1.mp4'],
      ['part', '92.2.mp4'],
      ['playlist', '../audio/index.m3u8'],
    ]);
    expect(asked(fixture('live.m3u8'))).toContainEqual(['key', 'key.bin']);
  });

  it.each<[string, UriUse, string]>([
    ['#EXT-X-KEY:METHOD=SAMPLE-AES,URI="skd://id",KEYFORMAT="k"', 'key', 'skd://id'],
    ['#EXT-X-DATERANGE:ID="1",X-ASSET-URI="ad.m3u8"', 'playlist', 'ad.m3u8'],
    ['#EXT-X-DATERANGE:ID="1",X-ASSET-LIST="ads.json"', 'other', 'ads.json'],
    ['#EXT-X-PREFETCH:https://h/6.ts', 'segment', 'https://h/6.ts'],
    ['#EXT-X-VENDOR:a b, URI="file"', 'other', 'file'],
    ['#EXT-X-MAP:URI=unquoted.mp4,BYTERANGE="1@0"', 'map', 'unquoted.mp4'],
  ])('%s', (line, use, uri) => {
    expect(asked(media(line))).toEqual([[use, uri]]);
  });

  it.each([
    '#EXT-X-MAP:URI=""',
    '#EXT-X-VENDOR:MY-URI="x"',
    '#EXTINF:4,URI="x"',
    '# URI="x"',
    '#EXT-X-DATERANGE:ID="1",X-AD-URL="http://h/"',
    '#EXT-X-VENDOR:__proto__="x",constructor="y",URL="z"',
  ])('are not in %s', (line) => {
    expect(asked(media(line))).toEqual([]);
  });
});

describe('the URIs of a multivariant playlist', () => {
  it('are those of variants, renditions, I-frames, keys, session data and steering', () => {
    const text = multivariant(`#EXT-X-CONTENT-STEERING:SERVER-URI="/steer",PATHWAY-ID="a"
#EXT-X-SESSION-KEY:METHOD=AES-128,URI="k"
#EXT-X-SESSION-DATA:DATA-ID="d",URI="d.json"
#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="n",URI="a.m3u8"
#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=1,URI="i.m3u8"
#EXT-X-IMAGE-STREAM-INF:BANDWIDTH=1,URI="t.m3u8"`);
    expect(asked(text)).toEqual([
      ['steering', '/steer'],
      ['key', 'k'],
      ['other', 'd.json'],
      ['playlist', 'a.m3u8'],
      ['playlist', 'i.m3u8'],
      ['playlist', 't.m3u8'],
      ['playlist', 'v.m3u8'],
    ]);
  });

  it('are where they stand, odd lists or not', () => {
    expect(asked(fixture('odd-ladder.m3u8')).map(([, uri]) => uri)).toEqual([
      'session.json',
      'low,a,b,.mp4.csmil/index.m3u8',
      'QualityLevels(600000)/Manifest(video,format=m3u8-aapl)?key=value#start',
      'stray.m3u8',
      'm.m3u8',
      'https://cdn.example.org/mid.m3u8',
      'https://cdn.example.org/low.m3u8',
      '//cdn.example.org/low.m3u8',
    ]);
  });
});

describe('a mapped URI', () => {
  it('replaces the old one and nothing else', () => {
    const text = fixture('low-latency.m3u8').replaceAll('\n', '\r\n').trimEnd();
    const output = mapped(text, (uri) => (uri === '91.mp4' ? '~root/x/91.mp4?a=1' : undefined));
    expect(output).toBe(text.replace('\r\n91.mp4', '\r\n~root/x/91.mp4?a=1'));
  });

  it('keeps blanks around it', () => {
    expect(mapped(media('#EXTINF:4,\n  a.ts \t'), () => 'b.ts')).toBe(
      media('#EXTINF:4,\n  b.ts \t'),
    );
  });

  it('is written once for each place, the last attribute and the first alike', () => {
    const line = '#EXT-X-KEY:URI="a",METHOD=AES-128,URI="b"';
    expect(mapped(media(line), (uri) => `${uri}${uri}`)).toBe(
      media('#EXT-X-KEY:URI="aa",METHOD=AES-128,URI="bb"'),
    );
  });

  it.each(['with blank', 'with"quote', 'line\nend', 'Тест', ''])(
    'is not written when it cannot stand there: %j',
    (answer) => {
      const bytes = bytesOf(fixture('live.m3u8'));
      expect(mapUris(bytes, () => answer)).toBe(bytes);
    },
  );

  it('has no comma where no quotes hold it together', () => {
    const text = media('#EXT-X-MAP:URI=a.mp4\n#EXT-X-KEY:METHOD=AES-128,URI="k"');
    expect(mapped(text, (uri) => `x,${uri}`)).toBe(text.replace('"k"', '"x,k"'));
  });

  it('is never asked for in a body that is no playlist', () => {
    for (const text of ['', '<html>\nURI="x"', '#EXTM3U\n#EXTINF:-1,\nhttp://h/1\n']) {
      const bytes = bytesOf(text);
      expect(mapUris(bytes, () => 'x')).toBe(bytes);
    }
  });
});

describe('a URI beyond ASCII', () => {
  it('is asked about as a request for it would be, and stays as written when nothing changes', () => {
    const text = media('#EXTINF:4,\nвидео/1.ts');
    expect(asked(text)).toEqual([['segment', '%D0%B2%D0%B8%D0%B4%D0%B5%D0%BE/1.ts']]);
    const bytes = bytesOf(text);
    expect(mapUris(bytes, (uri) => uri)).toBe(bytes);
  });

  it('of no known encoding keeps its bytes around the change', () => {
    const bytes = rawBytesOf(media('#EXTINF:4,caf\xe9\ncaf\xe9.ts\n#EXTINF:4,\nb.ts'));
    const output = mapUris(bytes, (uri) => (uri === 'b.ts' ? 'c.ts' : undefined));
    expect(output).toEqual(rawBytesOf(media('#EXTINF:4,caf\xe9\ncaf\xe9.ts\n#EXTINF:4,\nc.ts')));
  });
});

describe('a URI with variables', () => {
  const define = '#EXT-X-DEFINE:NAME="p",VALUE="$&/$1"\n#EXT-X-DEFINE:NAME="q",VALUE="s=1"\n';

  it('is asked about as what it means, replaced everywhere, and no value is taken for a pattern', () => {
    expect(asked(media(`${define}#EXTINF:4,\n{$p}/{$p}/a.ts?{$q}`))).toEqual([
      ['segment', '$&/$1/$&/$1/a.ts?s=1'],
    ]);
  });

  it('stays as written unless what it means has to move', () => {
    const text = media(`${define}#EXTINF:4,\n{$p}/a.ts?{$q}`);
    expect(mapped(text, (uri) => uri)).toBe(text);
    expect(mapped(text, () => 'b.ts')).toBe(media(`${define}#EXTINF:4,\nb.ts`));
  });

  it.each(['{$unknown}/a.ts', '{$session}/a.ts', '{$imported}/a.ts', '{$p}/{$constructor}'])(
    'that only the player knows is left alone: %s',
    (uri) => {
      const more = '#EXT-X-DEFINE:QUERYPARAM="session"\n#EXT-X-DEFINE:IMPORT="imported"\n';
      expect(asked(media(`${define}${more}#EXTINF:4,\n${uri}`))).toEqual([]);
    },
  );

  it('that would grow beyond a line is left alone', () => {
    const value = 'x'.repeat(1024);
    const of = (times: number) =>
      asked(media(`#EXT-X-DEFINE:NAME="v",VALUE="${value}"\n#EXTINF:4,\n${'{$v}'.repeat(times)}`));
    expect(of(64)).toHaveLength(1);
    expect(of(65)).toHaveLength(0);
  });
});
