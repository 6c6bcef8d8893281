import { describe, expect, it } from 'vitest';
import type { TimeRange } from '../../../src/core/archive/ranges.ts';
import { record } from '../../support/fake-archive.ts';
import { type GroupRig, startGroup, urisOf } from '../../support/group-rig.ts';

const hourMs = 3_600_000;
const minuteMs = 60_000;

/** A group with recordings of `ch1`, and the period of one hour, an hour ago, that they are asked for. */
async function recordedGroup(
  of: (fromMs: number) => readonly (readonly TimeRange[] | undefined)[],
  options: Parameters<typeof record>[2] & { archive?: object } = {},
) {
  const { archive = { push: true }, ...recording } = options;
  const count = of(0).length;
  const rig = await startGroup(count, () => ({ stream: { archive } }));
  const fromMs = Math.floor(rig.node(0).clock.now().wallMs / minuteMs) * minuteMs - 2 * hourMs;
  for (const [at, ranges] of of(fromMs).entries())
    if (ranges !== undefined) record(rig.node(at), ranges, recording);
  await rig.run(8_000, 1_000);
  return { rig, fromS: fromMs / 1_000, fromMs };
}

const whole = (fromMs: number): TimeRange => ({ startMs: fromMs, endMs: fromMs + hourMs });
const part = (fromMs: number, from: number, to: number): TimeRange => ({
  startMs: fromMs + from * minuteMs,
  endMs: fromMs + to * minuteMs,
});

/** The first media playlist that an opened period names. */
async function openFirst(rig: GroupRig, at: number, path: string) {
  const opened = await rig.node(at).ask(path);
  const text = await opened.text();
  const [uri = ''] = urisOf(text);
  const media = await rig.node(at).ask(`/ch1/${uri}`);
  return { opened, multivariant: text, uri, media, playlist: await media.text() };
}

