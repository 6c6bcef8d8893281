import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  dashPath,
  mapUri,
  type OriginPlace,
  originPlace,
  toOriginUrl,
  toViewerPath,
} from '../../../src/core/stream/origin-paths.ts';

function place(entry: string): OriginPlace {
  const found = originPlace(entry, 'index.m3u8');
  if (found === undefined) throw new Error('not an entry');
  return found;
}

const overHttp = place('http://127.0.0.1:8888/live/ch1/master.m3u8?key=1');
const inFolder = place('/srv/hls/ch 1');

describe('where an entry lies', () => {
  it.each([
    ['http://o:8888/a/b.m3u8', 'http://o:8888/a/b.m3u8', 'http://o:8888/a/', 'http://o:8888/'],
    ['https://o/b.m3u8?x=1#y', 'https://o/b.m3u8?x=1', 'https://o/', 'https://o/'],
    ['/srv/ch1', 'file:///srv/ch1/index.m3u8', 'file:///srv/ch1/', 'file:///srv/ch1/'],
    ['/srv/ch1/', 'file:///srv/ch1/index.m3u8', 'file:///srv/ch1/', 'file:///srv/ch1/'],
    ['/srv/a%20b?c#d', 'file:///srv/a%2520b%3Fc%23d/index.m3u8', undefined, undefined],
    ['/srv/ch1/main.M3U8', 'file:///srv/ch1/main.M3U8', 'file:///srv/ch1/', 'file:///srv/ch1/'],
    ['file:///srv/ch1', 'file:///srv/ch1/index.m3u8', 'file:///srv/ch1/', 'file:///srv/ch1/'],
  ])('%s', (entry, url, folder, root) => {
    const found = originPlace(entry, 'index.m3u8');
    expect(found?.entry).toBe(url);
    if (folder !== undefined) expect(found).toMatchObject({ folder, root });
  });

  it.each(['', 'live/ch1', 'ftp://o/a', 'http://', 'http://u:p@o/a', 'file://host/a', 'data:,x'])(
    'is nowhere for %j',
    (entry) => expect(originPlace(entry, 'index.m3u8')).toBeUndefined(),
  );
});

