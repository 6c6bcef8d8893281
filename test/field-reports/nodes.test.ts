import { describe, expect, it } from 'vitest';
import { backupHosts, type GroupRig, startGroup } from '../support/group-rig.ts';

async function hostsNamed(rig: GroupRig, at: number, address?: string): Promise<readonly string[]> {
  const answer = await rig.node(at).ask('/ch1/index.m3u8', address ? { address } : {});
  return backupHosts(await answer.text());
}

describe('nodes among themselves', () => {
  it.each([300_000, -300_000])(
    'report 14: with a wall clock that steps by %i ms nobody is dead, and that node is no backup',
    async (stepMs) => {
      const rig = await startGroup(3);
      rig.node(0).clock.stepWall(stepMs);
      for (let second = 0; second < 10; second += 1) {
        await rig.run(1_000);
        for (const { agent, clock } of rig.nodes)
          expect(agent.peers.list(clock.now()).map(({ reachability }) => reachability)).toEqual([
            'reachable',
            'reachable',
          ]);
      }
      expect(await hostsNamed(rig, 1)).toEqual(['node-c.example.net']);
      expect(await hostsNamed(rig, 0)).toEqual([]);
      expect((await rig.node(0).ask('/ch1/index.m3u8')).status).toBe(200);
      for (const at of [0, 1]) {
        const problem = rig
          .node(at)
          .report()
          ?.problems.find(({ code }) => code === 'clock-skew');
        expect(problem).toMatchObject({ node: 'node-a' });
        expect(problem?.text).toContain('300.0 s');
      }
    },
  );

  it.each([
    [239_900, true],
    [240_000, true],
    [240_100, false],
  ])('with clocks %i ms apart may back each other up: %s', async (wallOffsetMs, isBackup) => {
    const rig = await startGroup(2, (at) => (at === 1 ? { wallOffsetMs } : {}));
    for (const at of [0, 1]) {
      const [, other] = rig.node(at).report()?.members ?? [];
      expect(other?.eligible).toBe(isBackup);
      expect(Math.abs(other?.clockOffsetMs ?? 0)).toBeCloseTo(wallOffsetMs, -1);
    }
    expect(await hostsNamed(rig, 0)).toEqual(isBackup ? ['node-b.example.net'] : []);
  });

  it('report 16: that each believe the other serves send a viewer on at most twice, never to the same node', async () => {
    const rig = await startGroup(2);
    // The news that the streams stopped travels a second; until then each node trusts the other.
    for (const { origin } of rig.nodes) origin.knobs.playlistStatus = 404;
    let url = `${rig.node(0).base}/ch1/index.m3u8`;
    const visited: string[] = [];
    await Promise.all(rig.nodes.map(({ agent, clock }) => agent.live.tick(clock.now())));
    for (let hop = 0; hop < 5; hop += 1) {
      const node = rig.nodes.find(({ base }) => url.startsWith(base));
      const answer = await node?.ask(url);
      visited.push(node?.id ?? '');
      const location = answer?.headers.get('location');
      if (location === null || location === undefined) break;
      url = location;
    }
    expect(new Set(visited).size).toBe(visited.length);
    expect(visited.length).toBeLessThanOrEqual(3);
  });

  it('report 16: never send a viewer back to a node that sent it here', async () => {
    const rig = await startGroup(2);
    rig.node(0).origin.knobs.status = 404;
    await rig.run(4_000);
    const first = await rig.node(0).ask('/ch1/index.m3u8');
    rig.node(0).origin.knobs.status = undefined;
    rig.node(1).origin.knobs.status = 404;
    await rig.run(8_000);
    const second = await rig.node(1).ask(first.headers.get('location') ?? '');
    expect(second.headers.get('location')).toBeNull();
    expect(second.status).toBe(404);
  });

  it('report 17: with only private addresses are named to no public viewer, and shown as a problem', async () => {
    const rig = await startGroup(2, (at) =>
      at === 1 ? { publicUrl: 'http://10.0.0.7:8080' } : {},
    );
    expect(await hostsNamed(rig, 0, '203.0.113.50')).toEqual([]);
    expect(await hostsNamed(rig, 0, '10.0.0.50')).toEqual(['10.0.0.7']);
    const codes = rig
      .node(0)
      .report()
      ?.problems.map(({ code, node }) => [code, node]);
    expect(codes).toEqual([['address-private', 'node-b']]);
  });

  it('report 27: name two different hosts, never themselves, for ten thousand viewers', async () => {
    const rig = await startGroup(3);
    const pairs = new Map<string, number>();
    for (let viewer = 0; viewer < 10_000; viewer += 1) {
      const address = `203.0.${viewer >> 8}.${viewer & 255}`;
      const pair = (await hostsNamed(rig, 0, address)).join();
      pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
    }
    expect(Object.fromEntries(pairs)).toEqual({
      'node-b.example.net,node-c.example.net': 5_000,
      'node-c.example.net,node-b.example.net': 5_000,
    });
  }, 60_000);

  it('report 30: send a viewer of a low-latency stream to no node that has it without', async () => {
    const rig = await startGroup(2, (at) => ({
      origin: at === 0 ? { partsPerSegment: 4, container: 'fmp4' } : {},
    }));
    expect(await hostsNamed(rig, 0)).toEqual([]);
    expect(rig.node(0).report()?.members[1]?.reasons).toContain('container-differs');
    rig.node(0).origin.knobs.status = 404;
    await rig.run(6_000);
    const answer = await rig.node(0).ask('/ch1/index.m3u8');
    expect(answer.headers.get('location')).toBeNull();
  });
});
