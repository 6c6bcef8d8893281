import { describe, expect, it } from 'vitest';
import { backupHosts, type GroupRig, passIn, startGroup, urisOf } from '../support/group-rig.ts';

/** Opens the stream at a node and gives the multivariant playlist. */
async function open(rig: GroupRig, at = 0, address = '203.0.113.50'): Promise<string> {
  const answer = await rig.node(at).ask('/ch1/index.m3u8', { address });
  expect(answer.status).toBe(200);
  return answer.text();
}

/** What of a playlist leads to the node called `host`. */
function urisAt(playlist: string, host: string): readonly string[] {
  return urisOf(playlist).filter((uri) => uri.startsWith(`http://${host}`));
}

describe('viewers whose node fails', () => {
  it('report 2: are let in by the backup at their first request, as its backup sessions', async () => {
    const rig = await startGroup(3);
    const playlist = await open(rig);
    expect(backupHosts(playlist)).toEqual(['node-b.example.net', 'node-c.example.net']);
    rig.node(0).kill();
    for (const at of [1, 2]) {
      const node = rig.node(at);
      const [uri = ''] = urisAt(playlist, `${node.id}.example.net`);
      const answer = await node.ask(uri);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('x-understudy-reason')).toBe('backup-viewer');
      const [segment = ''] = urisOf(await answer.text());
      expect((await node.ask(new URL(segment, uri).href)).status).toBe(200);
      expect(node.agent.sessions.counts()).toEqual({ own: 0, backup: 1 });
    }
  });

  it('report 3: go back to a node of two that has come back, by its second listing', async () => {
    const rig = await startGroup(2);
    const playlist = await open(rig);
    const rounds = urisOf(playlist).filter((uri) => uri.includes('round=2'));
    expect(rounds.length).toBe(urisOf(playlist).length / 2);
    rig.node(0).kill();
    await rig.run(3_000);
    rig.node(0).start();
    await rig.run(8_000);
    expect(backupHosts(await open(rig, 1))).toEqual(['node-a.example.net']);
    // The URIs that the viewer has had since the start are good at the node that came back.
    const [own = ''] = urisOf(playlist).filter((uri) => !uri.startsWith('http'));
    expect((await rig.node(0).ask(`/ch1/${own}`)).status).toBe(200);
  });

  it('report 3: are told of the third node, and of the dead one no more, when they open again', async () => {
    const rig = await startGroup(3);
    rig.node(0).kill();
    await rig.run(3_000);
    expect(backupHosts(await open(rig, 1))).toEqual(['node-c.example.net']);
  });

  it('report 4: find the audio of each node in a group of its own', async () => {
    const rig = await startGroup(2, () => ({ origin: { audio: 'audio/sound.m3u8' } }));
    const playlist = await open(rig);
    const groups = new Map<string, Set<string>>();
    for (const [line, group = ''] of playlist.matchAll(/^#EXT-X-MEDIA:.*GROUP-ID="([^"]+)".*$/gm)) {
      const uri = /URI="([^"]+)"/.exec(line)?.[1] ?? '';
      const host = uri.startsWith('http') ? new URL(uri).hostname : 'own';
      groups.set(group, (groups.get(group) ?? new Set()).add(host));
    }
    expect([...groups.values()].map((hosts) => [...hosts])).toEqual([
      ['own'],
      ['node-b.example.net'],
    ]);
    const [audio = ''] = [...playlist.matchAll(/URI="(http[^"]+)"/g)].map(([, uri]) => uri ?? '');
    rig.node(0).kill();
    expect((await rig.node(1).ask(audio)).status).toBe(200);
  });

  it('report 7: who open a stream that stopped here are sent on with a 302, never given a dead first entry', async () => {
    const rig = await startGroup(3);
    rig.node(0).origin.knobs.status = 404;
    await rig.run(4_000);
    const answer = await rig.node(0).ask('/ch1/index.m3u8?lang=en&token=x');
    expect(answer.status).toBe(302);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    const location = new URL(answer.headers.get('location') ?? '');
    expect(location.protocol).toBe('http:');
    expect(location.pathname).toBe('/ch1/index.m3u8');
    expect([...location.searchParams.keys()]).toEqual(['lang', 'token', 'pass']);
    const target = rig.nodes.find(({ base }) => base === location.origin);
    const there = await target?.ask(location.href);
    expect(there?.status).toBe(200);
    expect(backupHosts((await there?.text()) ?? '')).not.toContain('node-a.example.net');
  });

  it('report 1: are never named a member whose source is not declared the same', async () => {
    const rig = await startGroup(2, (at) => ({ stream: { source: `encoder-${at}` } }));
    expect(backupHosts(await open(rig))).toEqual([]);
    const [, other] = rig.node(0).report()?.members ?? [];
    expect(other).toMatchObject({ eligible: false, reasons: ['source-differs'] });
    rig
      .node(0)
      .configure([{ name: 'ch1', origin: rig.node(0).origin.entry, group: 'ch1', reserve: true }]);
    await rig.run(4_000);
    expect(rig.node(0).report()?.members[1]?.reasons).toContain('source-undeclared');
  });

  it('report 10: get 404 on every playlist of a stream that stands still, no later than 1.5 target durations and a poll', async () => {
    const rig = await startGroup(2);
    const playlist = await open(rig);
    const own = urisOf(playlist).filter((uri) => !uri.startsWith('http'));
    rig.node(0).origin.knobs.frozen = true;
    await rig.run(4_200);
    for (const uri of own) {
      const answer = await rig.node(0).ask(`/ch1/${uri}`);
      expect(answer.status).toBe(404);
      expect(answer.headers.get('access-control-allow-origin')).toBe('*');
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect(await answer.json()).toMatchObject({ code: 'frozen' });
    }
    expect((await rig.node(0).ask('/ch1/index.m3u8')).status).toBe(302);
  });

  it('report 10: go on with what is left when every member stands still', async () => {
    const rig = await startGroup(2);
    for (const { origin } of rig.nodes) origin.knobs.frozen = true;
    await rig.run(6_000);
    for (const node of rig.nodes) {
      const answer = await node.ask('/ch1/index.m3u8');
      expect(answer.status).toBe(200);
      expect(answer.headers.get('x-understudy-reason')).toBe('last-resort');
    }
  });

  it('report 9: get 404 when the media sequence of the origin falls back', async () => {
    const rig = await startGroup(2, () => ({ origin: { newest: 1_419 } }));
    const [uri = ''] = urisOf(await open(rig));
    await rig.node(0).origin.stop();
    await rig.node(0).origin.start(2);
    await rig.run(1_500);
    expect(await (await rig.node(0).ask(`/ch1/${uri}`)).json()).toMatchObject({
      code: 'sequence-fell-back',
    });
  });

  it('report 33: find a node alive again within 3 s each of 20 restarts of its agent', async () => {
    const rig = await startGroup(2);
    for (let restart = 0; restart < 20; restart += 1) {
      rig.node(1).kill();
      rig.node(1).start();
      await rig.run(3_000);
      expect(rig.node(0).agent.peers.list(rig.node(0).clock.now())[0]?.reachability).toBe(
        'reachable',
      );
    }
  });

  it('are served by a node that sees no peer at all as if nothing had happened', async () => {
    const rig = await startGroup(3);
    const before = await open(rig, 0, '203.0.113.9');
    rig.network.cut('http://node-a.example.net:8082');
    await rig.run(30_000);
    const answer = await rig.node(0).ask('/ch1/index.m3u8');
    expect(answer.headers.get('x-understudy-reason')).toBe('least-bad-backups');
    const [uri = ''] = urisOf(before);
    expect((await rig.node(0).ask(`/ch1/${uri}`)).status).toBe(200);
    expect(passIn(await answer.text())).not.toBe('');
  });
});