describe('what a viewer may name at an HTTP origin', () => {
  it.each([
    ['seg1.ts', '', 'http://127.0.0.1:8888/live/ch1/seg1.ts'],
    ['a/b/c.m4s', 'session=x', 'http://127.0.0.1:8888/live/ch1/a/b/c.m4s?session=x'],
    ['~root/live/s.m3u8', 'hls_ctx=1', 'http://127.0.0.1:8888/live/s.m3u8?hls_ctx=1'],
    ['a%2520b,c(1).ts', '', 'http://127.0.0.1:8888/live/ch1/a%2520b,c(1).ts'],
    ['a%252e%252e/b', '', 'http://127.0.0.1:8888/live/ch1/a%252e%252e/b'],
    ['@evil.net:80', '', 'http://127.0.0.1:8888/live/ch1/@evil.net:80'],
    ['http:a', '', 'http://127.0.0.1:8888/live/ch1/http:a'],
    ['...', '', 'http://127.0.0.1:8888/live/ch1/...'],
    [
      's.ts',
      'pass=p&session=x&round=2&CMCD=c&_HLS_msn=1&_HLS_part=2&_HLS_skip=YES',
      'http://127.0.0.1:8888/live/ch1/s.ts?session=x',
    ],
    ['s.ts', 'pass=p', 'http://127.0.0.1:8888/live/ch1/s.ts'],
    [
      's.ts',
      'a=../../x?b=//evil.net/',
      'http://127.0.0.1:8888/live/ch1/s.ts?a=../../x?b=//evil.net/',
    ],
  ])('%s ? %s', (path, query, url) => expect(toOriginUrl(overHttp, path, query)).toBe(url));

  it.each([
    '',
    '/',
    '/etc/passwd',
    '//evil.net/x',
    '.',
    '..',
    './x',
    '../x',
    'a/../x',
    'a/..',
    'a//x',
    'a/',
    '%2e%2e/x',
    '%2E./x',
    '.%2e/x',
    'a%2f..%2fx',
    'a%5c..%5cx',
    'a\\..\\x',
    '\\\\evil.net\\x',
    'x%00.ts',
    'x%0d%0aHost:evil',
    'x%7f',
    'x%',
    'x%zz',
    'x\u0000',
    'x\ty',
    'x\r\ny',
    'x y',
    'x?y',
    'x#y',
    '~root/',
    '~root/../x',
    '~root//evil.net/x',
    '~root/%2e%2e/x',
    '~live.m3u8',
    '~dash/x',
    '~other/x',
    '~',
  ])('not %j', (path) => expect(toOriginUrl(overHttp, path, '')).toBeUndefined());

  it.each(['a\nb', 'a b', 'a#b', 'a\\b', 'a\u007fb'])('no query %j', (query) =>
    expect(toOriginUrl(overHttp, 'x.ts', query)).toBeUndefined(),
  );

  it('up to 2048 characters of path and query', () => {
    expect(toOriginUrl(overHttp, 'x'.repeat(2047), '')).toBeDefined();
    expect(toOriginUrl(overHttp, 'x'.repeat(2040), 'a=234567')).toBeDefined();
    expect(toOriginUrl(overHttp, 'x'.repeat(2048), '')).toBeDefined();
    expect(toOriginUrl(overHttp, 'x'.repeat(2049), '')).toBeUndefined();
    expect(toOriginUrl(overHttp, 'x'.repeat(2040), 'a=2345678')).toBeUndefined();
  });

  it('with a long pass beside it, which is not sent on', () => {
    expect(toOriginUrl(overHttp, 'x.ts', `pass=${'p'.repeat(2048)}`)).toMatch(/x\.ts$/);
  });

  const hostile = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.webPath(),
    fc
      .array(
        fc.constantFrom(
          ...['.', '..', '/', '//', '\\', '%2e', '%2f', '%5c', '%00', '%', '@', ':', '?', '#'],
          ...[
            '~root',
            '~',
            'http:',
            'evil.net',
            'a',
            ' ',
            '\t',
            '\n',
            '\u2025',
            '\uff0e',
            '\uff0f',
          ],
        ),
      )
      .map((parts) => parts.join('')),
  );

  it('whatever it is: always at the host, and below the folder without ~root', () => {
    fc.assert(
      fc.property(hostile, hostile, (path, query) => {
        for (const origin of [overHttp, inFolder]) {
          const url = toOriginUrl(origin, path, query);
          if (url === undefined) continue;
          const base = path.startsWith('~root/') ? origin.root : origin.folder;
          expect(url.startsWith(base)).toBe(true);
          const parsed = new URL(url);
          expect(parsed.host).toBe(new URL(origin.root).host);
          expect(parsed.protocol).toBe(new URL(origin.root).protocol);
          expect(decodeURIComponent(parsed.pathname).split('/')).not.toContain('..');
        }
      }),
      { numRuns: 2000 },
    );
  });
});

