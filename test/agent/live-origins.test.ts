import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadClip } from '../../src/demo/test-channel.ts';
import type { FakeOrigin, FakeOriginOptions, FakeSession } from '../support/fake-origin-server.ts';
import { contentOf, createLiveRig, type LiveRig, textOf } from '../support/live-rig.ts';

const onAir = { onAir: true };
const off = (reason: string) => ({ onAir: false, reason });
let rig: LiveRig;

beforeEach(() => {
  rig = createLiveRig();
});
afterEach(() => rig.close());

async function arrange(options: FakeOriginOptions = {}): Promise<FakeOrigin> {
  const origin = await rig.origin(options);
  rig.configure({ name: 'ch1', origin: origin.entry, group: 'ch1' });
  await rig.run(200);
  origin.advance();
  await rig.run(1300);
  return origin;
}

const ladderUris = () => rig.live.entry('ch1')?.template.ladder.variants.map(({ uri }) => uri);
const media = (rest: string) => textOf(rig.live.media('ch1', rest)?.bytes ?? new Uint8Array());
const fetched = async (rest: string, query = '') =>
  contentOf(await rig.live.open('ch1', rest, query, undefined));

/** What a player does: the URI in a playlist against the playlist's own URL. */
function seenFrom(path: string, uri: string): [rest: string, query: string] {
  const url = new URL(uri, `http://node-a/ch1/${path}`);
  expect(url.pathname.startsWith('/ch1/'), uri).toBe(true);
  return [url.pathname.slice('/ch1/'.length), url.search.slice(1)];
}

const lastUri = (playlist: string) =>
  playlist.split('\n').findLast((line) => line !== '' && !line.startsWith('#')) ?? '';

describe.each<[string, FakeOriginOptions]>([
  ['plain', {}],
  ['with root-relative URIs', { uris: 'root-relative' }],
  ['with absolute URIs', { uris: 'absolute' }],
  ['with a single rung beside its entry', { rungs: [{ path: 'main_stream.m3u8', bandwidth: 1 }] }],
  [
    'with a rung called as our entry',
    { entryPath: '/live/main.m3u8', rungs: [{ path: 'index.m3u8', bandwidth: 1 }] },
  ],
  ['with fMP4', { container: 'fmp4' }],
  ['with an audio rendition', { audio: 'audio/en.m3u8' }],
  ['with the session of MediaMTX in a cookie', { session: 'mediamtx' }],
  ['with the session of MediaMTX in the query', { session: 'mediamtx-query' }],
  ['with the context of SRS', { session: 'srs', entryPath: '/live/s.m3u8', rungs: [] }],
  ['with only a media playlist', { entryPath: '/hls/ch1.m3u8', rungs: [] }],
])('an origin %s', (_, options) => {
  it('is watched from its entry to its segments', async () => {
    await arrange(options);
    expect(rig.air('ch1')).toEqual(onAir);
    const uris = ladderUris() ?? [];
    expect(uris.length).toBeGreaterThan(0);
    for (const uri of uris) {
      const [rest] = seenFrom('index.m3u8', uri);
      expect(rig.live.isPlaylist('ch1', rest)).toBe(true);
      const playlist = media(rest);
      expect(playlist).toContain('#EXTINF');
      const [segment, query] = seenFrom(rest, lastUri(playlist));
      expect(await fetched(segment, query)).toContain('seg11.');
      const map = /EXT-X-MAP:URI="([^"]+)"/.exec(playlist)?.[1];
      if (map !== undefined) expect(await fetched(...seenFrom(rest, map))).toContain('init.mp4');
    }
    expect(rig.live.facts('ch1')?.hls?.container).toBe(options.container ?? 'ts');
  });

  it('costs one request per refresh and segment, however many watch', async () => {
    const origin = await arrange(options);
    const [rest] = seenFrom('index.m3u8', ladderUris()?.[0] ?? '');
    const [segment, query] = seenFrom(rest, lastUri(media(rest)));
    const before = origin.requests.length;
    const now = rig.clock.now();
    const viewers = Array.from({ length: 1000 }, async () => {
      await rig.live.load('ch1', 'entry', now);
      await rig.live.load('ch1', rest, now);
      return fetched(segment, query);
    });
    const contents = await Promise.all(viewers);
    expect(new Set(contents).size).toBe(1);
    const asked = origin.requests.slice(before).map(({ path }) => path);
    expect(asked.length).toBeLessThanOrEqual(2);
    expect(new Set(asked).size).toBe(asked.length);
  });
});

describe.each<FakeSession>(['none', 'mediamtx', 'mediamtx-query', 'srs'])(
  'field report 33: an origin with session "%s" that restarts',
  (session) => {
    it('is on air again within 3 s, 20 times, under the same viewer URIs', async () => {
      const options = session === 'srs' ? { entryPath: '/live/s.m3u8', rungs: [] } : {};
      const origin = await arrange({ session, targetS: 1, ...options });
      const uris = ladderUris();
      let number = 11;
      for (let restart = 0; restart < 20; restart++) {
        await origin.stop();
        await rig.run(1500);
        expect(rig.air('ch1')).toEqual(off('origin-unreachable'));
        number += 1;
        await origin.start(number);
        let waitedMs = 0;
        for (; !rig.air('ch1')?.onAir && waitedMs < 10_000; waitedMs += 100) {
          await rig.run(100);
          if (waitedMs % 1000 === 900) origin.advance();
        }
        expect(waitedMs).toBeLessThanOrEqual(3000);
        expect(ladderUris()).toEqual(uris);
        const [rest] = seenFrom('index.m3u8', uris?.[0] ?? '');
        const [segment, query] = seenFrom(rest, lastUri(media(rest)));
        expect(await fetched(segment, query)).toContain('.ts');
        number += 1;
      }
    });
  },
);

