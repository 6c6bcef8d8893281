import { describe, expect, it, onTestFinished } from 'vitest';
import { type GroupRig, startGroup, urisOf } from '../../support/group-rig.ts';
import { type OriginServer, startOrigin } from '../../support/origin-servers.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const segmentS = 6;

type Minutes = readonly (readonly [number, number])[];

type Server = { readonly dated?: boolean; readonly url?: string; readonly extra?: string };

/** A media server with two rungs live and an archive in Flussonic's form, its segments on a grid of 6 s. */
function flussonic(
  { dated = true, extra = '' }: Server,
  isThere: (fromS: number) => boolean,
): (path: string) => string | undefined {
  const multivariant = (file: string) =>
    `#EXTM3U\n${['high', 'low']
      .map((rung, at) => `#EXT-X-STREAM-INF:BANDWIDTH=${2e6 - at * 1e6}\n${rung}/${file}.m3u8\n`)
      .join('')}`;
  const media = (fromS: number, lengthS: number) => {
    const first = Math.floor(fromS / segmentS);
    const lines = Array.from({ length: Math.ceil(lengthS / segmentS) }, (_, at) => {
      const startS = (first + at) * segmentS;
      const date = `#EXT-X-PROGRAM-DATE-TIME:${new Date(startS * 1_000).toISOString()}\n`;
      return `${dated ? date : ''}${extra}#EXTINF:6,\n2026/${startS}.ts\n`;
    });
    return `#EXTM3U\n#EXT-X-TARGETDURATION:6\n${lines.join('')}#EXT-X-ENDLIST\n`;
  };
  return (path) => {
    if (path === 'tv/index.m3u8') return multivariant('mono');
    const [, rung, from = '', length = ''] =
      /^tv\/(?:(high|low)\/)?(?:archive|playlist_dvr_range)-(\d+)-(\d+)\.m3u8$/.exec(path) ?? [];
    if (from !== '' && !isThere(Number(from))) return undefined;
    if (from !== '' && rung === undefined) return multivariant(`archive-${from}-${length}`);
    if (from !== '') return media(Number(from), Number(length));
    if (/^tv\/(?:high|low)\/mono\.m3u8$/.test(path)) return media(1_000, 30);
    return /^tv\/(?:high|low)\/2026\/\d+\.ts$/.test(path) ? path : undefined;
  };
}

/** Nodes whose media servers have the given minutes of an hour; asked for at node A. */
async function archives(minutes: readonly Minutes[], server: Server = {}) {
  let fromS = 0;
  const origins: OriginServer[] = [];
  for (const ranges of minutes) {
    const isThere = (askedS: number) =>
      ranges.some(([from, to]) => askedS >= fromS + from * 60 && askedS < fromS + to * 60);
    const origin = await startOrigin('127.0.0.1', flussonic(server, isThere));
    onTestFinished(() => origin.close());
    origins.push(origin);
  }
  const { url = 'flussonic' } = server;
  const rig = await startGroup(minutes.length, (at) => ({
    stream: { origin: `${origins[at]?.url}/tv/index.m3u8`, archive: { push: true, url } },
  }));
  const nowMs = rig.node(0).clock.now().wallMs;
  const fromMs = Math.floor(nowMs / minuteMs) * minuteMs - 2 * hourMs;
  fromS = fromMs / 1_000;
  for (const [at, ranges] of minutes.entries())
    rig.node(at).agent.coverages.replace(
      'ch1',
      'ts',
      ranges.map(([from, to]) => ({
        startMs: fromMs + from * minuteMs,
        endMs: fromMs + to * minuteMs,
      })),
    );
  await rig.run(8_000, 1_000);
  const opened = await rig.node(0).ask(`/ch1/index-${fromS}-3600.m3u8`);
  return { rig, fromS, origins, opened, multivariant: await opened.text() };
}

async function mediaAt(rig: GroupRig, uri: string) {
  const media = await rig.node(0).ask(`/ch1/${uri}`);
  return media.text();
}