describe('a period that this node has', { timeout: 30_000 }, () => {
  it('is served here: both rungs, with a pass, and each as a finished playlist', async () => {
    const { rig, fromS } = await recordedGroup((fromMs) => [[whole(fromMs)], []]);
    const { opened, multivariant, media, playlist } = await openFirst(
      rig,
      0,
      `/ch1/index-${fromS}-3600.m3u8`,
    );
    expect(opened.status).toBe(200);
    expect(opened.headers.get('x-understudy-reason')).toBe('archive-own');
    expect(opened.headers.get('x-understudy-missing-seconds')).toBe('0');
    expect(opened.headers.get('cache-control')).toBe('private, no-store');
    expect(urisOf(multivariant).map((uri) => uri.replace(/pass=.*/, 'pass='))).toEqual([
      `~archive/high/video.m3u8/${fromS}-3600.m3u8?pass=`,
      `~archive/low/video.m3u8/${fromS}-3600.m3u8?pass=`,
    ]);
    expect(media.status).toBe(200);
    expect(playlist).toMatch(/#EXT-X-ENDLIST\n$/);
    expect(playlist).not.toContain('#EXT-X-DISCONTINUITY\n');
    expect(urisOf(playlist)).toHaveLength(600);
    expect(urisOf(playlist)[0]).toBe(`${(fromS * 1_000) / 6_000}.ts`);
  });

  it.each([
    ['start and end', (from: number) => `/ch1/index.m3u8?start=${from}&end=${from + 3_600}&x=1`],
    ['RFC 3339', (from: number) => `/ch1/index.m3u8?start=${iso(from)}&end=${iso(from + 3_600)}`],
    ['utc and lutc', (from: number) => `/ch1/index.m3u8?utc=${from}&lutc=${from + 3_600}`],
    ['any name', (from: number) => `/ch1/archive-${from}-3600.m3u8`],
  ])('is asked for by %s', async (_, path) => {
    const { rig, fromS } = await recordedGroup((fromMs) => [[whole(fromMs)]]);
    const { uri, playlist } = await openFirst(rig, 0, path(fromS));
    expect(uri).toContain(`/${fromS}-3600.m3u8`);
    expect(urisOf(playlist)).toHaveLength(600);
  });

  it('gives its segments, and 404 for those it has not', async () => {
    const { rig, fromS } = await recordedGroup((fromMs) => [[whole(fromMs)]]);
    const first = fromS / 6;
    const good = await rig.node(0).ask(`/ch1/~archive/high/video.m3u8/${first}.ts`);
    expect(good.status).toBe(200);
    expect(good.headers.get('cache-control')).toContain('immutable');
    const wrong = [
      `high/video.m3u8/${first - 1}.ts`,
      'high/video.m3u8/~gap.ts',
      `x/${first}.ts`,
      '',
    ];
    for (const path of wrong)
      expect((await rig.node(0).ask(`/ch1/~archive/${path}`)).status).toBe(404);
  });

  it('may be as short as half a minute, and begin within a segment', async () => {
    const { rig, fromS } = await recordedGroup((fromMs) => [[whole(fromMs)]]);
    const { playlist } = await openFirst(rig, 0, `/ch1/index-${fromS + 3}-30.m3u8`);
    const first = fromS / 6;
    expect(urisOf(playlist)).toEqual([0, 1, 2, 3, 4, 5].map((at) => `${first + at}.ts`));
  });

  it('grows until now where it is asked for to now, and its start stays where it is', async () => {
    const { rig, fromS, fromMs } = await recordedGroup((at) => [[part(at, 0, 119)]]);
    const { uri, playlist } = await openFirst(rig, 0, `/ch1/index-${fromS}-now.m3u8`);
    expect(uri).toContain(`/${fromS}-now.m3u8`);
    expect(playlist).toContain('#EXT-X-PLAYLIST-TYPE:EVENT\n');
    expect(playlist).not.toContain('ENDLIST');
    record(rig.node(0), [part(fromMs, 0, 120)]);
    const later = await (await rig.node(0).ask(`/ch1/${uri}`)).text();
    expect(later.startsWith(playlist)).toBe(true);
    expect(urisOf(later).length).toBe(urisOf(playlist).length + 10);
  });

  it('makes relative times absolute once', async () => {
    const { rig } = await recordedGroup((fromMs) => [[part(fromMs, 0, 119)]]);
    const nowS = Math.floor(rig.node(0).clock.now().wallMs / 1_000);
    const { uri } = await openFirst(rig, 0, '/ch1/index.m3u8?start=-600');
    expect(uri).toMatch(new RegExp(`/(${nowS - 600}|${nowS - 601})-now\\.m3u8`));
  });

  it('is answered to HEAD as to GET, without a body', async () => {
    const { rig, fromS } = await recordedGroup((fromMs) => [[whole(fromMs)]]);
    const head = await rig.node(0).ask(`/ch1/index-${fromS}-3600.m3u8`, { method: 'HEAD' });
    expect(head.status).toBe(200);
    expect(await head.text()).toBe('');
    expect(head.headers.get('access-control-allow-origin')).toBe('*');
  });

  it('is served with backups where other nodes with the same source have it, too', async () => {
    const { rig, fromS } = await recordedGroup((fromMs) => [[whole(fromMs)], [whole(fromMs)], []]);
    const opened = await rig.node(0).ask(`/ch1/index-${fromS}-3600.m3u8`);
    const backups = urisOf(await opened.text()).filter((uri) => uri.startsWith('http'));
    expect(backups.length).toBeGreaterThan(0);
    for (const uri of backups)
      expect(uri).toMatch(/^http:\/\/node-b\.example\.net\/ch1\/~archive\/(high|low)\/video/);
    const media = await rig.node(1).ask(backups[0] ?? '');
    expect(media.status).toBe(200);
  });
});

describe('a period that this node has not', { timeout: 30_000 }, () => {
  it('is on the node with most of it: 302 there, with a pass that it takes', async () => {
    const { rig, fromS } = await recordedGroup((fromMs) => [
      [],
      [part(fromMs, 0, 30)],
      [whole(fromMs)],
    ]);
    const opened = await rig.node(0).ask(`/ch1/index.m3u8?start=${fromS}&end=${fromS + 3_600}&x=1`);
    expect(opened.status).toBe(302);
    expect(opened.headers.get('cache-control')).toBe('no-store');
    const location = opened.headers.get('location') ?? '';
    expect(location).toMatch(
      new RegExp(`^http://node-c\\.example\\.net/ch1/index-${fromS}-3600\\.m3u8\\?x=1&pass=`),
    );
    const there = await rig.node(2).ask(location);
    expect(there.status).toBe(200);
    expect(there.headers.get('x-understudy-reason')).toBe('archive-own');
  });

  it('is never sent round: who came from a node that has it after all is answered here, with pieces of that', async () => {
    const { rig, fromS, fromMs } = await recordedGroup((at) => [[], [whole(at)]]);
    const opened = await rig.node(0).ask(`/ch1/index-${fromS}-3600.m3u8`);
    record(rig.node(1), []);
    record(rig.node(0), [whole(fromMs)]);
    await rig.run(8_000, 1_000);
    const there = await rig.node(1).ask(opened.headers.get('location') ?? '');
    expect(there.status).toBe(200);
    expect(there.headers.get('x-understudy-reason')).toBe('archive-joined');
    const [uri = ''] = urisOf(await there.text());
    const media = await rig.node(1).ask(`/ch1/${uri}`);
    expect(urisOf(await media.text())[599]).toMatch(/^http:\/\/node-a\.example\.net\/ch1\//);
  });

  it('and nobody has is not found', async () => {
    const { rig, fromS } = await recordedGroup(() => [[], []]);
    const opened = await rig.node(0).ask(`/ch1/index-${fromS}-3600.m3u8`);
    expect(opened.status).toBe(404);
    expect(await opened.json()).toMatchObject({ code: 'nothing-recorded' });
  });

  it('of a stream that only others carry is sent to them', async () => {
    const { rig, fromS } = await recordedGroup((fromMs) => [undefined, [whole(fromMs)]]);
    rig.node(0).configure([]);
    await rig.run(2_000, 1_000);
    const opened = await rig.node(0).ask(`/ch1/index-${fromS}-3600.m3u8`);
    expect(opened.status).toBe(302);
    expect(opened.headers.get('location')).toContain('http://node-b.example.net/ch1/index-');
  });

  it.each([
    ['swapped', (now: number) => `index.m3u8?start=${now - 60}&end=${now - 120}`, 'period-empty'],
    ['empty', (now: number) => `index.m3u8?start=${now - 60}&end=${now - 60}`, 'period-empty'],
    ['in the future', (now: number) => `index-${now + 60}-60.m3u8`, 'period-future'],
    ['too old', (now: number) => `index-${now - 25 * 3_600}-60.m3u8`, 'period-too-old'],
    ['no time', () => 'index.m3u8?start=yesterday', 'period-invalid'],
    ['no date', () => 'index.m3u8?start=2026-02-30T00:00:00Z', 'period-invalid'],
  ])('is malformed when it is %s', async (_, path, code) => {
    const archive = { push: true, depth_h: 24 };
    const { rig } = await recordedGroup((fromMs) => [[whole(fromMs)]], { archive });
    const nowS = Math.floor(rig.node(0).clock.now().wallMs / 1_000);
    const refused = await rig.node(0).ask(`/ch1/${path(nowS)}`);
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ code });
  });
});

