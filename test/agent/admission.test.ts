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

describe('room for the viewers of a node that died', { timeout: 30_000 }, () => {
  const peerUrl = ({ id }: GroupNode) => `http://${id}.example.net:8082`;

  it.each([
    ['seen to be dead', false],
    ['not known to be dead at first, as nobody was heard', true],
  ])('is kept from others when it is %s', async (_, isInDoubt) => {
    const rig = await startGroup(3);
    const [a, b, c] = [rig.node(0), rig.node(1), rig.node(2)];
    // What one viewer costs is taken for a twentieth of that: with two more b would be over 90 %.
    b.load.networkPercent = 85;
    await rig.run(20_000, 500);
    const ofA: string[] = [];
    for (let viewer = 1; viewer <= 12; viewer += 1) {
      const list = await (
        await a.ask('/ch1/index.m3u8', { address: `203.0.113.${viewer}` })
      ).text();
      const [first = ''] = urisOf(list).filter((uri) => uri.startsWith('http'));
      if (first.startsWith(b.base)) ofA.push(first);
    }
    const [one, ...further] = ofA;
    const stranger = await uriAt(c, b);
    await rig.run(7_000);
    expect(b.agent.self().overloaded).toBe(false);
    if (isInDoubt) {
      rig.network.cut(peerUrl(b));
      await rig.run(3_000);
      expect(b.agent.peers.list(b.clock.now()).map(({ reachability }) => reachability)).toContain(
        'unknown',
      );
    }
    a.kill();
    if (isInDoubt) rig.network.heal(peerUrl(b));
    await rig.run(4_000);
    expect(reasonOf(await b.ask(stranger))).toEqual([404, 'overloaded']);
    expect(reasonOf(await b.ask(one ?? ''))).toEqual([200, 'backup-viewer']);
    expect(further.length).toBeGreaterThan(1);
  });
});

describe('a viewer who would have to wait for a segment that is not there yet', {
  timeout: 30_000,
}, () => {
  async function startLowLatency() {
    const origin = { partsPerSegment: 4, targetS: 2, container: 'fmp4' } as const;
    const rig = await startGroup(2, () => ({ origin }));
    return { rig, a: rig.node(0), b: rig.node(1) };
  }

  /** Asks for the segment after the last one; what came of it, and whether the origin was asked. */
  async function askAhead({ agent, ask, origin }: GroupNode, uri: string) {
    const [rung = ''] = new URL(uri).pathname.split('/ch1/').slice(1);
    const snapshot = agent.live.media('ch1', rung);
    const text = new TextDecoder().decode(snapshot?.bytes);
    const [last = ''] = [...text.matchAll(/seg(\d+)\.m4s/g)].map(([, number]) => number).slice(-1);
    const answer = await ask(`${uri}&_HLS_msn=${Number(last) + 1}`);
    const waited = origin.requests.filter(({ query }) => query.includes('_HLS_msn'));
    return [...reasonOf(answer), waited.length];
  }

  it('is refused at once where the node takes no viewers of others', async () => {
    const { rig, a, b } = await startLowLatency();
    const uri = await uriAt(a, b);
    await setLoad(rig, b, 100);
    expect(await askAhead(b, uri)).toEqual([404, 'overloaded', 0]);
  });

  it('is sent away at once where it is to be moved', async () => {
    const { rig, b } = await startLowLatency();
    const [rung = ''] = urisOf(await (await b.ask('/ch1/index.m3u8')).text());
    b.agent.drain.begin(0, b.clock.now());
    await rig.run(1_000);
    expect(await askAhead(b, `${b.base}/ch1/${rung}`)).toEqual([404, 'draining', 0]);
  });
});
