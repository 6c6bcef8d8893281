import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { urisOf } from '../support/group-rig.ts';
import { isInstalled } from '../support/installed.ts';
import { type LiveSource, startLiveSource } from '../support/live-source.ts';
import { watchAsMedia3 } from '../support/media3-viewer.ts';
import { canMakeSpaces, makeSpaces, type NetworkSpaces } from '../support/network-spaces.ts';
import { startTestNodes, untilInReserve } from '../support/nodes.ts';

/** From the moment a node is gone to the first answer in its name. */
const answerMsMax = 3_000;
/** What moves the address (VRRP, BGP) notices after so long. */
const moveMs = 1_500;
const patienceMs = 300;
const apartMs = 3_000;

describe.skipIf(!isInstalled('ffmpeg') || !isInstalled('ip') || !canMakeSpaces())(
  'a node whose packets vanish',
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'understudy-hole-'));
    let source: LiveSource;
    let network: NetworkSpaces;
    let rig: Awaited<ReturnType<typeof startTestNodes>>;

    beforeAll(async () => {
      source = await startLiveSource();
      network = makeSpaces(2);
      const kinds = [{ segmentS: 2, keepsTimes: true }, { segmentS: 2 }];
      const origins: string[] = [];
      for (const [at, kind] of kinds.entries()) {
        const packager = await source.packager(join(folder, String(at)), kind);
        packager.start();
        origins.push(join(packager.folder, 'index.m3u8'));
        await packager.untilListed(1);
        await delay(apartMs);
      }
      rig = await startTestNodes(
        origins.map((origin) => [{ name: 'live', origin, group: 'live' }]),
        network.spaces,
      );
      await untilInReserve(rig.nodes, 'live');
    });

    afterAll(async () => {
      await rig?.stop();
      network?.remove();
      await source?.stop();
      rmSync(folder, { recursive: true, force: true });
    });

    test('is answered for within 3 s where its address moves, and nothing is missing', async () => {
      const [a] = rig.nodes;
      const entry = `${a?.url}/live/index.m3u8`;
      const viewer = await watchAsMedia3(entry);
      await delay(12_000);
      const [path = ''] = urisOf(await (await fetch(entry, { headers: viewer.headers })).text());
      const playlist = new URL(path, entry).href;
      const before = await ask(playlist);
      expect(before?.node).toBe('node-a');

      const goneAt = performance.now();
      network.blackHole(0);
      expect(await ask(playlist)).toBeUndefined();
      await delay(goneAt + moveMs - performance.now());
      network.moveAddress(0, 1);
      let answer = await ask(playlist);
      while (answer?.status !== 200 && performance.now() - goneAt < 3 * answerMsMax)
        answer = await ask(playlist);
      expect(answer).toMatchObject({ status: 200, node: 'node-b' });
      expect(performance.now() - goneAt).toBeLessThanOrEqual(answerMsMax);

      await delay(25_000);
      const { fatal, starvedMs, loaded } = await viewer.stop();
      expect(fatal).toBeUndefined();
      expect(starvedMs).toBe(0);
      expect(loaded.map((number) => number - (loaded[0] ?? 0))).toEqual([...loaded.keys()]);
      expect(loaded.length).toBeGreaterThanOrEqual(15);
    });
  },
);

async function ask(url: string) {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(patienceMs) });
    const node = answer.headers.get('x-understudy-node');
    return { status: answer.status, node, text: await answer.text() };
  } catch {
    return undefined;
  }
}