describe('a period of 30 s', { timeout: 30_000 }, () => {
  it.each([
    ['long ago', (now: number) => `index-${now - 300}-30.m3u8`, '30'],
    ['that ends now', (now: number) => `index-${now - 30}-30.m3u8`, '30'],
    ['that ends in the future, cut to now', (now: number) => `index-${now - 20}-30.m3u8`, '20'],
    [
      'whose end is years ahead',
      (now: number) => `index.m3u8?start=${now - 20}&end=9999999999`,
      '20',
    ],
    ['that grows', () => 'index.m3u8?start=-30', 'now'],
  ])('%s is served', async (_, path, length) => {
    const { rig } = await recordedGroup((fromMs) => [[part(fromMs, 0, 121)]]);
    const nowS = Math.floor(rig.node(0).clock.now().wallMs / 1_000);
    const { opened, uri, media, playlist } = await openFirst(rig, 0, `/ch1/${path(nowS)}`);
    expect([opened.status, media.status]).toEqual([200, 200]);
    expect(uri).toMatch(new RegExp(`/\\d+-${length}\\.m3u8\\?pass=`));
    expect(urisOf(playlist).length).toBeGreaterThanOrEqual(3);
    expect(playlist.endsWith('#EXT-X-ENDLIST\n')).toBe(length !== 'now');
  });
});

describe('the explanation of a period', { timeout: 30_000 }, () => {
  it('is what a viewer would be answered, with the reasons of every node', async () => {
    const { rig, fromS, fromMs } = await recordedGroup((at) => [[], [whole(at)], []]);
    const node = rig.node(0);
    const asked = {
      stream: 'ch1',
      protocol: 'hls',
      address: '203.0.113.50',
      https: false,
    } as const;
    const period = { startAt: fromMs, endAt: fromMs + hourMs };
    const explained = await node.agent.explain({ ...asked, period }, node.clock.now());
    expect(explained).toMatchObject({
      placement: 'redirect',
      location: `http://node-b.example.net/ch1/index-${fromS}-3600.m3u8`,
    });
    expect(explained.candidates.map(({ node: id, reasons }) => [id, ...reasons])).toEqual([
      ['node-a', 'archive-elsewhere'],
      ['node-b'],
      ['node-c', 'nothing-recorded'],
    ]);
    const swapped = { startAt: period.endAt, endAt: period.startAt };
    await expect(
      node.agent.explain({ ...asked, period: swapped }, node.clock.now()),
    ).rejects.toThrow('the period ends at or before its start');
  });
});

function iso(seconds: number): string {
  return encodeURIComponent(new Date(seconds * 1_000).toISOString());
}
