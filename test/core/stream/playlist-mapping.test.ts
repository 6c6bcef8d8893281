import { describe, expect, it } from 'vitest';
import { readMediaPlaylist } from '../../../src/core/playlist/media-playlist.ts';
import { bitRate, raiseBandwidth } from '../../../src/core/stream/bandwidth.ts';
import { readEntryChildren } from '../../../src/core/stream/entry-children.ts';
import { mapLiveWindow } from '../../../src/core/stream/live-window.ts';
import { originPlace } from '../../../src/core/stream/origin-paths.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);
const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

function placeOf(entry: string) {
  const place = originPlace(entry, 'index.m3u8');
  if (place === undefined) throw new Error('no entry');
  return place;
}

function entryOf(entry: string, lines: string[], url = entry) {
  const text = ['#EXTM3U', ...lines, ''].join('\r\n');
  const mapped = readEntryChildren(placeOf(entry), { url, path: 'index.m3u8' }, bytesOf(text));
  return { ...mapped, text, mapped: textOf(mapped.bytes) };
}

function windowOf(entry: string, path: string, url: string, lines: string[]) {
  const text = ['#EXTM3U', '#EXT-X-TARGETDURATION:2', ...lines, ''].join('\n');
  const playlist = readMediaPlaylist(bytesOf(text));
  if (playlist === undefined) throw new Error('no media playlist');
  const mapped = mapLiveWindow(placeOf(entry), { url, path }, { bytes: bytesOf(text), playlist });
  return { ...mapped, text, mapped: textOf(mapped.bytes) };
}

const inf = '#EXT-X-STREAM-INF:BANDWIDTH=1000000';

describe('an entry', () => {
  const origin = 'http://o:8888/live/ch1/index.m3u8';

  it('that is right as it stands is passed on untouched', () => {
    const entry = entryOf(origin, [inf, 'a/video.m3u8', '# comment', inf, 'b.m3u8']);
    expect(entry.mapped).toBe(entry.text);
    expect(entry.children).toEqual([
      { path: 'a/video.m3u8', query: '', url: 'http://o:8888/live/ch1/a/video.m3u8' },
      { path: 'b.m3u8', query: '', url: 'http://o:8888/live/ch1/b.m3u8' },
    ]);
  });

  it('of MediaMTX hides the session, which may change under viewers', () => {
    const url = `${origin}?cookieCheck=1`;
    const one = entryOf(origin, [inf, 'main_stream.m3u8?session=1'], url);
    const two = entryOf(origin, [inf, 'main_stream.m3u8?session=2'], url);
    expect(one.mapped).toBe(two.mapped);
    expect(one.mapped).toContain('\r\nmain_stream.m3u8\r\n');
    expect(two.children[0]?.url).toBe('http://o:8888/live/ch1/main_stream.m3u8?session=2');
  });

  it('of SRS names the entry itself as its child', () => {
    const srs = 'http://o:8080/live/s.m3u8';
    const entry = entryOf(srs, [inf, '/live/s.m3u8?hls_ctx=abc']);
    expect(entry.mapped).toContain('\r\ns.m3u8\r\n');
    expect(entry.children).toEqual([
      { path: 's.m3u8', query: '', url: 'http://o:8080/live/s.m3u8?hls_ctx=abc' },
    ]);
  });

  it('with absolute, root-relative and climbing URIs and renditions', () => {
    const entry = entryOf(origin, [
      '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="n",URI="/audio/a.m3u8"',
      inf,
      'http://o:8888/live/ch1/v.m3u8',
      inf,
      '../ch1/index.m3u8',
      inf,
      'http://cdn.example.net/v.m3u8',
    ]);
    expect(entry.children.map(({ path }) => path)).toEqual([
      '~root/audio/a.m3u8',
      'v.m3u8',
      '~root/live/ch1/index.m3u8',
    ]);
    expect(entry.mapped).toContain('URI="~root/audio/a.m3u8"');
    expect(entry.mapped).toContain('\r\nhttp://cdn.example.net/v.m3u8\r\n');
  });

  it('keeps queries where only they tell children apart', () => {
    const entry = entryOf(origin, [inf, 'v.m3u8?b=1', inf, 'v.m3u8?b=2', inf, 'w.m3u8?b=3']);
    expect(entry.mapped).toContain('\r\nv.m3u8?b=1\r\n');
    expect(entry.children.map(({ path, query }) => [path, query])).toEqual([
      ['v.m3u8', 'b=1'],
      ['v.m3u8', 'b=2'],
      ['w.m3u8', ''],
    ]);
  });
});

