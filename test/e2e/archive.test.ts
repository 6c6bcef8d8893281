import { execFile } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchBrowser, type PlayerBrowser } from '../support/browser.ts';
import { isInstalled } from '../support/installed.ts';
import { type LiveSource, startLiveSource } from '../support/live-source.ts';
import { startTestNodes, type TestNode, untilInReserve, untilSettled } from '../support/nodes.ts';
import { folderContent, startOrigin } from '../support/origin-servers.ts';

const needed = ['chromium', 'ffmpeg'];
/** How long is recorded, minutes; as short as it can be unless told otherwise (`npm run archive:hour`). */
const minutes = Number(process.env.ARCHIVE_MINUTES ?? 0);
/** How much faster than usual hls.js plays. */
const rate = minutes === 0 ? 1 : Number(process.env.ARCHIVE_RATE ?? 8);
/** Longer than the packagers list their segments: what a node misses is a hole. */
const outageMs = Math.max(12_000, minutes * 3_000);
const listed = 4;
const betweenMs = Math.max(8_000, (minutes * 60_000 - 2 * outageMs) / 3);
/** What was recorded a moment ago is not compared between nodes. */
const settledMs = 32_000;
const recordsMsMax = 40_000;
/** Starting, settling and checking take longer than what is recorded by this at most. */
const spareMs = 240_000;
/** Longer than everything takes. */
const depthH = 1 + Math.ceil(minutes / 30);
const framesPerS = 25;
const segmentS = 2;
/** Members that are no clones are elsewhere, at the same place of their playlists, by what came twice at seams so far, pictures. */
const apartMax = 2 * 3 * segmentS * framesPerS;
const video = 'document.querySelector("video")';
const headers = { 'user-agent': 'Mozilla/5.0 Chrome' };
const run = promisify(execFile);

/**
 * Two nodes, each with a packager of its own, record; each is dead for a while, at different times. The period holds both
 * outages. `clones` is written anew, so that both have the same segments; `left` is recorded as each packager makes it.
 */
describe.skipIf(!needed.every(isInstalled))('an archive that no node has whole', () => {
  let source: LiveSource;
  let rig: Awaited<ReturnType<typeof startRig>>;
  let browser: PlayerBrowser;
  let fromS = 0;
  let durationS = 0;

  beforeAll(async () => {
    const secondsMax = minutes * 60 + 900;
    [source, browser] = await Promise.all([startLiveSource({ secondsMax }), launchBrowser()]);
    rig = await startRig(source);
    await Promise.all(rig.nodes.map((node) => untilRecords(node)));
    fromS = Math.ceil(Date.now() / 1_000);
    for (const node of rig.nodes) {
      await delay(betweenMs);
      await node.kill();
      await delay(outageMs);
      node.start();
      await untilSettled(rig.nodes);
      await untilRecords(node);
    }
    await delay(betweenMs);
    durationS = Math.floor(Date.now() / 1_000) - fromS;
    await delay(settledMs);
  }, recordedMs() + spareMs);

  afterAll(async () => {
    await browser?.close();
    await rig?.stop();
    await source?.stop();
  });

  const address = (stream: string, at: number) =>
    `${rig.nodes[at]?.url}/${stream}/index-${fromS}-${durationS}.m3u8`;
  const asked = [
    ['clones', 0],
    ['clones', 1],
    ['left', 0],
    ['left', 1],
  ] as const;

  test.each(asked)(
    'lacks no second that either had: %s, asked for at node %i',
    async (stream, at) => {
      const opened = await fetch(address(stream, at), { headers });
      expect(opened.status).toBe(200);
      expect(opened.headers.get('x-understudy-reason')).toBe('archive-joined');
      expect(opened.headers.get('x-understudy-missing-seconds')).toBe('0');
      const { text: media } = await mediaPlaylist(opened);
      expect(media).toContain('#EXT-X-ENDLIST');
      expect(media).not.toContain('EXT-X-GAP');
      expect(media).toContain(`http://${rig.nodes[1 - at]?.host}:`);
      // Where the members publish the same segments, nothing marks where one gives way to the other.
      if (stream === 'clones') expect(media).not.toContain('DISCONTINUITY');
      else expect(media).toContain('#EXT-X-DISCONTINUITY\n');
    },
  );

  test.each(asked)(
    'plays in ffmpeg from end to end, every picture of it: %s at node %i',
    async (stream, at) => {
      const numbers = await picturesOf(address(stream, at));
      const shown = new Set(numbers);
      const sorted = [...shown].sort((a, b) => a - b);
      const [first = 0, last = 0] = [sorted[0], sorted.at(-1)];
      expect(holesIn(shown, first, last)).toEqual([]);
      // The period begins and ends within a segment.
      expect(last - first).toBeGreaterThanOrEqual((durationS - segmentS) * framesPerS);
      // At each of four seams of packagers a part of a segment may come twice, and a whole one for safety.
      const again = numbers.length - shown.size;
      expect(again).toBeLessThanOrEqual(stream === 'clones' ? 0 : 4 * 2 * segmentS * framesPerS);
    },
    60_000 + recordedMs() / 10,
  );

  test.each(['clones', 'left'] as const)(
    'plays in hls.js from end to end at both nodes: %s',
    async (stream) => {
      const seen = await Promise.all(
        [0, 1].map((at) => watch(browser, address(stream, at), durationS)),
      );
      for (const {
        lost,
        repeated,
        jumps,
        errors,
        moves,
        firstAt,
        lastAt,
        fetched,
        listed,
      } of seen) {
        expect(errors.filter(({ fatal }) => fatal)).toEqual([]);
        if (minutes > 0 && moves === 0) expect(fetched).toEqual(listed);
        const said = JSON.stringify({ jumps, errors, moves });
        // A busy machine makes players try their backups.
        expect(lost, said).toBeLessThanOrEqual(stream === 'clones' ? 0 : moves * apartMax);
        if (stream === 'clones') expect(repeated).toBe(0);
        expect((lastAt - firstAt) * rate).toBeGreaterThan((durationS - 2 * segmentS) * 1_000);
      }
    },
    spareMs + recordedMs() / rate,
  );
});

