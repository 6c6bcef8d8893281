import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type BrowserPlayer,
  launchBrowser,
  type Measured,
  type Playback,
  type PlayerBrowser,
} from '../support/browser.ts';
import { type FfmpegSource, startFfmpegSource } from '../support/ffmpeg-source.ts';
import { isInstalled } from '../support/installed.ts';
import { startTestNodes, type TestNode, untilInReserve } from '../support/nodes.ts';
import { folderContent, type OriginServer, startOrigin } from '../support/origin-servers.ts';

/**
 * From the first request that fails to the first one at a backup, ms. Shaka tries every variant twice, a second apart
 * and half as much more or less, and the failing node is listed twice (`docs/players.md`).
 */
const switchMsMax = { hls: 2_000, shaka: 4_000 } as const;
/** A stall that a viewer notices, ms. */
const stallMsMax = 1000;
const watchBeforeMs = 6_000;
const watchAfterMs = 20_000;
const needed = ['chromium', 'ffmpeg'];

describe.skipIf(!needed.every(isInstalled))('viewers of a node that dies', () => {
  let source: FfmpegSource;
  let browser: PlayerBrowser;

  beforeAll(async () => {
    [source, browser] = await Promise.all([startFfmpegSource(), launchBrowser()]);
  });

  afterAll(async () => {
    await browser?.close();
    await source?.stop();
  });

  for (const player of ['hls', 'shaka'] as const) {
    test(`${player} goes on from a backup when the node's agent is killed`, async () => {
      const rig = await startRig(source);
      try {
        const seen = await watch({ browser, player, rig, fail: ([a]) => a?.kill() });
        expectNoStall(seen, switchMsMax[player]);
      } finally {
        await rig.stop();
      }
    });

    test(`${player} goes on from a backup when the stream stops on its node`, async () => {
      const rig = await startRig(source);
      try {
        const seen = await watch({
          browser,
          player,
          rig,
          fail: () => rig.origins[0]?.stopStream(),
        });
        expectNoStall(seen, switchMsMax[player]);
      } finally {
        await rig.stop();
      }
    });
  }
});

type Rig = {
  readonly nodes: readonly TestNode[];
  readonly origins: readonly OriginServer[];
  stop(): Promise<void>;
};

type Seen = {
  readonly before: Measured;
  readonly after: Measured;
  readonly failedAt: number;
  /** First request of the player that the failing node did not answer, or refused; absent if there was none. */
  readonly firstFailureAt?: number | undefined;
  readonly firstBackupAt?: number | undefined;
};

/** One packager's output at three origins, an agent before each. */
async function startRig(source: FfmpegSource): Promise<Rig> {
  const origins = await Promise.all(
    [2, 3, 4].map((host) => startOrigin(`127.0.0.${host}`, folderContent(source.folder))),
  );
  const { nodes, stop } = await startTestNodes(
    origins.map(({ url }) => [
      { name: 'live', origin: `${url}/index.m3u8`, group: 'live', source: 'one-packager' },
    ]),
  );
  const rig = {
    nodes,
    origins,
    async stop() {
      await stop();
      await Promise.all(origins.map((origin) => origin.close()));
    },
  };
  await untilInReserve(nodes, 'live').catch(async (error: unknown) => {
    await rig.stop();
    throw error;
  });
  return rig;
}

async function watch(options: {
  browser: PlayerBrowser;
  player: BrowserPlayer;
  rig: Rig;
  fail: (nodes: readonly TestNode[]) => unknown;
}): Promise<Seen> {
  const { browser, player, rig, fail } = options;
  const [home] = rig.nodes;
  if (home === undefined) throw new Error('there is no node');
  const playback = await browser.play(player, `${home.url}/live/index.m3u8`);
  try {
    await playback.waitForFrames(25, 30_000);
    await delay(watchBeforeMs);
    const before = await playback.measure();
    const failures = failedRequests(playback, home.host);
    const failedAt = Date.now();
    await fail(rig.nodes);
    await delay(watchAfterMs);
    const after = await playback.measure();
    const firstBackup = playback.requests.find(
      ({ at, url }) => at >= failedAt && url.hostname !== home.host,
    );
    return {
      before,
      after,
      failedAt,
      firstFailureAt: failures[0],
      firstBackupAt: firstBackup?.at,
    };
  } finally {
    await playback.close();
  }
}

/** When requests to `host` failed, from now on. */
function failedRequests({ page }: Playback, host: string): readonly number[] {
  const failures: number[] = [];
  page.on('requestfailed', (request) => {
    if (new URL(request.url()).hostname === host) failures.push(Date.now());
  });
  page.on('response', (response) => {
    if (new URL(response.url()).hostname === host && response.status() >= 400)
      failures.push(Date.now());
  });
  return failures;
}

/** Pictures go on to the end, none is missing for longer than a second, and a backup is asked in time. */
function expectNoStall(seen: Seen, switchMs: number): void {
  const { before, after, failedAt, firstFailureAt, firstBackupAt } = seen;
  const gaps = after.gaps.filter(({ at }) => at > failedAt);
  const stalls = gaps.filter(({ ms, lagMs }) => ms - lagMs > stallMsMax);
  const evidence = JSON.stringify({ gaps, errors: after.errors, starvedMs: after.starvedMs });
  expect(stalls, evidence).toEqual([]);
  expect(
    after.errors.filter(({ fatal }) => fatal),
    evidence,
  ).toEqual([]);
  expect(after.now - after.lastAt, evidence).toBeLessThan(stallMsMax + 1000);
  expect(after.starvedMs - before.starvedMs, evidence).toBeLessThanOrEqual(stallMsMax);
  expect(firstFailureAt, evidence).toBeDefined();
  expect(firstBackupAt, evidence).toBeDefined();
  expect((firstBackupAt ?? 0) - (firstFailureAt ?? 0), evidence).toBeLessThanOrEqual(switchMs);
}
