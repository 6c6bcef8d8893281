import { describe, expect, it } from 'vitest';
import { backupHosts, type GroupRig, passIn, startGroup, urisOf } from '../support/group-rig.ts';

/** Opens `url` wherever it leads, as a player that follows redirects. */
async function follow(rig: GroupRig, url: string): Promise<{ visited: string[]; last: Response }> {
  const visited: string[] = [];
  for (let next = url; ; ) {
    const node = rig.nodes.find(({ base }) => next.startsWith(`${base}/`));
    if (node === undefined) throw new Error(`no node at ${next}`);
    visited.push(node.id);
    const last = await node.ask(next);
    const location = last.headers.get('location');
    if (location === null) return { visited, last };
    next = location;
  }
}

describe('opening a stream', () => {
  it('with the pass of an earlier opening goes on with the same session and the same backups', async () => {
    const rig = await startGroup(4);
    const first = await (await rig.node(0).ask('/ch1/index.m3u8')).text();
    const again = await rig.node(0).ask(`/ch1/index.m3u8?pass=${passIn(first)}`);
    expect(backupHosts(await again.text())).toEqual(backupHosts(first));
    expect(rig.node(0).agent.sessions.counts()).toEqual({ own: 1, backup: 0 });
  });

  it('that this node does not carry leads to the node that does, whose viewer it then is', async () => {
    const rig = await startGroup(3);
    for (const at of [0, 1]) rig.node(at).configure([]);
    await rig.run(2_000);
    const { visited, last } = await follow(rig, `${rig.node(0).base}/ch1/index.m3u8?lang=en`);
    expect(visited).toEqual(['node-a', 'node-c']);
    expect([last.status, last.headers.get('x-understudy-reason')]).toEqual([200, 'backup-viewer']);
    const [uri = ''] = urisOf(await last.text());
    expect((await rig.node(2).ask(`/ch1/${uri}`)).status).toBe(200);
    expect(rig.node(2).agent.sessions.counts()).toEqual({ own: 0, backup: 1 });
  });

  it('leads to the name that the stream has there, written as a path', async () => {
    const rig = await startGroup(2);
    const [a, b] = [rig.node(0), rig.node(1)];
    const shared = { group: 'ch1', source: 'studio', reserve: true } as const;
    b.configure([{ name: 'sport/é 1', origin: b.origin.entry, ...shared }]);
    await rig.run(8_000);
    const named = await (await a.ask('/ch1/index.m3u8')).text();
    expect(named).toContain('http://node-b.example.net/sport/%C3%A9%201/high/video.m3u8?');
    a.origin.knobs.status = 404;
    await rig.run(2_000);
    const { visited, last } = await follow(rig, `${a.base}/ch1/index.m3u8`);
    expect([visited, last.status]).toEqual([['node-a', 'node-b'], 200]);
  });

  it('of low latency leads to a node that has it, and its blocking reloads wait there', async () => {
    const rig = await startGroup(2, () => ({
      origin: { partsPerSegment: 4, container: 'fmp4' },
    }));
    rig.node(0).origin.knobs.status = 404;
    await rig.run(4_000);
    const { visited, last } = await follow(rig, `${rig.node(0).base}/ch1/index.m3u8`);
    expect([visited, last.status]).toEqual([['node-a', 'node-b'], 200]);
    const [uri = ''] = urisOf(await last.text());
    const playlist = await (await rig.node(1).ask(`/ch1/${uri}`)).text();
    const [newest = ''] = urisOf(playlist).slice(-1);
    const next = Number(/\d+/.exec(newest)?.[0]) + 1;
    const waiting = rig.node(1).ask(`/ch1/${uri}&_HLS_msn=${next}`);
    rig.node(1).origin.advance();
    expect(await (await waiting).text()).toContain(`seg${next}.m4s`);
  });

  it('at a node that came back and hears nobody is served there without backups, or not found', async () => {
    const rig = await startGroup(2);
    rig.node(0).kill();
    rig.network.cut('http://node-a.example.net:8082');
    rig.node(0).start();
    await rig.run(1_000);
    const answer = await rig.node(0).ask('/ch1/index.m3u8');
    expect([answer.status, backupHosts(await answer.text())]).toEqual([200, []]);
    rig.node(0).configure([]);
    expect((await rig.node(0).ask('/ch1/index.m3u8')).status).toBe(404);
  });

  it('whose node lost it while all others refuse strangers is not found, and no pass is signed', async () => {
    const rig = await startGroup(3, (at) => (at === 0 ? {} : { backupSessionsMax: 0 }));
    const own = urisOf(await (await rig.node(0).ask('/ch1/index.m3u8')).text());
    rig.node(0).kill();
    await rig.node(0).origin.stop();
    rig.node(0).start();
    await rig.run(6_000);
    for (const path of ['index.m3u8', own[0] ?? '']) {
      const answer = await rig.node(0).ask(`/ch1/${path}`);
      expect([path, answer.status]).toEqual([path, 404]);
      expect(answer.headers.get('location')).toBeNull();
    }
  });
});

describe('reloading a media playlist', () => {
  it('without a pass is served as to a viewer of this node', async () => {
    const rig = await startGroup(2);
    const answer = await rig.node(0).ask('/ch1/high/video.m3u8');
    expect([answer.status, answer.headers.get('x-understudy-reason')]).toEqual([200, 'own-viewer']);
    expect(rig.node(0).agent.sessions.counts()).toEqual({ own: 1, backup: 0 });
  });

  it('gives every viewer the same bytes, and asks the origin no more for many than for one', async () => {
    const rig = await startGroup(2);
    const opened = await (await rig.node(0).ask('/ch1/index.m3u8')).text();
    const asked = rig.node(0).origin.requests.length;
    const texts = await Promise.all(
      Array.from({ length: 200 }, async (_, at) => {
        const address = `203.0.113.${at}`;
        const query = at % 2 === 0 ? '' : `?pass=${passIn(opened)}`;
        return (await rig.node(0).ask(`/ch1/high/video.m3u8${query}`, { address })).text();
      }),
    );
    expect(new Set(texts).size).toBe(1);
    expect(rig.node(0).origin.requests.length).toBe(asked);
  });

  it('is refused to new strangers at an overfull node, and goes on for those who are in', async () => {
    const rig = await startGroup(3, (at) => (at === 1 ? { backupSessionsMax: 2 } : {}));
    const uris: string[] = [];
    for (const address of ['203.0.113.1', '203.0.113.2', '203.0.113.3']) {
      const playlist = await (await rig.node(0).ask('/ch1/index.m3u8', { address })).text();
      uris.push(urisOf(playlist).find((uri) => uri.startsWith(rig.node(1).base)) ?? '');
    }
    const statuses = async () => {
      const found: number[] = [];
      for (const uri of uris) found.push((await rig.node(1).ask(uri)).status);
      return found;
    };
    expect(await statuses()).toEqual([200, 200, 404]);
    await rig.run(5_000);
    expect(await statuses()).toEqual([200, 200, 404]);
  });
});
