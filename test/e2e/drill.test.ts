import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DrillView } from '../../src/agent/drill/drill-view.ts';
import { createChannelApp, serveApp } from '../../src/demo/channel-server.ts';
import { testSecrets } from '../support/agent-output.ts';
import { urisOf } from '../support/group-rig.ts';
import { startTestNodes, type TestNode, untilInReserve } from '../support/nodes.ts';
import { tempFolder } from '../support/temp-folder.ts';

const program = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const agent = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0' };

/** Runs `understudy drill` in the end-to-end way: another process, over the API. */
async function drill(node: TestNode, args: readonly string[]) {
  const folder = tempFolder();
  const tokenFile = join(folder, 'token');
  writeFileSync(tokenFile, testSecrets.adminToken);
  const all = ['drill', 'live', '--node', node.adminUrl, '--token-file', tokenFile, ...args];
  return new Promise<{ code: number; out: string }>((resolve) => {
    const child = execFile(process.execPath, [program, ...all], { cwd: folder }, (_, out) =>
      resolve({ code: child.exitCode ?? -1, out }),
    );
  });
}

/** A viewer who has opened the channel; `reload` gives the status of its playlist, 0 without an answer. */
async function openAsViewer(node: TestNode) {
  const entry = `${node.url}/live/index.m3u8`;
  const [variant = ''] = urisOf(await (await fetch(entry, { headers: agent })).text());
  const url = new URL(variant, entry);
  return {
    reload: async () => {
      const answer = await fetch(url, { headers: agent }).catch(() => undefined);
      await answer?.text();
      return answer?.status ?? 0;
    },
  };
}

async function until(isTrue: () => Promise<boolean>, what: string): Promise<void> {
  const endAt = performance.now() + 40_000;
  while (!(await isTrue())) {
    if (performance.now() > endAt) throw new Error(`never: ${what}`);
    await delay(200);
  }
}

describe('a drill on three nodes', () => {
  let nodes: readonly TestNode[] = [];
  let stop = async () => {};

  beforeAll(async () => {
    const origin = await serveApp(createChannelApp(), { host: '127.0.0.1', port: 0 });
    const live = {
      name: 'live',
      origin: `http://127.0.0.1:${origin.port}/index.m3u8`,
      ...{ group: 'live', source: 'test-channel', canonical: false },
    };
    const started = await startTestNodes([[live], [live], [live]]);
    nodes = started.nodes;
    stop = async () => {
      await started.stop();
      await origin.close();
    };
    await untilInReserve(nodes, 'live');
  });
  afterAll(() => stop());

  const first = () => {
    const [node] = nodes;
    if (node === undefined) throw new Error('no node');
    return node;
  };

  it('measures from the command line what closed connections do to each kind of player', async () => {
    const viewer = await openAsViewer(first());
    const { code, out } = await drill(first(), ['--failure', 'cut', '--duration', '20', '--json']);
    const view = JSON.parse(out) as DrillView;
    const byFamily = new Map(view.families.map((family) => [family.family, family]));
    for (const family of ['hls.js', 'shaka', 'vhs', 'avplayer'] as const)
      expect([family, byFamily.get(family)?.verdict]).toEqual([family, 'carried']);
    // By its rules it never leaves a node that refuses connections.
    expect(byFamily.get('media3')).toMatchObject({ moved: 0, ended: 1, verdict: 'lost' });
    expect([view.state, view.passed, code]).toEqual(['done', true, 0]);
    expect(await viewer.reload()).toBe(200);
  });

  it('shows a table with exit code 0 when nobody is lost', async () => {
    const args = ['--duration', '6', '--family', 'hls.js', '--family', 'media3'];
    const { code, out } = await drill(first(), args);
    expect([code, out]).toEqual([0, expect.stringContaining('nobody was lost')]);
    expect(out).toMatch(/^media3 +carried .* 1 of 1 .* moves within 3 s$/m);
  });

  it('meets real viewers when it is told to, and not one moment longer than the process lives', async () => {
    const node = first();
    const viewer = await openAsViewer(node);
    const body = JSON.stringify({ stream: 'live', durationS: 300, viewersPercent: 100 });
    await node.api('/drills', { method: 'POST', body });
    await until(async () => (await viewer.reload()) === 404, 'the viewer meets the failure');
    await node.kill();
    node.start();
    await until(async () => (await viewer.reload()) === 200, 'the viewer is served again');
    expect(await node.api('/drills')).toEqual({ drills: [] });
  });
});
