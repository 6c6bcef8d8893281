import { describe, expect, it } from 'vitest';
import {
  backupHosts,
  type GroupNode,
  type GroupRig,
  startGroup,
  urisOf,
} from '../support/group-rig.ts';

const bHost = 'node-b.example.net';

async function open(node: GroupNode, viewer: number) {
  return node.ask('/ch1/index.m3u8', { address: `203.0.${viewer >> 8}.${viewer & 255}` });
}

/** Drains as the API does; says after how much virtual time it was done, and who knew. */
async function drain(rig: GroupRig, node: GroupNode, moveOverS?: number) {
  const before = rig.clock.now().monoMs;
  node.agent.drain.begin(moveOverS, node.clock.now());
  return untilTold(rig, node, before);
}

async function untilTold(rig: GroupRig, node: GroupNode, before: number) {
  let told: readonly string[] | undefined;
  void node.agent.peers.tell().then((ids) => {
    told = ids;
  });
  while (told === undefined) await rig.run(50, 50);
  return { told, tookMs: rig.clock.now().monoMs - before };
}

describe('a node that is drained', { timeout: 60_000 }, () => {
  it('report 23: is named and sent to no more once the call has answered', async () => {
    const rig = await startGroup(3);
    const [a, b] = [rig.node(0), rig.node(1)];
    const { told, tookMs } = await drain(rig, b);
    expect([...told].sort()).toEqual(['node-a', 'node-c']);
    expect(tookMs).toBeLessThan(500);
    for (let viewer = 0; viewer < 1_000; viewer += 1)
      expect(backupHosts(await (await open(a, viewer)).text())).toEqual(['node-c.example.net']);
    a.configure([]);
    await rig.run(500);
    for (let viewer = 0; viewer < 1_000; viewer += 1)
      expect((await open(a, viewer)).headers.get('location')).toContain('node-c.example.net');
    expect(
      rig
        .node(2)
        .report()
        ?.members.find(({ node }) => node === 'node-b')?.reasons,
    ).toEqual(['draining']);
  });

  it('report 23: is used again as soon as the drain has ended', async () => {
    const rig = await startGroup(2);
    const [a, b] = [rig.node(0), rig.node(1)];
    await drain(rig, b);
    const before = rig.clock.now().monoMs;
    b.agent.drain.end();
    const { tookMs } = await untilTold(rig, b, before);
    expect(tookMs).toBeLessThan(500);
    expect(backupHosts(await (await open(a, 1)).text())).toEqual([bHost]);
  });

  it('is known within two seconds to a peer that the first question did not reach', async () => {
    const rig = await startGroup(2);
    const [a, b] = [rig.node(0), rig.node(1)];
    rig.network.cut('http://node-a.example.net:8082', 'http://node-b.example.net:8082');
    b.agent.drain.begin(undefined, b.clock.now());
    const told = b.agent.peers.tell();
    await rig.run(20, 20);
    rig.network.heal('http://node-a.example.net:8082', 'http://node-b.example.net:8082');
    await rig.run(1_900);
    expect(await told).toEqual(['node-a']);
    expect(backupHosts(await (await open(a, 1)).text())).toEqual([]);
  });

  it('goes on serving its own viewers, old and new, and those it has let in', async () => {
    const rig = await startGroup(2);
    const [a, b] = [rig.node(0), rig.node(1)];
    const own = urisOf(await (await open(b, 1)).text())[0];
    const admitted = urisOf(await (await open(a, 2)).text()).find((uri) => uri.includes(bHost));
    expect((await b.ask(admitted ?? '')).status).toBe(200);
    await drain(rig, b);
    expect((await b.ask(`/ch1/${own}`)).status).toBe(200);
    expect((await b.ask(admitted ?? '')).status).toBe(200);
    expect((await open(b, 3)).status).toBe(200);
  });
});

describe('a node that moves its viewers', { timeout: 60_000 }, () => {
  /** Media playlists at B of so many viewers of B. */
  async function viewersOf(node: GroupNode, count: number) {
    const uris: string[] = [];
    for (let viewer = 0; viewer < count; viewer += 1)
      uris.push(`/ch1/${urisOf(await (await open(node, viewer)).text())[0]}`);
    return uris;
  }

  const gone = async (node: GroupNode, uris: readonly string[]) => {
    const answers = await Promise.all(uris.map((uri) => node.ask(uri)));
    const refused = answers.filter(({ status }) => status === 404);
    for (const answer of refused)
      expect(answer.headers.get('x-understudy-reason')).toBe('draining');
    return refused.length;
  };

  it('answers them 404 evenly over the time, each for good', async () => {
    const rig = await startGroup(2);
    const b = rig.node(1);
    const uris = await viewersOf(b, 200);
    await drain(rig, b, 40);
    expect(await gone(b, uris)).toBeLessThan(15);
    await rig.run(20_000, 500);
    const half = await gone(b, uris);
    expect(half).toBeGreaterThan(70);
    expect(half).toBeLessThan(130);
    await rig.run(20_000, 500);
    expect(await gone(b, uris)).toBe(200);
  });

  it('keeps those who hold no backup that could serve them', async () => {
    const rig = await startGroup(2);
    const [a, b] = [rig.node(0), rig.node(1)];
    const agent = 'VLC/3.0.24 LibVLC/3.0.24';
    const without = await (await b.ask('/ch1/index.m3u8', { agent })).text();
    const uris = await viewersOf(b, 20);
    await drain(rig, b, 0);
    expect((await b.ask(`/ch1/${urisOf(without)[0]}`, { agent })).status).toBe(200);
    expect(await gone(b, uris)).toBe(20);
    a.origin.knobs.frozen = true;
    await rig.run(15_000, 500);
    expect(await gone(b, uris)).toBe(0);
  });

  it('sends those who open to another node, while there is one', async () => {
    const rig = await startGroup(2);
    const [a, b] = [rig.node(0), rig.node(1)];
    await drain(rig, b, 0);
    expect((await open(b, 1)).headers.get('location')).toContain('node-a.example.net');
    a.kill();
    await rig.run(4_000);
    expect((await open(b, 1)).status).toBe(200);
  });
});