/** When each segment of a playlist begins, by its name, seconds. */
const startsIn = (playlist: string) =>
  urisOf(playlist).map((uri) => Number(/2026~2F(\d+)\.ts/.exec(uri)?.[1]));

describe("one archive out of many media servers' own", { timeout: 30_000 }, () => {
  it.each([
    ['with dates', true, 15],
    ['without dates', false, 15],
    ['of recordings that begin together', true, 0],
  ])('has each piece from a server that has it: playlists %s', async (_, dated, begin) => {
    const own: Minutes = [
      [0, 20],
      [50, 60],
    ];
    const { rig, origins, fromS, opened, multivariant } = await archives([own, [[begin, 55]]], {
      dated,
    });
    expect(opened.status).toBe(200);
    expect(opened.headers.get('x-understudy-reason')).toBe('archive-joined');
    expect(opened.headers.get('x-understudy-missing-seconds')).toBe('0');
    const uris = urisOf(multivariant).filter((uri) => !uri.startsWith('http'));
    expect(uris.map((uri) => uri.split('?')[0])).toEqual(
      ['high', 'low'].map((rung) => `~archive/${rung}/mono.m3u8/${fromS}-3600.m3u8`),
    );
    for (const [at, rung] of ['high', 'low'].entries()) {
      const playlist = await mediaAt(rig, uris[at] ?? '');
      const starts = startsIn(playlist);
      expect([...new Set(starts)]).toEqual(
        Array.from({ length: 600 }, (_, number) => fromS + number * segmentS),
      );
      // One segment for safety at each of two seams.
      expect(starts.length).toBe(602);
      expect(playlist.split('#EXT-X-DISCONTINUITY\n')).toHaveLength(3);
      const segments = urisOf(playlist);
      const folder = (uris[at] ?? '').split('/').slice(0, -1).join('/');
      expect((await rig.node(0).ask(`/ch1/${folder}/${segments[0]}`)).status).toBe(200);
      expect((await rig.node(1).ask(segments[300] ?? '')).status).toBe(200);
      const asked = origins.map(({ requests }) => requests.map(({ path }) => path));
      expect(asked[0]).toContain(`tv/${rung}/2026/${fromS}.ts`);
      expect(asked[1]).toContain(`tv/${rung}/2026/${starts[300]}.ts`);
    }
  });

  it('is what the media server makes of it where one has all', async () => {
    const { opened, multivariant } = await archives([[[0, 60]], [[15, 55]]]);
    expect(opened.headers.get('x-understudy-reason')).toBe('archive-own');
    expect(urisOf(multivariant)[0]).toMatch(/^~archive\/~origin\/high\/archive-/);
  });

  it.each([
    ['addresses are good for one session', { url: 'nimble' }],
    ['segments are encrypted', { extra: '#EXT-X-KEY:METHOD=AES-128,URI="k"\n' }],
    ['segments are parts of files', { extra: '#EXT-X-BYTERANGE:5@0\n' }],
  ])('is not made of pieces whose %s', async (_, server) => {
    const { opened, fromS } = await archives([[[0, 20]], [[15, 60]]], server);
    expect(opened.status).toBe(302);
    const location = opened.headers.get('location');
    expect(location).toContain(`http://node-b.example.net/ch1/index-${fromS}-3600.m3u8`);
  });

  it('names no file that is none of the stream', async () => {
    const { rig } = await archives([[[0, 20]], [[15, 60]]]);
    for (const name of [
      ...['origin.~2E~2E~2Fsecret.ts', 'origin.~2Fetc~2Fpasswd', 'origin.~', 'origin.'],
      ...['origin.index.m3u8', 'origin.high~2Fmono.m3u8', 'origin.manifest.mpd'],
    ])
      expect((await rig.node(0).ask(`/ch1/~archive/high/mono.m3u8/${name}`)).status).not.toBe(200);
  });
});
