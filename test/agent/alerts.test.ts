import { describe, expect, it } from 'vitest';
import { type GroupNode, type GroupRig, startGroup, urisOf } from '../support/group-rig.ts';

/** Past the time after a start in which nothing is told. */
const settledMs = 36_000;
const stepMs = 500;

async function startSettled(nodes: number, options?: Parameters<typeof startGroup>[1]) {
  const rig = await startGroup(nodes, options);
  await rig.run(settledMs, stepMs);
  return rig;
}

const alertsOf = (node: GroupNode) =>
  node.agent.alerts
    .list()
    .map(({ code, group, node: about, cause, clearedAt }) =>
      [code, group, about, cause, clearedAt === undefined ? 'raised' : 'cleared'].join(' '),
    );

/** A viewer of the first node, watching at `at` from now on by the pass and URI it was given. */
async function watchElsewhere(rig: GroupRig, at: number) {
  const playlist = await (await rig.node(0).ask('/ch1/index.m3u8')).text();
  const uri = urisOf(playlist).find((one) => one.startsWith(rig.node(at).base)) ?? '';
  return async () => (await rig.node(at).ask(uri)).status;
}

async function watchFor(rig: GroupRig, seconds: number, reload: () => Promise<number>) {
  for (let second = 0; second < seconds; second += 2) {
    await reload();
    await rig.run(2_000, stepMs);
  }
}

describe('alerts of a group', () => {
  it('are none while all is well, and none right after the start', async () => {
    const rig = await startSettled(3);
    for (const node of rig.nodes) expect(alertsOf(node)).toEqual([]);
  }, 60_000);

  it('tell of a dead node and of its viewers, about that node wherever they are raised', async () => {
    const rig = await startSettled(3);
    const reload = await watchElsewhere(rig, 1);
    rig.node(0).kill();
    await watchFor(rig, 20, reload);
    expect(alertsOf(rig.node(1)).sort()).toEqual([
      '70 ch1 node-a unreachable raised',
      '78 ch1 node-a unreachable raised',
    ]);
    expect(alertsOf(rig.node(2))).toEqual(['78 ch1 node-a unreachable raised']);
    rig.node(0).start();
    await rig.run(130_000, 1_000);
    for (const at of [1, 2])
      expect(alertsOf(rig.node(at)).every((alert) => alert.endsWith('cleared'))).toBe(true);
    for (const told of alertsOf(rig.node(0))) expect(told).toMatch(/^78 ch1 node-a .* cleared$/);
  }, 120_000);

  it('report 9: tell of a media sequence that fell back, once, on every node about the same', async () => {
    const rig = await startSettled(2);
    for (let wave = 0; wave < 3; wave += 1) {
      rig.node(0).origin.knobs.frozen = true;
      await rig.run(20_000, stepMs);
      rig.node(0).origin.knobs.frozen = false;
      await rig.run(20_000, stepMs);
    }
    for (const node of rig.nodes) {
      const told = alertsOf(node);
      expect(told).toHaveLength(1);
      expect(told[0]).toMatch(/^78 ch1 node-a /);
    }
  }, 120_000);

  it('tell once of a node that dies and comes back, again and again for ten minutes', async () => {
    const rig = await startSettled(3);
    const reload = await watchElsewhere(rig, 1);
    for (let wave = 0; wave < 5; wave += 1) {
      rig.node(0).kill();
      await watchFor(rig, 60, reload);
      rig.node(0).start();
      await watchFor(rig, 60, reload);
    }
    expect(alertsOf(rig.node(1)).sort()).toEqual([
      expect.stringMatching(/^70 ch1 node-a /),
      expect.stringMatching(/^78 ch1 node-a /),
    ]);
    expect(alertsOf(rig.node(2))).toEqual([expect.stringMatching(/^78 ch1 node-a /)]);
  }, 120_000);

  it('tell of a node that refuses viewers of others for more than 30 s, and when it stops', async () => {
    const rig = await startSettled(2, (at) => (at === 1 ? { backupSessionsMax: 1 } : {}));
    const open = () => rig.node(0).ask('/ch1/index.m3u8');
    rig.node(0).origin.knobs.status = 404;
    await rig.run(3_000, stepMs);
    const first = (await open()).headers.get('location') ?? '';
    const second = (await open()).headers.get('location') ?? '';
    expect((await rig.node(1).ask(first)).status).toBe(200);
    const refused = async () => (await rig.node(1).ask(second)).status;
    expect(await refused()).toBe(404);
    await watchFor(rig, 30, refused);
    expect(alertsOf(rig.node(1)).filter((one) => one.startsWith('79'))).toEqual([]);
    await watchFor(rig, 4, refused);
    expect(alertsOf(rig.node(1))).toContain('79  node-b backup-limit raised');
    await rig.run(32_000, stepMs);
    expect(alertsOf(rig.node(1))).toContain('79  node-b backup-limit cleared');
  }, 120_000);
});
