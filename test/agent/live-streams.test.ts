import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FakeOrigin } from '../support/fake-origin-server.ts';
import { contentOf, createLiveRig, type LiveRig, textOf } from '../support/live-rig.ts';

const onAir = { onAir: true };
const off = (reason: string) => ({ onAir: false, reason });
let rig: LiveRig;

beforeEach(() => {
  rig = createLiveRig();
});
afterEach(() => rig.close());

/** A grouped stream `ch1` on air, its window seen to move. */
async function arrangeOnAir(options: Parameters<LiveRig['origin']>[0] = {}): Promise<FakeOrigin> {
  const origin = await rig.origin(options);
  rig.configure({ name: 'ch1', origin: origin.entry, group: 'ch1' });
  await rig.run(200);
  origin.advance();
  await rig.run(1200);
  return origin;
}

describe('which stream a path names', () => {
  it('is the one with the longest name', () => {
    rig.configure({ name: 'sport' }, { name: 'sport/hd' }, { name: 'tv ä' });
    const named = (path: string) => {
      const match = rig.live.match(path);
      return match && [match.stream.name, match.rest];
    };
    expect(named('sport/index.m3u8')).toEqual(['sport', 'index.m3u8']);
    expect(named('sport/hd/a%20b/c.ts')).toEqual(['sport/hd', 'a%20b/c.ts']);
    expect(named('sport/hdx/c.ts')).toEqual(['sport', 'hdx/c.ts']);
    expect(named('s%70ort/h%64/x')).toEqual(['sport/hd', 'x']);
    expect(named('sport%2Fhd/x')).toBeUndefined();
    expect(named('tv%20%C3%A4/x')).toEqual(['tv ä', 'x']);
    expect(named('sport')).toEqual(['sport', '']);
    for (const path of ['', '/', 'news/x', '%', '%ff/x', '/sport/x', 'Sport/x'])
      expect(named(path), path).toBeUndefined();
    expect(named('sport//x')).toEqual(['sport', '/x']);
  });
});

describe('a stream of a group', () => {
  it('is fresh without anybody watching: every rung each half target duration, the entry seldom', async () => {
    const origin = await arrangeOnAir({ targetS: 2 });
    expect(rig.air('ch1')).toEqual(onAir);
    const before = {
      entry: origin.count('index.m3u8'),
      high: origin.count('high/video.m3u8'),
      low: origin.count('low/video.m3u8'),
    };
    for (let second = 0; second < 10; second++) {
      await rig.run(1000);
      if (second % 2 === 0) origin.advance();
    }
    expect(origin.count('index.m3u8') - before.entry).toBe(1);
    for (const [path, count] of [
      ['high/video.m3u8', before.high],
      ['low/video.m3u8', before.low],
    ] as const) {
      expect(origin.count(path) - count).toBeGreaterThanOrEqual(9);
      expect(origin.count(path) - count).toBeLessThanOrEqual(25);
    }
  });

  it('has its entry, its playlists and what others are told of it', async () => {
    await arrangeOnAir();
    expect(rig.live.entry('ch1')).toMatchObject({ kind: 'entry', madeUp: false });
    expect(rig.live.entry('ch1')?.template.ladder.variants.map(({ uri }) => uri)).toEqual([
      'high/video.m3u8',
      'low/video.m3u8',
    ]);
    expect(
      textOf(rig.live.media('ch1', 'low/video.m3u8?pass=x')?.bytes ?? new Uint8Array()),
    ).toContain('seg11.ts');
    expect(rig.live.facts('ch1')).toMatchObject({
      name: 'ch1',
      group: 'ch1',
      hls: { air: onAir, container: 'ts', lowLatency: false },
    });
    expect(rig.live.facts('ch1')?.hls?.lastMovedAt).toBeDefined();
    expect(rig.live.facts('ch1')?.dash).toBeUndefined();
  });

  it('has facts that stay the same object while nothing changes', async () => {
    const origin = await arrangeOnAir();
    origin.advance();
    await rig.run(2000);
    const [facts, all, version] = [
      rig.live.facts('ch1'),
      rig.live.allFacts(),
      rig.live.factsVersion,
    ];
    for (let segment = 0; segment < 8; segment++) {
      origin.advance();
      await rig.run(2000);
    }
    expect(rig.live.facts('ch1')).toBe(facts);
    expect(rig.live.allFacts()).toBe(all);
    expect(rig.live.factsVersion).toBe(version);
    origin.knobs.frozen = true;
    await rig.run(4000);
    expect(rig.live.facts('ch1')).not.toBe(facts);
    expect(rig.live.factsVersion).toBeGreaterThan(version);
  });

  it('may be reconfigured without being read anew, unless its origin is another', async () => {
    const origin = await arrangeOnAir();
    const entry = rig.live.entry('ch1');
    rig.configure({ name: 'ch1', origin: origin.entry, group: 'ch1', source: 'x', reserve: false });
    expect(rig.live.entry('ch1')).toBe(entry);
    expect(rig.live.facts('ch1')).toMatchObject({
      source: 'x',
      reserve: false,
      hls: { air: onAir },
    });
    const other = await rig.origin();
    rig.configure({ name: 'ch1', origin: other.entry, group: 'ch1' });
    expect(rig.live.entry('ch1')).toBeUndefined();
    rig.configure();
    expect(rig.live.facts('ch1')).toBeUndefined();
    expect(rig.live.allFacts()).toEqual([]);
  });
});

