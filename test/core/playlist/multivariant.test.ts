import { describe, expect, it } from 'vitest';
import { compileMultivariant } from '../../../src/core/playlist/multivariant.ts';
import { bytesOf, fixture, rawBytesOf } from './playlist-texts.ts';

function compile(text: string) {
  const template = compileMultivariant(bytesOf(text));
  if (template === undefined) throw new Error('not compiled');
  return template;
}
const variant = (uri: string, attributes = 'BANDWIDTH=1') =>
  `#EXT-X-STREAM-INF:${attributes}\n${uri}\n`;
const playlist = (...entries: string[]) => `#EXTM3U\n${entries.join('')}`;

describe('the ladder of a playlist', () => {
  it('has variants and renditions in order, values without quotes', () => {
    const { ladder, noBackups } = compile(fixture('groups.m3u8'));
    expect(noBackups).toBeUndefined();
    expect(ladder.variants.map(({ uri, audio, subtitles }) => [uri, audio, subtitles])).toEqual([
      ['video/720.m3u8', 'aac', 'subs'],
      ['video/720.m3u8', 'surround', 'subs'],
      ['video/360.m3u8', 'aac', 'subs'],
    ]);
    expect(ladder.variants[0]).toMatchObject({
      bandwidth: 2_000_000,
      codecs: 'avc1.4d401f,mp4a.40.2',
      resolution: '1280x720',
      video: undefined,
    });
    expect(ladder.renditions.map(({ groupId, name, uri }) => [groupId, name, uri])).toEqual([
      ['aac', 'English', 'audio/en.m3u8'],
      ['aac', 'in the video', undefined],
      ['surround', 'English', 'audio/en-51.m3u8?lang=en'],
      ['subs', 'Deutsch', 'subs/de.m3u8'],
      ['unused', 'nobody asks for it', 'audio/unused.m3u8'],
    ]);
  });

  it('is read from odd lists as players read them, without what is elsewhere', () => {
    const { ladder, noBackups } = compile(fixture('odd-ladder.m3u8'));
    expect(noBackups).toBeUndefined();
    expect(ladder).toEqual({
      variants: [
        expect.objectContaining({ uri: 'low,a,b,.mp4.csmil/index.m3u8', bandwidth: 300_000 }),
        expect.objectContaining({
          uri: 'QualityLevels(600000)/Manifest(video,format=m3u8-aapl)?key=value#start',
          bandwidth: 600_000,
          resolution: '640x360',
        }),
      ],
      renditions: [],
    });
  });

  it('has bandwidth 0 where a variant says none', () => {
    const { ladder } = compile(playlist(variant('a.m3u8', ''), '#EXT-X-STREAM-INF\nb.m3u8\n'));
    expect(ladder.variants.map(({ bandwidth }) => bandwidth)).toEqual([0, 0]);
  });

  it('names files as a request for them would: no dot in front, no letters beyond ASCII', () => {
    const { ladder } = compile(
      playlist(variant('./a.m3u8'), variant('видео.m3u8'), variant('./b:c')),
    );
    expect(ladder.variants.map(({ uri }) => uri)).toEqual([
      'a.m3u8',
      '%D0%B2%D0%B8%D0%B4%D0%B5%D0%BE.m3u8',
      './b:c',
    ]);
  });

  it('says names in their own letters, and values that hold variables as what they mean', () => {
    const text = playlist(
      '#EXT-X-DEFINE:NAME="g",VALUE="aac"\n',
      '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="{$g}",NAME="Тест",URI="{$g}/a.m3u8"\n',
      variant('{$g}/v.m3u8', 'BANDWIDTH=1,AUDIO="aac"'),
    );
    expect(compile(text).ladder).toMatchObject({
      variants: [{ uri: 'aac/v.m3u8', audio: 'aac' }],
      renditions: [{ groupId: 'aac', name: 'Тест', uri: 'aac/a.m3u8' }],
    });
  });

  it('survives group names that are special to objects', () => {
    const text = playlist(
      '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="__proto__",NAME="polluted",URI="x.m3u8"\n',
      variant('v.m3u8', 'BANDWIDTH=1,AUDIO="__proto__",__proto__="x"'),
    );
    expect(compile(text).ladder.renditions).toMatchObject([{ groupId: '__proto__' }]);
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});

describe('a playlist gets no backups', () => {
  const steering = '#EXT-X-CONTENT-STEERING:SERVER-URI="/s"\n';
  const audio = (uri: string) => `#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="n",URI="${uri}"\n`;

  it.each<[string, string, string]>([
    ['its origin steers', playlist(steering, variant('a.m3u8')), 'steered'],
    ['a variant has a pathway', playlist(variant('a.m3u8', 'PATHWAY-ID="x"')), 'steered'],
    [
      'a rendition has a pathway',
      playlist(audio('a.m3u8').replace('TYPE', 'PATHWAY-ID="x",TYPE'), variant('a.m3u8')),
      'steered',
    ],
    [
      'a variant has no URI before the next',
      playlist('#EXT-X-STREAM-INF:BANDWIDTH=2\n', variant('a.m3u8')),
      'variant-without-uri',
    ],
    [
      'the last variant has no URI',
      playlist(variant('a.m3u8'), '#EXT-X-STREAM-INF:BANDWIDTH=2,URI="b.m3u8"\n'),
      'variant-without-uri',
    ],
    ['all variants are elsewhere', playlist(variant('https://h/a.m3u8')), 'no-variants'],
    ['there are renditions only', playlist(audio('a.m3u8')), 'no-variants'],
    [
      'a rung is served elsewhere only',
      playlist(variant('a.m3u8'), variant('//h/b.m3u8', 'BANDWIDTH=2')),
      'variant-elsewhere',
    ],
    [
      'only the player knows where a rung is',
      playlist(
        '#EXT-X-DEFINE:QUERYPARAM="t"\n',
        variant('a.m3u8'),
        variant('b.m3u8?{$t}', 'BANDWIDTH=2'),
      ),
      'variant-elsewhere',
    ],
    [
      'a rendition in use is elsewhere',
      playlist(audio('https://h/a.m3u8'), variant('a.m3u8', 'BANDWIDTH=1,AUDIO="a"')),
      'rendition-elsewhere',
    ],
  ])('when %s', (_, text, why) => {
    expect(compile(text).noBackups).toBe(why);
  });

  it('but does when only a spare copy or an unused rendition is elsewhere', () => {
    const text = playlist(
      audio('https://h/a.m3u8'),
      variant('a.m3u8'),
      variant('https://h/a.m3u8'),
    );
    expect(compile(text)).toMatchObject({ noBackups: undefined, ladder: { renditions: [] } });
  });

  it.each(['/a.m3u8', '../a.m3u8', 'x/../a.m3u8', 'x/%2e%2E/a.m3u8', '?a', 'mailto:a', './'])(
    'for a URI that leads out of the stream: %s',
    (uri) => {
      expect(compile(playlist(variant(uri))).noBackups).toBe('no-variants');
    },
  );
});

describe('a body that cannot be compiled', () => {
  it.each([
    ['a media playlist', bytesOf(fixture('live.m3u8'))],
    ['an error page', bytesOf('<html></html>')],
    [
      'a playlist in another encoding than UTF-8',
      rawBytesOf(playlist('# caf\xe9\n', variant('a'))),
    ],
  ])('%s', (_, bytes) => {
    expect(compileMultivariant(bytes)).toBeUndefined();
  });
});