describe('a media playlist', () => {
  const origin = 'http://o/live/ch1/index.m3u8';

  it('that lies as viewers see it is passed on untouched, and its files are known', () => {
    const window = windowOf(origin, 'low/v.m3u8', 'http://o/live/ch1/low/v.m3u8?session=1', [
      '#EXT-X-MEDIA-SEQUENCE:7',
      '#EXT-X-MAP:URI="init.mp4"',
      '#EXTINF:2,',
      'a.m4s?session=1',
      '#EXTINF:1.5,',
      'b.m4s?session=1',
    ]);
    expect(window.mapped).toBe(window.text);
    expect(window.edge).toEqual({
      targetDurationMs: 2000,
      mediaSequence: 7,
      segments: 2,
      parts: 0,
      endList: false,
    });
    expect([...window.files]).toEqual([
      [
        'low/init.mp4',
        { url: 'http://o/live/ch1/low/init.mp4', use: 'map', isWhole: true, durationMs: undefined },
      ],
      [
        'low/a.m4s',
        {
          url: 'http://o/live/ch1/low/a.m4s?session=1',
          use: 'segment',
          isWhole: true,
          durationMs: 2000,
        },
      ],
      [
        'low/b.m4s',
        {
          url: 'http://o/live/ch1/low/b.m4s?session=1',
          use: 'segment',
          isWhole: true,
          durationMs: 1500,
        },
      ],
    ]);
  });

  it('seen at ~live.m3u8 is moved where its own path differs', () => {
    const window = windowOf('http://o/s.m3u8', '~live.m3u8', 'http://o/x/s.m3u8', [
      '#EXTINF:2,',
      'a.ts',
    ]);
    expect(window.mapped).toContain('\nx/a.ts\n');
    expect(window.files.get('x/a.ts')?.url).toBe('http://o/x/a.ts');
  });

  it('of byte ranges or parts of one file names no whole file', () => {
    const ranges = windowOf(origin, 'v.m3u8', 'http://o/live/ch1/v.m3u8', [
      '#EXTINF:2,',
      '#EXT-X-BYTERANGE:10@0',
      'all.ts',
      '#EXTINF:2,',
      '#EXT-X-BYTERANGE:10',
      'all.ts',
    ]);
    expect(ranges.files.get('all.ts')?.isWhole).toBe(false);
    const parts = windowOf(origin, 'v.m3u8', 'http://o/live/ch1/v.m3u8', [
      '#EXTINF:2,',
      'a.m4s',
      '#EXT-X-PART:DURATION=1,URI="b.0.m4s"',
      '#EXT-X-PART:DURATION=1,URI="c.m4s",BYTERANGE="10@0"',
      '#EXT-X-PRELOAD-HINT:TYPE=PART,URI="c.m4s",BYTERANGE-START=10',
    ]);
    expect(parts.files.get('b.0.m4s')).toMatchObject({ use: 'part', isWhole: true });
    expect(parts.files.get('c.m4s')?.isWhole).toBe(false);
  });

  it('knows files by name alone where lines that are no segments stand between', () => {
    const window = windowOf(origin, 'v.m3u8', 'http://o/live/ch1/v.m3u8', [
      'stray.ts',
      '#EXTINF:2,',
      'a.ts',
    ]);
    expect(window.files.get('a.ts')).toMatchObject({ isWhole: true, durationMs: undefined });
  });

  it('leaves files of other hosts to them', () => {
    const window = windowOf(origin, 'v.m3u8', 'http://o/live/ch1/v.m3u8', [
      '#EXTINF:2,',
      'http://cdn/a.ts',
    ]);
    expect(window.mapped).toBe(window.text);
    expect(window.files.size).toBe(0);
  });
});

describe('the announced bandwidth', () => {
  it.each([
    [0, 1_234_567, 1_300_000],
    [0, 1_200_000, 1_200_000],
    [0, 1_200_001, 1_300_000],
    [0, 7, 7],
    [1_300_000, 1_299_999, 1_300_000],
    [1_300_000, 1_300_000, 1_300_000],
    [1_300_000, 1_300_001, 1_400_000],
    [9_900_000, 9_900_001, 10_000_000],
  ])('of %d becomes, with a segment of %d bit/s, %d', (announced, rate, raised) =>
    expect(raiseBandwidth(announced, rate)).toBe(raised),
  );

  it('takes nothing from segments without length or duration', () => {
    expect(bitRate(1000, 2000)).toBe(4000);
    expect(bitRate(0, 2000)).toBeUndefined();
    expect(bitRate(1000, 0)).toBeUndefined();
  });
});