describe('field report 10: a live window that stands still', () => {
  it('takes the stream off air 1.5 target durations after it last moved', async () => {
    const origin = await arrangeOnAir({ targetS: 4 });
    origin.advance();
    await rig.run(600);
    origin.knobs.frozen = true;
    const movedAt = rig.clock.now().monoMs - 600;
    while (rig.air('ch1')?.onAir) await rig.run(50);
    const stoodMs = rig.clock.now().monoMs - movedAt;
    expect(rig.air('ch1')).toEqual(off('frozen'));
    expect(stoodMs).toBeGreaterThan(4000);
    expect(stoodMs).toBeLessThanOrEqual(6000 + 2000);
    origin.knobs.frozen = false;
    origin.advance();
    await rig.run(2100);
    expect(rig.air('ch1')).toEqual(onAir);
  });

  it('is not believed to stand still while segments come late by less than half a target duration', async () => {
    const origin = await arrangeOnAir({ targetS: 4 });
    for (const gapMs of [4000, 5500, 4000, 5900, 2000, 5900]) {
      await rig.run(gapMs);
      expect(rig.air('ch1'), `after ${gapMs}`).toEqual(onAir);
      origin.advance();
    }
  });
});

describe('field report 9: a media sequence that falls back', () => {
  it('is noticed with the next reading, and over when the new numbers move', async () => {
    const origin = await arrangeOnAir({ newest: 1419 });
    origin.knobs.sequenceShift = -1417;
    await rig.run(1050);
    expect(rig.air('ch1')).toEqual(off('sequence-fell-back'));
    origin.advance();
    await rig.run(300);
    expect(rig.air('ch1')).toEqual(onAir);
  });

  it('has names mean other segments than before', async () => {
    const origin = await arrangeOnAir();
    const name = 'high/seg8.ts';
    expect(await contentOf(await rig.live.open('ch1', name, '', undefined))).toContain('seg8');
    origin.route('/live/ch1/high/seg8.ts', (_, response) => response.end('after the restart'));
    expect(await contentOf(await rig.live.open('ch1', name, '', undefined))).toContain('seg8');
    origin.knobs.sequenceShift = -3;
    await rig.run(1050);
    expect(await contentOf(await rig.live.open('ch1', name, '', undefined))).toBe(
      'after the restart',
    );
  });
});

