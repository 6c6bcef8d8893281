import { describe, expect, it } from 'vitest';
import { classify, playlistLimits } from '../../../src/core/playlist/classify.ts';
import { bytesOf, fixture, rawBytesOf } from './playlist-texts.ts';

const kindOf = (text: string) => {
  const found = classify(bytesOf(text));
  return found.kind === 'untouchable' ? found.why : found.kind;
};
const media = '#EXTM3U\n#EXT-X-TARGETDURATION:4\n';
const variant = '#EXT-X-STREAM-INF:BANDWIDTH=1\na.m3u8\n';

describe('a body', () => {
  it.each([
    ['groups.m3u8', 'multivariant'],
    ['odd-ladder.m3u8', 'multivariant'],
    ['live.m3u8', 'media'],
    ['low-latency.m3u8', 'media'],
  ])('such as %s is a %s playlist', (name, kind) => {
    expect(kindOf(fixture(name))).toBe(kind);
  });

  it.each<[string, string, string]>([
    ['nothing', '', 'empty'],
    ['blank lines', ' \r\n\t\n\n', 'empty'],
    ['a byte order mark alone', '\ufeff', 'empty'],
    ['comments alone', '# nothing here\n', 'no-extm3u'],
    ['an error page', '<!DOCTYPE html>\n<html><body>404</body></html>', 'html'],
    ['an error page after blank lines', '\r\n  <html>\n', 'html'],
    ['plain text', 'Unauthorized', 'no-extm3u'],
    ['a playlist without its first tag', `#EXT-X-VERSION:3\n${variant}`, 'no-extm3u'],
    ['a longer first tag', `#EXTM3U8\n${variant}`, 'no-extm3u'],
    ['the first tag alone', '#EXTM3U\n', 'neither-kind'],
    ['a plain list of files', '#EXTM3U\na.mp3\nb.mp3\n', 'neither-kind'],
    ['channels without end', '#EXTM3U\n#EXTINF:-1 tvg-id="1",One\nhttp://h/1\n', 'iptv-list'],
    [
      'channels of no length',
      '#EXTM3U\n#EXTINF:0 group-title="News",One\nhttp://h/1\n',
      'iptv-list',
    ],
    ['a list with a guide', '#EXTM3U x-tvg-url="http://h/epg"\n#EXTINF:10,\na.ts\n', 'iptv-list'],
    ['variants and segments', `${media}#EXTINF:4,\na.ts\n${variant}`, 'both-kinds'],
    ['variants and a target duration', `${media}${variant}`, 'both-kinds'],
    ['carriage returns alone', '#EXTM3U\r#EXT-X-TARGETDURATION:4\r', 'lone-cr'],
    ['one carriage return within a line', `${media}#EXTINF:4,a\rb\na.ts\n`, 'lone-cr'],
    ['a carriage return at the very end', `${media}#EXTINF:4,\na.ts\r`, 'lone-cr'],
  ])('of %s is left alone', (_, text, why) => {
    expect(kindOf(text)).toBe(why);
  });

  it.each([
    ['a comment before the first tag', `# made by hand\n${media}`],
    ['blanks around the first tag', `\n  #EXTM3U \n#EXT-X-TARGETDURATION:4\n`],
    ['a byte order mark', `\ufeff${media}`],
    ['carriage returns before line feeds', '#EXTM3U\r\n#EXT-X-TARGETDURATION:4\r\r\n'],
    ['no segments', media],
    ['a title that looks like a channel', `${media}#EXTINF:4,tvg-id="1"\na.ts\n`],
    ['tags of multivariant playlists that hold no variant', `${media}#EXT-X-MEDIA:TYPE=AUDIO\n`],
  ])('with %s is a media playlist', (_, text) => {
    expect(kindOf(text)).toBe('media');
  });

  it('with renditions or I-frame playlists only is a multivariant playlist', () => {
    expect(kindOf('#EXTM3U\n#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="b"\n')).toBe('multivariant');
    expect(kindOf('#EXTM3U\n#EXT-X-I-FRAME-STREAM-INF:URI="a"\n')).toBe('multivariant');
  });

  it('of any other bytes is left alone', () => {
    expect(classify(rawBytesOf('\xff\xfe#\0E\0X\0'))).toMatchObject({ why: 'no-extm3u' });
    expect(classify(new Uint8Array(1000))).toMatchObject({ why: 'no-extm3u' });
  });
});

describe('a limit', () => {
  const segments = (count: number) => media + '#EXTINF:4,\na.ts\n'.repeat(count);
  const line = (length: number) => `${media}#${'x'.repeat(length - 2)}\n`;

  it.each<[string, (size: number) => string, number, string]>([
    ['line length', line, playlistLimits.lineBytesMax, 'line-too-long'],
    ['segments', segments, playlistLimits.segmentsMax, 'too-many-segments'],
    ['lines', (size) => media + '\n'.repeat(size - 2), playlistLimits.linesMax, 'too-many-lines'],
  ])('on %s holds just above it, not at it', (_, make, limit, why) => {
    expect(kindOf(make(limit - 1))).toBe('media');
    expect(kindOf(make(limit))).toBe('media');
    expect(kindOf(make(limit + 1))).toBe(why);
  });

  it.each<[string, string, number, string]>([
    ['variants', variant, playlistLimits.variantsMax, 'too-many-variants'],
    [
      'renditions',
      '#EXT-X-MEDIA:TYPE=AUDIO\n',
      playlistLimits.renditionsMax,
      'too-many-renditions',
    ],
  ])('on %s holds just above it, not at it', (_, entry, limit, why) => {
    const make = (size: number) => `#EXTM3U\n${entry.repeat(size)}`;
    expect(kindOf(make(limit - 1))).toBe('multivariant');
    expect(kindOf(make(limit))).toBe('multivariant');
    expect(kindOf(make(limit + 1))).toBe(why);
  });

  it('on the body holds just above it, not at it', () => {
    const padding = `#${'x'.repeat(60_000)}\n`;
    const make = (size: number) => {
      const full = media + padding.repeat(Math.floor((size - media.length) / padding.length));
      return `${full}#${'x'.repeat(size - full.length - 1)}`;
    };
    expect(kindOf(make(playlistLimits.bodyBytesMax))).toBe('media');
    expect(kindOf(make(playlistLimits.bodyBytesMax + 1))).toBe('too-large');
  });
});
