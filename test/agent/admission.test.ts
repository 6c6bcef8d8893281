import { describe, expect, it } from 'vitest';
import {
  backupHosts,
  type GroupNode,
  type GroupRig,
  startGroup,
  urisOf,
} from '../support/group-rig.ts';

const reasonOf = (answer: Response) => [answer.status, answer.headers.get('x-understudy-reason')];

/** Opens at `home` and gives the media playlist that this viewer has at the node `at`. */
async function uriAt(home: GroupNode, at: GroupNode, address = '203.0.113.1') {
  const playlist = await (await home.ask('/ch1/index.m3u8', { address })).text();
  return urisOf(playlist).find((uri) => uri.startsWith(at.base)) ?? '';
}

/** The node's load from now on, and long enough to show. */
async function setLoad(rig: GroupRig, node: GroupNode, cpuPercent: number | undefined) {
  node.load.cpuPercent = cpuPercent;
  await rig.run(20_000, 500);
}

const membersAt = (node: GroupNode) =>
  node.report()?.members.map(({ node: id, reasons }) => [id, reasons]);

describe('a node over its load limit', { timeout: 30_000 }, () => {
  it.each([
    [80, 200, 'backup-viewer'],
    [89.5, 200, 'backup-viewer'],
    [90.5, 404, 'overloaded'],
  ])('at %d percent of processor answers a viewer of another node %i', async (percent, ...said) => {
    const rig = await startGroup(2);
    const [a, b] = [rig.node(0), rig.node(1)];
    const uri = await uriAt(a, b);
    await setLoad(rig, b, percent);
    expect(reasonOf(await b.ask(uri))).toEqual(said);
  });

  it('by its network refuses likewise', async () => {
    const rig = await startGroup(2);
    const [a, b] = [rig.node(0), rig.node(1)];
    const uri = await uriAt(a, b);
    b.load.networkPercent = 97;
    await rig.run(20_000, 500);
    expect(reasonOf(await b.ask(uri))).toEqual([404, 'overloaded']);
    expect(b.agent.self()).toMatchObject({
      overloaded: true,
      load: { networkPercent: 97, networkLimitPercent: 90 },
    });
  });

  it('refuses neither its own viewers nor those it has let in', async () => {
    const rig = await startGroup(2);
    const [a, b] = [rig.node(0), rig.node(1)];
    const uri = await uriAt(a, b);
    expect((await b.ask(uri)).status).toBe(200);
    await setLoad(rig, b, 100);
    expect(reasonOf(await b.ask(uri))).toEqual([200, 'backup-viewer']);
    const own = await b.ask('/ch1/index.m3u8');
    expect(own.status).toBe(200);
    const [media = ''] = urisOf(await own.text());
    expect(reasonOf(await b.ask(`/ch1/${media}`))).toEqual([200, 'own-viewer']);
  });

  it('is in no new list one heartbeat after it began to refuse, and says why', async () => {
    const rig = await startGroup(3);
    const [a, b] = [rig.node(0), rig.node(1)];
    b.load.cpuPercent = 100;
    let refusesSince: number | undefined;
    let goneSince: number | undefined;
    for (let ms = 0; ms < 30_000 && goneSince === undefined; ms += 100) {
      await rig.run(100);
      if (b.agent.self().overloaded) refusesSince ??= ms;
      const list = backupHosts(
        await (await a.ask('/ch1/index.m3u8', { address: '203.0.113.9' })).text(),
      );
      if (!list.includes('node-b.example.net')) goneSince = ms;
    }
    expect(refusesSince).toBeDefined();
    expect((goneSince ?? Infinity) - (refusesSince ?? 0)).toBeLessThanOrEqual(100);
    expect(membersAt(a)).toEqual([
      ['node-a', []],
      ['node-b', ['overloaded']],
      ['node-c', []],
    ]);
  });

  it('is named again when its load has fallen, not while it swings about the limit', async () => {
    const rig = await startGroup(2);
    const [a, b] = [rig.node(0), rig.node(1)];
    await setLoad(rig, b, 95);
    await setLoad(rig, b, 86);
    expect(membersAt(a)?.[1]).toEqual(['node-b', ['overloaded']]);
    await setLoad(rig, b, 70);
    expect(membersAt(a)?.[1]).toEqual(['node-b', []]);
  });

  it('refuses nobody where load cannot be measured', async () => {
    const rig = await startGroup(2);
    const [a, b] = [rig.node(0), rig.node(1)];
    const uri = await uriAt(a, b);
    await setLoad(rig, b, undefined);
    expect((await b.ask(uri)).status).toBe(200);
    expect(b.agent.self().load).toEqual({ cpuLimitPercent: 90, networkLimitPercent: 90 });
  });
});

describe('when every node is over its limit', { timeout: 30_000 }, () => {
  async function allFull() {
    const rig = await startGroup(3);
    for (const { load } of rig.nodes) load.cpuPercent = 99;
    await rig.run(20_000, 500);
    return rig;
  }

  it('own viewers are served, with the least bad backups, and told so', async () => {
    const rig = await allFull();
    const answer = await rig.node(0).ask('/ch1/index.m3u8');
    expect(reasonOf(answer)).toEqual([200, 'least-bad-backups']);
    expect(backupHosts(await answer.text())).toHaveLength(2);
  });

  it('who opens where the stream is gone is told that all are full, and gets no pass', async () => {
    const rig = await allFull();
    rig.node(0).configure([]);
    await rig.run(2_000);
    expect(reasonOf(await rig.node(0).ask('/ch1/index.m3u8'))).toEqual([404, 'all-full']);
  });

  it('a frozen playlist here is still better than nothing', async () => {
    const rig = await allFull();
    rig.node(0).origin.knobs.frozen = true;
    await rig.run(20_000, 500);
    expect(reasonOf(await rig.node(0).ask('/ch1/index.m3u8'))).toEqual([200, 'last-resort']);
  });
});

describe('viewers who come all at once', { timeout: 30_000 }, () => {
  it('are let in as far as there is room for them, before any of it shows in the load', async () => {
    const rig = await startGroup(2);
    const [a, b] = [rig.node(0), rig.node(1)];
    // Of the largest variant, 2.9 Mbit/s, 100 more fill what is left of 1 Gbit/s below 90 %.
    b.load.networkPercent = 60;
    await rig.run(30_000, 500);
    const uris: string[] = [];
    for (let viewer = 0; viewer < 300; viewer += 1)
      uris.push(await uriAt(a, b, `203.0.113.${viewer % 250}`));
    const answers = await Promise.all(uris.map((uri) => b.ask(uri)));
    const admitted = answers.filter(({ status }) => status === 200).length;
    const rate = Math.max(
      ...(b.agent.live.facts('ch1')?.hls?.ladder?.variants.map(({ bandwidth }) => bandwidth) ?? []),
    );
    const room = (0.3 * 1e9) / rate;
    expect(admitted).toBeLessThanOrEqual(room);
    expect(admitted).toBeGreaterThan(room - 3);
    expect(new Set(answers.map((answer) => reasonOf(answer).join()))).toEqual(
      new Set(['200,backup-viewer', '404,overloaded']),
    );
  });
});
