import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { LiveSource } from './live-source.ts';
import { startTestNodes, type TestNode, untilInReserve } from './nodes.ts';
import { folderContent, type OriginServer, startOrigin } from './origin-servers.ts';
import type { Packager, PackagerKind } from './packager.ts';

/** A node as an operator has it: a packager of its own, a media server before it, an agent before that. */
type CloneNode = {
  readonly agent: TestNode;
  readonly packager: Packager;
  readonly origin: OriginServer;
  /** The whole machine dies. */
  kill(): Promise<void>;
};

export type CloneRig = {
  readonly nodes: readonly CloneNode[];
  /** @throws when there is no such node. */
  node(at: number): CloneNode;
  stop(): Promise<void>;
};

/** Between the starts of two packagers, ms: long enough to differ in everything that a packager counts. */
const apartMs = 7_000;
/** Segments that a packager lists before its agent starts. */
const listedMin = 3;

/** Agents of one group, each with its own packager of `source`; resolves when all are in reserve. */
export async function startCloneRig(
  source: LiveSource,
  kinds: readonly PackagerKind[],
  stream: object = {},
): Promise<CloneRig> {
  const base = mkdtempSync(join(tmpdir(), 'understudy-clones-'));
  const packagers: Packager[] = [];
  for (const [at, kind] of kinds.entries()) {
    if (at > 0) await delay(apartMs);
    const packager = await source.packager(join(base, String(at)), kind);
    packager.start();
    packagers.push(packager);
  }
  await Promise.all(packagers.map((packager) => packager.untilListed(listedMin)));
  const origins = await Promise.all(
    packagers.map(({ folder }, at) => startOrigin(`127.0.0.${at + 2}`, folderContent(folder))),
  );
  const agents = await startTestNodes(
    origins.map(({ url }) => [
      { name: 'live', origin: `${url}/index.m3u8`, group: 'live', ...stream },
    ]),
  );
  const stop = async () => {
    await agents.stop();
    await Promise.all(origins.map((origin) => origin.close()));
    await Promise.all(packagers.map((packager) => packager.kill()));
    await rm(base, { recursive: true, force: true });
  };
  const nodes = agents.nodes.flatMap((agent, at) => {
    const [packager, origin] = [packagers[at], origins[at]];
    if (packager === undefined || origin === undefined) return [];
    const kill = async () => {
      await Promise.all([agent.kill(), packager.kill(), origin.close()]);
    };
    return [{ agent, packager, origin, kill }];
  });
  await untilInReserve(agents.nodes, 'live').catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return {
    nodes,
    node(at) {
      const node = nodes[at];
      if (node === undefined) throw new Error(`there is no node ${at}`);
      return node;
    },
    stop,
  };
}