function recordedMs(): number {
  return 3 * betweenMs + 2 * outageMs;
}

async function startRig(source: LiveSource) {
  const base = mkdtempSync(join(tmpdir(), 'understudy-archive-'));
  const packagers = [await source.packager(join(base, '0'), { segmentS, listed })];
  packagers[0]?.start();
  await delay(5_000);
  packagers.push(await source.packager(join(base, '1'), { segmentS, listed }));
  packagers[1]?.start();
  await Promise.all(packagers.map((packager) => packager.untilListed(3)));
  const origins = await Promise.all(
    packagers.map(({ folder }, at) => startOrigin(`127.0.0.${at + 2}`, folderContent(folder))),
  );
  const { nodes, stop } = await startTestNodes(
    origins.map(({ url }) => {
      const stream = { origin: `${url}/index.m3u8`, archive: { record: { depth_h: depthH } } };
      return [
        { name: 'clones', group: 'clones', ...stream },
        { name: 'left', group: 'left', canonical: false, ...stream },
      ];
    }),
  );
  const end = async () => {
    await stop();
    await Promise.all(origins.map((origin) => origin.close()));
    await Promise.all(packagers.map((packager) => packager.kill()));
    await rm(base, { recursive: true, force: true });
  };
  // On a busy machine it takes longer than where only this is done.
  const inReserve = () => untilInReserve(nodes, 'clones');
  await inReserve()
    .catch(inReserve)
    .catch(inReserve)
    .catch(async (error: unknown) => {
      await end();
      throw error;
    });
  return { nodes, stop: end };
}

async function watch(browser: PlayerBrowser, url: string, durationS: number) {
  const playback = await browser.play('hls', url, rate);
  try {
    await playback.page.waitForFunction(`${video}.ended`, undefined, {
      timeout: (durationS / rate + 60) * 1_000,
      polling: 500,
    });
    const asked = (ending: string) =>
      playback.requests.flatMap(({ url }) => (url.pathname.endsWith(ending) ? [nameOf(url)] : []));
    const moves = asked('.m3u8').filter((name) => name.includes('/~archive/')).length - 1;
    const opened = await fetch(url, { headers });
    const { listed } = await mediaPlaylist(opened);
    const fetched = [...new Set(asked('.ts'))];
    return { ...(await playback.measure()), moves, fetched, listed };
  } finally {
    await playback.close();
  }
}

/** The numbers of the pictures that ffmpeg makes of a period, one after another. */
async function picturesOf(url: string): Promise<readonly number[]> {
  const row = 'format=gray,crop=320:1:0:8';
  const command = `-loglevel error -i ${url} -map 0:v -vf ${row} -fps_mode passthrough -f rawvideo -`;
  const { stdout } = await run('ffmpeg', command.split(' '), {
    maxBuffer: 320 * framesPerS * (120 + 2 * (recordedMs() / 1_000)),
    encoding: 'buffer',
  });
  return Array.from({ length: stdout.length / 320 }, (_, at) => {
    const isLit = (bit: number) => (stdout[320 * at + 16 * bit + 8] ?? 0) > 128;
    return Array.from({ length: 18 }, (_, bit) => (isLit(bit) ? 2 ** bit : 0)).reduce(
      (sum, value) => sum + value,
    );
  });
}

/** Numbers from `first` to `last` that are not among those shown. */
function holesIn(shown: ReadonlySet<number>, first: number, last: number): readonly number[] {
  return Array.from({ length: last - first }, (_, at) => first + at).filter((n) => !shown.has(n));
}

/** Without the viewer's pass. */
function nameOf({ origin, pathname }: URL): string {
  return origin + pathname;
}

/** The first media playlist that a multivariant playlist names, and where its segments are, in order. */
async function mediaPlaylist(opened: Response) {
  const lines = (await opened.text()).split('\n');
  const uri = lines.find((line) => line !== '' && !line.startsWith('#'));
  const found = await fetch(new URL(uri ?? '', opened.url));
  const text = await found.text();
  const uris = [...text.matchAll(/^[^#].*$/gm)];
  return { text, listed: uris.map(([uri]) => nameOf(new URL(uri, found.url))) };
}

/** Resolves when something of both streams that came from now on is recorded. @throws when that takes too long. */
async function untilRecords(node: TestNode): Promise<void> {
  const sinceMs = Date.now();
  const until = performance.now() + recordsMsMax;
  for (const stream of ['clones', 'left'])
    for (;;) {
      const coverage = Object(await node.api(`/streams/${stream}/coverage`).catch(String));
      if (coverage.ts?.span?.endAt > sinceMs) break;
      if (performance.now() > until)
        throw new Error(`${node.id}: ${JSON.stringify(coverage)}\n${node.log()}`);
      await delay(200);
    }
}
