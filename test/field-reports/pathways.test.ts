import { describe, expect, it } from 'vitest';
import { backupHosts, type GroupRig, passIn, startGroup, urisOf } from '../support/group-rig.ts';
import { createPathwayPlayer, pathwaysOf } from '../support/pathway-player.ts';

/** A player by hls.js's rules that opened `ch1` at node-a; nodes in `dead` refuse its connections. */
async function playAtA(rig: GroupRig) {
  const dead = new Set<string>();
  const entry = `${rig.node(0).base}/ch1/index.m3u8`;
  const player = createPathwayPlayer({
    playlist: await (await rig.node(0).ask(entry)).text(),
    monoMs: () => rig.clock.now().monoMs,
    request: async (uri) => {
      const url = new URL(uri, entry);
      const node = rig.nodes.find(({ base }) => base === url.origin);
      return node === undefined || dead.has(node.id) ? 0 : (await node.ask(url.href)).status;
    },
  });
  const feeder = async () => {
    const found = await player.reload();
    return found === 'fatal' ? found : new URL(found.uri, entry).hostname.split('.')[0];
  };
  const kill = (at: number) => {
    rig.node(at).kill();
    dead.add(rig.node(at).id);
  };
  const revive = (at: number) => {
    rig.node(at).start();
    dead.delete(rig.node(at).id);
  };
  return { player, feeder, kill, revive };
}

/** node-a's entry is this playlist from now on, and so is everybody's. */
async function publish(rig: GroupRig, multivariant: string): Promise<void> {
  for (const { origin } of rig.nodes)
    origin.route('/live/ch1/index.m3u8', (_, response) => {
      response.setHeader('content-type', 'application/vnd.apple.mpegurl');
      response.end(multivariant);
    });
  await rig.run(30_000);
}

describe('players that follow pathways as hls.js does', () => {
  it('report 2: are fed by the first backup after one failed request for each rung', async () => {
    const rig = await startGroup(3);
    const { player, feeder, kill } = await playAtA(rig);
    expect(await feeder()).toBe('node-a');
    await rig.run(60_000, 500);
    kill(0);
    const found = await player.reload();
    expect(found).toMatchObject({ requests: 3 });
    expect(found === 'fatal' ? found : found.uri).toMatch(/^http:\/\/node-[bc]\./);
  });

  it('report 3: go to the third node when the first came back and the second died', async () => {
    const rig = await startGroup(3);
    const { feeder, kill, revive } = await playAtA(rig);
    kill(0);
    const first = await feeder();
    await rig.run(5_000);
    revive(0);
    await rig.run(5_000);
    kill(first === 'node-b' ? 1 : 2);
    expect(await feeder()).toBe(first === 'node-b' ? 'node-c' : 'node-b');
  });

  it('report 3: go back to the first of two by its second listing, within the penalty', async () => {
    const rig = await startGroup(2);
    const { feeder, kill, revive } = await playAtA(rig);
    kill(0);
    expect(await feeder()).toBe('node-b');
    await rig.run(5_000);
    revive(0);
    await rig.run(8_000);
    kill(1);
    expect(await feeder()).toBe('node-a');
  });

  it('report 4: take video and audio from the same node on every pathway', async () => {
    const rig = await startGroup(3, () => ({ origin: { audio: 'audio/sound.m3u8' } }));
    const playlist = await (await rig.node(0).ask('/ch1/index.m3u8')).text();
    const hostOf = (uri: string) => new URL(uri, rig.node(0).base).hostname;
    const audioHosts = new Map(
      [...playlist.matchAll(/^#EXT-X-MEDIA:.*GROUP-ID="([^"]+)".*URI="([^"]+)"/gm)].map(
        ([, group = '', uri = '']) => [group, hostOf(uri)],
      ),
    );
    expect(audioHosts.size).toBeGreaterThanOrEqual(3);
    for (const { levels } of pathwaysOf(playlist))
      for (const { uri, audio = '' } of levels) expect(audioHosts.get(audio)).toBe(hostOf(uri));
  });

  it('report 5: find AVC and HEVC rungs of equal size and rate to be two levels, not copies', async () => {
    const rig = await startGroup(3);
    const twin = (codec: string, path: string) =>
      `#EXT-X-STREAM-INF:BANDWIDTH=3000000,RESOLUTION=1280x720,CODECS="${codec},mp4a.40.2"\n${path}\n`;
    await publish(
      rig,
      `#EXTM3U\n${twin('avc1.4d401f', 'high/video.m3u8')}${twin('hvc1.1.6.L93.B0', 'low/video.m3u8')}`,
    );
    const playlist = await (await rig.node(0).ask('/ch1/index.m3u8')).text();
    const pathways = pathwaysOf(playlist);
    expect(backupHosts(playlist)).toHaveLength(2);
    expect(pathways.map(({ levels }) => levels.length)).toEqual([2, 2, 2, 2, 2, 2]);
    for (const { levels } of pathways) {
      expect(levels[0]?.uri).toContain('high/video.m3u8');
      expect(levels[1]?.uri).toContain('low/video.m3u8');
      expect(new Set(levels.map(({ uri }) => new URL(uri, rig.node(0).base).host)).size).toBe(1);
    }
  });

  it('report 33: are told of the next peer as soon as the first is known to be dead', async () => {
    const rig = await startGroup(3);
    rig.node(1).kill();
    await rig.run(2_000);
    const playlist = await (await rig.node(0).ask('/ch1/index.m3u8')).text();
    expect(backupHosts(playlist)).toEqual(['node-c.example.net']);
  });

  it('get 404 on every playlist, audio too, at once after the origin has lost the stream', async () => {
    const rig = await startGroup(3, () => ({ origin: { audio: 'audio/sound.m3u8' } }));
    const playlist = await (await rig.node(0).ask('/ch1/index.m3u8')).text();
    const { feeder } = await playAtA(rig);
    const pass = passIn(playlist);
    rig.node(0).origin.knobs.playlistStatus = 404;
    await rig.run(1_500);
    for (const path of ['high/video.m3u8', 'low/video.m3u8', 'audio/sound.m3u8']) {
      const answer = await rig.node(0).ask(`/ch1/${path}?pass=${pass}`);
      expect([path, answer.status]).toEqual([path, 404]);
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    }
    expect(await feeder()).not.toBe('node-a');
    expect(urisOf(playlist).length).toBeGreaterThan(0);
  });
});
