import { describe, expect, it } from 'vitest';
import { withoutSecrets } from '../../../src/core/stream/without-secrets.ts';

const ch1 = { name: 'ch1', reserve: true };
const originOf = (origin: string) => withoutSecrets({ ...ch1, origin }).origin;
const apiOf = (url: string) =>
  withoutSecrets({ ...ch1, archive: { api: { kind: 'flussonic', url } } }).archive?.api?.url;

describe('settings without secrets', () => {
  it('are the same where there is none', () => {
    const stream = {
      ...{ ...ch1, group: 'ch1', source: 'studio', origin: 'http://127.0.0.1:8888/ch1/' },
      dash: '/srv/dash/ch1/manifest.mpd',
      archive: {
        ...({ api: { kind: 'mediamtx', url: 'http://127.0.0.1:9996/ch1' }, depth_h: 24 } as const),
        url: 'dvr/{start}-{duration}.m3u8',
      },
    };
    expect(withoutSecrets(stream)).toEqual(stream);
    expect(Object.keys(withoutSecrets(ch1))).toEqual(['name', 'reserve']);
  });

  it.each([
    ['http://h/a.m3u8?key=s3cret', 'http://h/a.m3u8?key='],
    ['http://h/a.m3u8?a=1&b=s3=cret&c', 'http://h/a.m3u8?a=&b=&'],
    ['http://h/a.m3u8?s3cret', 'http://h/a.m3u8?'],
    ['udp://239.0.0.1:1234?localaddr=10.0.0.1', 'udp://239.0.0.1:1234?localaddr='],
    ['/srv/what?=this/index.m3u8', '/srv/what?=this/index.m3u8'],
  ])('keep of the origin %s no value of the query', (origin, kept) => {
    expect(originOf(origin)).toBe(kept);
    expect(withoutSecrets({ ...ch1, dash: origin }).dash).toBe(kept);
  });

  it.each([
    ['http://reader:s3cret@127.0.0.1:80/news', 'http://127.0.0.1/news'],
    ['http://s3cret@h/news?k=s3cret', 'http://h/news?k='],
    ['http://:s3cret@h/', 'http://h/'],
    ['http:\\\\reader:s3cret@h\\news', 'http://h/news'],
    ['http:reader:s3cret@h/news', 'http://h/news'],
    ['http://h/news@home', 'http://h/news@home'],
  ])('keep of the address %s of an archive no user name and no password', (url, kept) => {
    expect(apiOf(url)).toBe(kept);
  });

  it('keep of a pattern of archive addresses no value of the query', () => {
    const archive = { url: 'a.m3u8?key=s3cret&from={utc}' };
    expect(withoutSecrets({ ...ch1, archive }).archive?.url).toBe('a.m3u8?key=&from=');
  });
});