describe('other trouble at the origin', () => {
  it('ENDLIST ends the stream', async () => {
    const origin = await arrangeOnAir();
    origin.knobs.ended = true;
    await rig.run(1050);
    expect(rig.air('ch1')).toEqual(off('ended'));
  });

  it('an error page with status 200 is no playlist', async () => {
    const origin = await arrangeOnAir();
    origin.knobs.playlistBody = '<html>oops</html>';
    await rig.run(1050);
    expect(rig.air('ch1')).toEqual(off('playlist-invalid'));
    expect(rig.live.media('ch1', 'high/video.m3u8')).toBeDefined();
    delete origin.knobs.playlistBody;
    origin.advance();
    await rig.run(1500);
    expect(rig.air('ch1')).toEqual(onAir);
  });

  it('a single failing reading does no harm, "not found" twice or other faults three times do', async () => {
    const origin = await arrangeOnAir();
    origin.knobs.playlistStatus = 500;
    await rig.run(1000);
    delete origin.knobs.playlistStatus;
    origin.advance();
    await rig.run(1500);
    expect(rig.air('ch1')).toEqual(onAir);
    origin.knobs.playlistStatus = 404;
    await rig.run(1600);
    expect(rig.air('ch1')).toEqual(off('origin-status'));
  });

  it('one rung alone takes the stream off air', async () => {
    const origin = await arrangeOnAir();
    origin.route('/live/ch1/low/video.m3u8', (_, response) => response.writeHead(404).end());
    await rig.run(2000);
    expect(rig.air('ch1')).toEqual(off('origin-status'));
  });

  it('of one stream touches no other, even with an origin that never answers', async () => {
    const good = await rig.origin();
    const bad = await rig.origin({ knobs: { hang: true } });
    rig.configure(
      ...Array.from({ length: 30 }, (_, n) => ({ name: `bad${n}`, origin: bad.entry, group: 'g' })),
      { name: 'good', origin: good.entry, group: 'g' },
      { name: 'wrong', origin: 'ftp://nowhere/x', group: 'g' },
    );
    for (let round = 0; round < 6; round++) {
      rig.clock.advance(300);
      void rig.live.tick(rig.clock.now());
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
    expect(rig.air('good')).toEqual(onAir);
    expect(rig.air('bad7')).toEqual(off('starting'));
    expect(rig.air('wrong')).toEqual(off('origin-refused'));
    await expect.poll(() => rig.air('bad7'), { timeout: 3000 }).toEqual(off('origin-timeout'));
  });

  it('has a stream of many rungs ask for six at once, no more', async () => {
    const rungs = Array.from({ length: 20 }, (_, n) => ({ path: `r${n}/v.m3u8`, bandwidth: 1 }));
    const origin = await rig.origin({ rungs });
    rig.configure({ name: 'ch1', origin: origin.entry, group: 'ch1' });
    await rig.run(50);
    origin.knobs.hang = true;
    rig.clock.advance(50);
    const ticking = rig.live.tick(rig.clock.now());
    void rig.live.tick(rig.clock.now());
    await expect.poll(() => origin.count('/v.m3u8')).toBe(6);
    await ticking;
    expect(origin.count('/v.m3u8')).toBe(6);
  });

  it('is logged once per change, never with a URL', async () => {
    const origin = await arrangeOnAir();
    origin.knobs.ended = true;
    await rig.run(3000);
    expect(rig.events).toEqual([
      { event: 'stream on air', fields: { stream: 'ch1', protocol: 'hls' } },
      { event: 'stream off air', fields: { stream: 'ch1', protocol: 'hls', reason: 'ended' } },
    ]);
  });
});

describe('a stream outside of any group', () => {
  it('costs its origin nothing until somebody comes', async () => {
    const origin = await rig.origin();
    rig.configure({ name: 'ch1', origin: origin.entry });
    await rig.run(3000);
    expect(origin.requests).toHaveLength(0);
    expect(rig.air('ch1')).toEqual(off('starting'));
  });

  it('is read when it is loaded, once for everybody, and then judged', async () => {
    const origin = await rig.origin();
    rig.configure({ name: 'ch1', origin: origin.entry });
    const now = rig.clock.now();
    const loads = Array.from({ length: 500 }, () => rig.live.load('ch1', 'entry', now));
    const loaded = await Promise.all(loads);
    expect(loaded[0]).toMatchObject({ kind: 'entry' });
    expect(origin.requests.map(({ path }) => path)).toEqual([
      '/live/ch1/index.m3u8',
      '/live/ch1/high/video.m3u8',
    ]);
    expect(rig.air('ch1')).toEqual(onAir);
    const medias = Array.from({ length: 500 }, () => rig.live.load('ch1', 'low/video.m3u8', now));
    expect((await Promise.all(medias))[499]).toMatchObject({
      kind: 'media',
      targetDurationMs: 2000,
    });
    expect(origin.requests).toHaveLength(3);
  });

  it.each([
    [29_950, true],
    [30_000, true],
    [30_050, false],
  ])(
    'is kept fresh for 30 s after it was watched: %d ms later it is fresh: %s',
    async (ms, isFresh) => {
      const origin = await rig.origin();
      rig.configure({ name: 'ch1', origin: origin.entry });
      rig.live.watch('ch1', rig.clock.now());
      await rig.run(100);
      expect(rig.live.entry('ch1')).toBeDefined();
      rig.clock.advance(ms - 100);
      await rig.live.tick(rig.clock.now());
      expect(rig.live.entry('ch1') !== undefined).toBe(isFresh);
      expect(rig.live.media('ch1', 'high/video.m3u8') !== undefined).toBe(isFresh);
    },
  );

  it('answers within a second when its origin hangs, and remembers it for a moment', async () => {
    const origin = await rig.origin({ knobs: { hang: true } });
    rig.configure({ name: 'ch1', origin: origin.entry });
    const startedAt = performance.now();
    expect(await rig.live.load('ch1', 'entry', rig.clock.now())).toMatchObject({
      reason: 'origin-timeout',
    });
    expect(performance.now() - startedAt).toBeLessThan(1900);
    expect(await rig.live.load('ch1', 'entry', rig.clock.now())).toMatchObject({
      reason: 'origin-timeout',
    });
    expect(origin.requests).toHaveLength(1);
  });

  it('and unknown names and protocols are faults', async () => {
    const origin = await rig.origin();
    rig.configure({ name: 'ch1', origin: origin.entry }, { name: 'dash', dash: origin.entry });
    const now = rig.clock.now();
    expect(await rig.live.load('other', 'entry', now)).toMatchObject({ reason: 'unknown-stream' });
    expect(await rig.live.open('other', 'x', '', undefined)).toMatchObject({
      reason: 'unknown-stream',
    });
    expect(await rig.live.load('ch1', 'mpd', now)).toMatchObject({ reason: 'no-such-protocol' });
    expect(await rig.live.load('dash', 'entry', now)).toMatchObject({ reason: 'no-such-protocol' });
    expect(await rig.live.load('ch1', '../x.m3u8', now)).toMatchObject({ reason: 'path-invalid' });
    expect(await rig.live.load('ch1', '~live.m3u8', now)).toMatchObject({ reason: 'not-found' });
    expect(await rig.live.open('ch1', '%2e%2e/x', '', undefined)).toMatchObject({
      reason: 'path-invalid',
    });
  });

  it('gives playlists that the entry does not name, while somebody asks for them', async () => {
    const origin = await rig.origin();
    origin.route('/live/ch1/iframes.m3u8', (_, response) => {
      response.end('#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\nhttp://cdn/x.ts\n');
    });
    rig.configure({ name: 'ch1', origin: origin.entry });
    const load = () => rig.live.load('ch1', 'iframes.m3u8', rig.clock.now());
    expect(await load()).toMatchObject({ kind: 'media' });
    expect(rig.live.media('ch1', 'iframes.m3u8')).toBeDefined();
    await rig.run(2000);
    expect(origin.count('iframes.m3u8')).toBeGreaterThanOrEqual(2);
    expect(await rig.live.load('ch1', 'none.m3u8', rig.clock.now())).toMatchObject({ status: 404 });
    expect(rig.live.isPlaylist('ch1', 'x/y.M3U8?a')).toBe(true);
    expect(rig.live.isPlaylist('ch1', 'x/y.ts')).toBe(false);
  });
});
