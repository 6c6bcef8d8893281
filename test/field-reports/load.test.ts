import { describe, expect, it } from 'vitest';
import {
  backupHosts,
  type GroupNode,
  type GroupRig,
  startGroup,
  urisOf,
} from '../support/group-rig.ts';

const saidBy = (answer: Response) => [answer.status, answer.headers.get('x-understudy-reason')];
const addressOf = (viewer: number) => `203.0.${113 + (viewer >> 8)}.${viewer & 255}`;

async function namesAt(node: GroupNode, viewer: number): Promise<readonly string[]> {
  const answer = await node.ask('/ch1/index.m3u8', { address: addressOf(viewer) });
  return backupHosts(await answer.text()).map((host) => host.slice(0, 6));
}

/** How often each node is named first among so many new viewers. */
async function firstsOf(node: GroupNode, from: number, count: number) {
  const firsts = new Map<string, number>();
  for (let viewer = from; viewer < from + count; viewer += 1) {
    const [first = 'nobody'] = await namesAt(node, viewer);
    firsts.set(first, (firsts.get(first) ?? 0) + 1);
  }
  return firsts;
}

async function overload(rig: GroupRig, ...nodes: readonly GroupNode[]) {
  for (const { load } of nodes) load.cpuPercent = 99;
  await rig.run(15_000, 500);
}

describe('nodes under load', { timeout: 120_000 }, () => {
  it('report 24: over the processor limit all together serve their own viewers and answer strangers with a reason', async () => {
    const rig = await startGroup(3);
    await overload(rig, ...rig.nodes);
    for (const node of rig.nodes)
      expect(saidBy(await node.ask('/ch1/index.m3u8'))).toEqual([200, 'least-bad-backups']);
    const playlist = await (await rig.node(0).ask('/ch1/index.m3u8')).text();
    for (const uri of urisOf(playlist).filter((one) => one.startsWith('http'))) {
      const node = rig.nodes.find(({ base }) => uri.startsWith(base));
      expect(saidBy((await node?.ask(uri)) ?? new Response())).toEqual([404, 'overloaded']);
    }
    rig.node(0).configure([]);
    await rig.run(2_000);
    expect(saidBy(await rig.node(0).ask('/ch1/index.m3u8'))).toEqual([404, 'all-full']);
  });

  it('report 34: get no pass signed where no node can take the viewer', async () => {
    const rig = await startGroup(3);
    await overload(rig, rig.node(1), rig.node(2));
    rig.node(0).configure([]);
    await rig.run(2_000);
    const answer = await rig.node(0).ask('/ch1/index.m3u8');
    expect(saidBy(answer)).toEqual([404, 'all-full']);
    expect(answer.headers.get('location')).toBeNull();
    expect(await answer.text()).not.toContain('pass=');
  });

  it('report 27: leave the list as it is for the others when one is taken out of it', async () => {
    const rig = await startGroup(4);
    await overload(rig, rig.node(3));
    const pairs = new Map<string, number>();
    for (let viewer = 0; viewer < 1_000; viewer += 1) {
      const pair = (await namesAt(rig.node(0), viewer)).join();
      pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
    }
    expect(Object.fromEntries(pairs)).toEqual({ 'node-b,node-c': 500, 'node-c,node-b': 500 });
  });

  it('report 21: refuse strangers who come again and again as fast as others, and own viewers notice nothing', async () => {
    const rig = await startGroup(2);
    const [a, b] = [rig.node(0), rig.node(1)];
    const uris: string[] = [];
    for (let viewer = 0; viewer < 200; viewer += 1) {
      const answer = await a.ask('/ch1/index.m3u8', { address: addressOf(viewer) });
      uris.push(urisOf(await answer.text()).find((uri) => uri.startsWith(b.base)) ?? '');
    }
    const [own = ''] = urisOf(await (await b.ask('/ch1/index.m3u8')).text());
    await overload(rig, b);
    const asked = b.origin.requests.length;
    for (let round = 0; round < 10; round += 1) {
      const answers = await Promise.all(uris.map((uri) => b.ask(uri)));
      expect(new Set(answers.map((answer) => saidBy(answer).join()))).toEqual(
        new Set(['404,overloaded']),
      );
      expect(saidBy(await b.ask(`/ch1/${own}`))).toEqual([200, 'own-viewer']);
    }
    expect(b.origin.requests.length).toBe(asked);
    expect(b.agent.admission.refusals().total).toBe(2_000);
    expect(b.agent.sessions.counts()).toEqual({ own: 1, backup: 0 });
  });

  it('report 29: name a node again after its return, and give it its even share of new viewers', async () => {
    const rig = await startGroup(3);
    const [a, b, c] = [rig.node(0), rig.node(1), rig.node(2)];
    b.kill();
    await rig.run(4_000);
    expect(await firstsOf(a, 0, 200)).toEqual(new Map([['node-c', 200]]));
    b.start();
    for (let seconds = 0; seconds < 60; seconds += 1) {
      await rig.run(1_000);
      if ((await namesAt(a, 1_000 + seconds)).includes('node-b')) break;
    }
    await rig.run(60_000, 500);
    const firsts = await firstsOf(a, 2_000, 400);
    expect(firsts.get('node-b')).toBeGreaterThan(190);
    expect(firsts.get('node-b')).toBeLessThan(210);
    expect(saidBy(await c.ask('/ch1/index.m3u8'))).toEqual([200, 'own-viewer']);
  });
});