describe('a session that the origin forgets', () => {
  it('is renewed unnoticed: old URIs of viewers go on', async () => {
    const origin = await arrange({ session: 'mediamtx-query' });
    const old = media('high/video.m3u8');
    const [segment, query] = seenFrom('high/video.m3u8', lastUri(old));
    expect(query).toMatch(/^session=/);
    await origin.stop();
    await origin.start();
    await rig.run(1500);
    expect(media('high/video.m3u8')).not.toContain(query);
    expect(rig.live.media('ch1', `high/video.m3u8?${query}`)).toBeDefined();
    expect(await fetched(segment, query)).toContain('seg11');
    expect(rig.air('ch1')).toEqual(onAir);
  });
});

describe('an origin with only a media playlist', () => {
  const clip = loadClip();
  const number = (path: string) => Number(/seg(\d+)\.ts$/.exec(path)?.[1]);
  const real = {
    entryPath: '/hls/ch1.m3u8',
    rungs: [],
    segment: (path: string) => clip[number(path) % clip.length],
  };

  it('gets a multivariant playlist with what its segments are, measured from one of them', async () => {
    const origin = await arrange(real);
    const entry = rig.live.entry('ch1');
    expect(entry?.madeUp).toBe(true);
    const [variant] = entry?.template.ladder.variants ?? [];
    expect(variant).toMatchObject({ uri: '~live.m3u8', resolution: '640x360' });
    expect(variant?.codecs).toMatch(/^avc1\.[0-9a-f]{6},mp4a\.40\.2$/i);
    const rates = clip.map((segment) => (segment.length * 8) / 2);
    expect(variant?.bandwidth).toBeGreaterThanOrEqual(Math.min(...rates));
    expect(variant?.bandwidth).toBeLessThanOrEqual(Math.max(...rates) * 1.11);
    expect(origin.requests.filter(({ path }) => path.endsWith('.ts'))).toHaveLength(1);
  });

  it('raises the bandwidth with a larger segment, and never lowers it', async () => {
    const sizes: Record<number, number> = { 9: 100_000, 11: 300_000 };
    const origin = await arrange({
      ...real,
      segment: (path) => Buffer.alloc(sizes[number(path)] ?? 200_000),
    });
    const bandwidth = () => rig.live.entry('ch1')?.template.ladder.variants[0]?.bandwidth;
    expect(bandwidth()).toBe(800_000);
    await fetched('seg9.ts');
    expect(bandwidth()).toBe(800_000);
    await fetched('seg11.ts');
    await expect.poll(bandwidth).toBe(1_200_000);
    const template = rig.live.entry('ch1')?.template;
    origin.advance(3);
    await rig.run(1200);
    await fetched('seg14.ts');
    expect(rig.live.entry('ch1')?.template).toBe(template);
  });

  it('is starting until a segment could be measured, but not for ever', async () => {
    const origin = await rig.origin({ ...real, knobs: { segmentStatus: 500 } });
    rig.configure({ name: 'ch1', origin: origin.entry, group: 'ch1' });
    await rig.run(500);
    expect(rig.air('ch1')).toEqual(off('starting'));
    for (let second = 0; second < 7; second++) {
      origin.advance();
      await rig.run(1000);
    }
    expect(rig.air('ch1')).toEqual(onAir);
    expect(rig.live.entry('ch1')?.template.ladder.variants[0]).toEqual({
      uri: '~live.m3u8',
      bandwidth: 2_000_000,
    });
  });

  it('is measured within the first load where nobody watched before', async () => {
    const origin = await rig.origin(real);
    rig.configure({ name: 'ch1', origin: origin.entry });
    const entry = await rig.live.load('ch1', 'entry', rig.clock.now());
    expect(entry).toMatchObject({ kind: 'entry', madeUp: true });
    expect(rig.air('ch1')).toEqual(onAir);
  });

  it('may turn to a multivariant playlist, and back', async () => {
    const origin = await arrange(real);
    origin.channel.rungs = [{ path: 'v/v.m3u8', bandwidth: 1_000_000 }];
    await rig.run(1700);
    expect(ladderUris()).toEqual(['v/v.m3u8']);
    origin.channel.rungs = [];
    await rig.run(2500);
    expect(ladderUris()).toEqual(['~live.m3u8']);
  });
});

describe('a folder', () => {
  it('is an origin like any other', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'understudy-live-'));
    const publish = (newest: number) => {
      const segments = [newest - 2, newest - 1, newest]
        .map((n) => `#EXTINF:2,\ns${n}.ts\n`)
        .join('');
      const head = `#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXT-X-MEDIA-SEQUENCE:${newest - 2}\n`;
      writeFileSync(join(folder, `s${newest}.ts`), `segment ${newest}`);
      writeFileSync(join(folder, 'index.m3u8'), head + segments);
    };
    try {
      publish(5);
      writeFileSync(
        join(folder, 'master.m3u8'),
        '#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nindex.m3u8\n',
      );
      rig.configure({ name: 'ch1', origin: join(folder, 'master.m3u8'), group: 'g' });
      await rig.run(100);
      publish(6);
      await rig.run(1100);
      expect(rig.air('ch1')).toEqual(onAir);
      expect(rig.live.facts('ch1')?.hls?.lastMovedAt).toBeDefined();
      expect(ladderUris()).toEqual(['~root/index.m3u8']);
      expect(lastUri(media('~root/index.m3u8'))).toBe('../s6.ts');
      expect(await fetched('~root/s5.ts')).toBe('segment 5');
      expect(await fetched('s6.ts')).toBe('segment 6');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