describe('what a URI in a playlist becomes', () => {
  const entry = { url: overHttp.entry, path: 'index.m3u8' };
  const child = { url: 'http://127.0.0.1:8888/live/ch1/low/video.m3u8', path: 'low/video.m3u8' };
  const outside = { url: 'http://127.0.0.1:8888/x/s.m3u8', path: '~root/x/s.m3u8' };

  it.each([
    [entry, 'low/video.m3u8'],
    [entry, 'video.m3u8?session=1'],
    [entry, './a,b(1).ts'],
    [child, 'seg1.ts'],
    [child, '../init.mp4'],
    [child, 'seg 1.ts'],
    [outside, 's-1.ts?hls_ctx=1'],
    [outside, '../y/s-1.ts'],
  ])('%j: %s stays', (at, uri) => expect(mapUri(overHttp, at, uri)).toEqual({ kind: 'same' }));

  it.each([
    [entry, '/live/ch1/low/v.m3u8', 'low/v.m3u8'],
    [entry, 'http://127.0.0.1:8888/live/ch1/a.m3u8?s=1#f', 'a.m3u8?s=1'],
    [entry, '//127.0.0.1:8888/live/ch1/a.m3u8', 'a.m3u8'],
    [entry, '/live/s.m3u8?hls_ctx=1', '~root/live/s.m3u8?hls_ctx=1'],
    [entry, '../ch1/a.m3u8', 'a.m3u8'],
    [entry, '../ch2/a.m3u8', '~root/live/ch2/a.m3u8'],
    [entry, 'index.m3u8', '~root/live/ch1/index.m3u8'],
    [entry, '~x/a.m3u8', '~root/live/ch1/~x/a.m3u8'],
    [entry, '/live/ch1/a:b.ts', './a:b.ts'],
    [child, '/live/ch1/low/seg1.ts', '../low/seg1.ts'],
    [child, '/seg1.ts', '../~root/seg1.ts'],
    [outside, '/live/ch1/seg1.ts', '../../seg1.ts'],
    [outside, '/x/seg1.ts', '../../~root/x/seg1.ts'],
    [{ url: 'http://127.0.0.1:8888/live/ch1/sub/x.m3u8', path: 'index.m3u8' }, 'a.ts', 'sub/a.ts'],
  ])('%j: %s is moved to %s', (at, uri, moved) =>
    expect(mapUri(overHttp, at, uri)).toEqual({ kind: 'moved', uri: moved }),
  );

  it.each([
    'http://cdn.example.net/a.ts',
    '//cdn.example.net/a.ts',
    'https://127.0.0.1:8888/live/ch1/a.ts',
    'http://127.0.0.1:8889/live/ch1/a.ts',
    'http://127.0.0.1:88880/live/ch1/a.ts',
    'data:text/plain,x',
    'skd://key',
    'urn:uuid:1',
    'http://',
    'a%2fb.ts',
    'a//b.ts',
    '{$base}/a.ts',
  ])('%s is left alone as foreign', (uri) =>
    expect(mapUri(overHttp, entry, uri)).toEqual({ kind: 'foreign' }),
  );

  it.each(['', '#x', '?'])('never carries the query of the entry: %j', (uri) => {
    const mapped = mapUri(overHttp, entry, uri);
    expect(JSON.stringify(mapped)).not.toContain('key');
  });

  it('is never outside of a local folder, whose root is the folder itself', () => {
    const at = { url: inFolder.entry, path: 'index.m3u8' };
    expect(mapUri(inFolder, at, 'v/a.ts')).toEqual({ kind: 'same' });
    expect(mapUri(inFolder, at, '../x.ts')).toEqual({ kind: 'foreign' });
    expect(mapUri(inFolder, at, 'file:///etc/passwd')).toEqual({ kind: 'foreign' });
    expect(mapUri(inFolder, at, '/etc/passwd')).toEqual({ kind: 'foreign' });
  });

  it('of a folder whose entry names an index.m3u8 beside it is the explicit form', () => {
    const main = place('/srv/ch1/master.m3u8');
    const at = { url: main.entry, path: 'index.m3u8' };
    expect(mapUri(main, at, 'index.m3u8')).toEqual({ kind: 'moved', uri: '~root/index.m3u8' });
    expect(toOriginUrl(main, '~root/index.m3u8', '')).toBe('file:///srv/ch1/index.m3u8');
  });

  it('leads a viewer to the file that the origin means', () => {
    const name = fc.constantFrom(
      'a',
      'b.ts',
      'index.m3u8',
      '~x',
      'a:b',
      'é',
      'live',
      'ch1',
      '..',
      '.',
    );
    const uris = fc
      .tuple(
        fc.constantFrom('', '/', '//127.0.0.1:8888/', '/live/ch1/'),
        fc.array(name, { minLength: 1 }),
      )
      .map(([start, names]) => start + names.join('/'));
    const places = fc.constantFrom(entry, child, outside);
    fc.assert(
      fc.property(places, uris, fc.constantFrom('', '?session=1'), (at, uri, query) => {
        const mapped = mapUri(overHttp, at, uri + query);
        if (mapped.kind === 'foreign') return;
        const text = mapped.kind === 'same' ? uri + query : mapped.uri;
        const seen = new URL(text, `http://node-a/tv/one/${at.path}`);
        expect(seen.pathname.startsWith('/tv/one/')).toBe(true);
        const path = seen.pathname.slice('/tv/one/'.length);
        const meant = new URL(uri + query, at.url).href;
        expect(toOriginUrl(overHttp, path, seen.search.slice(1))).toBe(meant);
        expect(toViewerPath(overHttp, at, uri)).toBe(path);
      }),
      { numRuns: 2000 },
    );
  });
});

it('takes ~dash/ off, and only that', () => {
  expect(dashPath('~dash/v/1.m4s')).toBe('v/1.m4s');
  expect(dashPath('~dashed/v')).toBeUndefined();
  expect(dashPath('v/1.m4s')).toBeUndefined();
});
