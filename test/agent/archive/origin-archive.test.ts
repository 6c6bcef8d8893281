import { describe, expect, it, onTestFinished } from 'vitest';
import { startGroup, urisOf } from '../../support/group-rig.ts';
import { startOrigin } from '../../support/origin-servers.ts';

const hourMs = 3_600_000;

/** A media server with an archive of its own, in Flussonic's form, behind node A of one group. */
async function startArchivedNode(url: string | undefined = 'flussonic') {
  const files = new Map<string, string>([
    ['tv/index.m3u8', '#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1000000\ntracks/mono.m3u8\n'],
    ['tv/tracks/mono.m3u8', '#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\nlive.ts\n'],
    ['tv/tracks/a.ts', 'recorded'],
  ]);
  const origin = await startOrigin('127.0.0.1', (path) => files.get(path));
  onTestFinished(() => origin.close());
  const rig = await startGroup(1, () => ({
    stream: { origin: `${origin.url}/tv/index.m3u8`, archive: { push: true, ...(url && { url }) } },
  }));
  const node = rig.node(0);
  const startMs = Math.floor(node.clock.now().wallMs / 60_000) * 60_000 - 2 * hourMs;
  node.agent.coverages.replace('ch1', 'ts', [{ startMs, endMs: startMs + hourMs }]);
  return { node, files, origin, fromS: startMs / 1_000 };
}

const recorded = '#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\na.ts\n#EXT-X-ENDLIST\n';

describe("a media server's own archive", { timeout: 30_000 }, () => {
  it('is asked in its own form, and what it names is found below the stream', async () => {
    const { node, files, fromS } = await startArchivedNode();
    const name = `archive-${fromS}-600`;
    const multivariant = `#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1000000\ntracks/${name}.m3u8?t=1\n`;
    files.set(`tv/${name}.m3u8`, multivariant);
    files.set(`tv/tracks/${name}.m3u8`, recorded);
    for (const path of [`index-${fromS}-600.m3u8`, `index.m3u8?start=${fromS}&duration=600`]) {
      const opened = await node.ask(`/ch1/${path}`);
      expect(opened.status).toBe(200);
      expect(opened.headers.get('x-understudy-reason')).toBe('archive-own');
      const [uri = ''] = urisOf(await opened.text());
      expect(uri).toMatch(new RegExp(`^~archive/~origin/tracks/${name}\\.m3u8\\?t=1&pass=[^&]+$`));
      const media = await node.ask(`/ch1/${uri}`);
      const [segment = ''] = urisOf(await media.text());
      const at = new URL(segment, `http://x/ch1/${uri}`).pathname;
      expect(at).toBe('/ch1/tracks/a.ts');
      expect((await node.ask(at)).status).toBe(200);
    }
  });

  it('that has only a media playlist is passed on as it is', async () => {
    const { node, files, fromS } = await startArchivedNode('dvr-{start}-{duration}.m3u8');
    files.set(`tv/dvr-${fromS}-600.m3u8`, recorded.replace('a.ts', 'tracks/a.ts'));
    const opened = await node.ask(`/ch1/dvr-${fromS}-600.m3u8`);
    expect(urisOf(await opened.text())).toEqual(['tracks/a.ts']);
  });

  it('is served while the live stream is off the air', async () => {
    const { node, files, fromS } = await startArchivedNode();
    files.delete('tv/index.m3u8');
    files.delete('tv/tracks/mono.m3u8');
    files.set(`tv/archive-${fromS}-600.m3u8`, recorded);
    expect((await node.ask(`/ch1/index-${fromS}-600.m3u8`)).status).toBe(200);
  });

  it('that has not what it should have, or answers nonsense, is 404', async () => {
    const { node, files, fromS } = await startArchivedNode();
    const ask = () => node.ask(`/ch1/index-${fromS}-600.m3u8`);
    expect((await ask()).status).toBe(404);
    files.set(`tv/archive-${fromS}-600.m3u8`, '<html>');
    expect(await (await ask()).json()).toMatchObject({ code: 'playlist-invalid' });
  });

  it('is never asked for anything outside of the stream', async () => {
    const { node, origin } = await startArchivedNode();
    for (const path of [
      '%2e%2e/%2e%2e/secret',
      '..%2fsecret',
      '~root/../secret',
      '/secret',
      'x?%00',
    ])
      expect((await node.ask(`/ch1/~archive/~origin/${path}`)).status).not.toBe(200);
    expect(origin.requests.filter(({ path }) => !path.startsWith('tv/'))).toEqual([]);
  });
});
