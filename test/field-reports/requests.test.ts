import { describe, expect, it } from 'vitest';
import { backupHosts, startGroup, urisOf } from '../support/group-rig.ts';

const origin = { origin: 'https://player.example.org' };

describe("a viewer's requests", () => {
  it('report 20: have exactly one allow-origin value on every kind of answer', async () => {
    const rig = await startGroup(2);
    const playlist = await (await rig.node(0).ask('/ch1/index.m3u8')).text();
    const [uri = ''] = urisOf(playlist);
    rig.node(1).configure([]);
    await rig.run(2_000);
    const answers = await Promise.all([
      rig.node(0).ask('/ch1/index.m3u8', { headers: origin }),
      rig.node(0).ask(`/ch1/${uri}`, { headers: origin }),
      rig.node(1).ask('/ch1/index.m3u8', { headers: origin }),
      rig.node(0).ask('/nothing/index.m3u8', { headers: origin }),
      rig.node(0).ask('/ch1/high/video.m3u8?pass=forged', { headers: origin }),
      rig.node(0).ask('/ch1/index.m3u8', { headers: origin, method: 'OPTIONS' }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 302, 404, 403, 204]);
    for (const { headers } of answers) expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(answers[5]?.headers.get('access-control-allow-headers')).toBe('Authorization, *');
  });

  it('by HEAD get the same head, and other methods get 405', async () => {
    const rig = await startGroup(1);
    const head = await rig.node(0).ask('/ch1/index.m3u8', { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    expect(head.headers.get('content-type')).toBe('application/vnd.apple.mpegurl');
    expect((await rig.node(0).ask('/ch1/index.m3u8', { method: 'POST' })).status).toBe(405);
  });

  it.each([
    '/ch1/../../etc/passwd',
    '/ch1/%2e%2e/%2e%2e/etc/passwd',
    '/ch1/..%2f..%2fetc/passwd',
    '/ch1/%252e%252e/x',
    '/ch1/high\\..\\x',
    '/ch1/%00',
    '/ch1/%zz.ts',
    '/ch1/http://10.0.0.1/x.ts',
    '/ch1//10.0.0.1/x.ts',
    '/%/index.m3u8',
    '/%ff%fe/index.m3u8',
    `/ch1/${'a'.repeat(9_000)}.ts`,
    '/__proto__/index.m3u8',
    '/ch1/high/video.m3u8?pass=a&pass=b',
    '/',
  ])('for %s reach nothing outside of the origin', async (path) => {
    const rig = await startGroup(1);
    const asked = rig.node(0).origin.requests.length;
    const answer = await rig.node(0).ask(path);
    // What names a file below the origin's folder is asked for there, however odd its name.
    expect([200, 400, 403, 404]).toContain(answer.status);
    const paths = rig
      .node(0)
      .origin.requests.slice(asked)
      .map((request) => request.path);
    expect(paths.filter((one) => !one.startsWith('/live/ch1/'))).toEqual([]);
    expect((await rig.node(0).ask('/ch1/index.m3u8')).status).toBe(200);
  });

  it.each([
    { 'x-forwarded-for': '10.0.0.1, 10.0.0.2' },
    { 'x-forwarded-for': 'x'.repeat(5_000) },
    { 'x-forwarded-proto': 'gopher' },
    { range: 'bytes=9-1,,,-' },
    { 'user-agent': '\u00ff'.repeat(500) },
    { host: 'evil.example.org' },
  ])('with hostile headers %j are answered as any other', async (headers) => {
    const rig = await startGroup(2);
    const answer = await rig.node(0).ask('/ch1/index.m3u8', { headers });
    expect(answer.status).toBe(200);
    expect(await answer.text()).not.toContain('evil.example.org');
  });

  it.each([
    [12 * 1024, 200],
    [12 * 1024 + 1, 400],
  ])('with a path and query of %i characters are answered %i', async (length, status) => {
    const rig = await startGroup(1);
    const answer = await rig.node(0).ask('/ch1/index.m3u8?x='.padEnd(length, 'y'));
    expect(answer.status).toBe(status);
  });

  it('over https are told of https backups only', async () => {
    const rig = await startGroup(3, (at) =>
      at === 1 ? { publicUrl: 'https://node-b.example.net' } : {},
    );
    const headers = { 'x-forwarded-proto': 'https' };
    const answer = await rig.node(0).ask('/ch1/index.m3u8', { headers });
    expect(backupHosts(await answer.text())).toEqual(['node-b.example.net']);
  });

  it.each([
    ['VLC/3.0.24 LibVLC/3.0.24'],
    ['Lavf/59.27.100'],
    ['libmpv'],
    ['App/1.0 (Linux;Android 9) ExoPlayerLib/2.19.1'],
    [''],
  ])('by the player "%s" name no backup', async (agent) => {
    const rig = await startGroup(3);
    const playlist = await (await rig.node(0).ask('/ch1/index.m3u8', { agent })).text();
    expect(backupHosts(playlist)).toEqual([]);
    expect(urisOf(playlist)).toHaveLength(2);
  });

  it('are refused as backups beyond the limit, while own and admitted viewers go on', async () => {
    const rig = await startGroup(2, (at) => (at === 1 ? { backupSessionsMax: 1 } : {}));
    const [first, second] = await Promise.all(
      ['203.0.113.1', '203.0.113.2'].map(async (address) =>
        (await rig.node(0).ask('/ch1/index.m3u8', { address })).text(),
      ),
    );
    const uriAtB = (playlist = '') => urisOf(playlist).find((uri) => uri.startsWith('http')) ?? '';
    expect((await rig.node(1).ask(uriAtB(first))).status).toBe(200);
    const refused = await rig.node(1).ask(uriAtB(second));
    expect([refused.status, refused.headers.get('x-understudy-reason')]).toEqual([
      404,
      'backup-limit',
    ]);
    expect((await rig.node(1).ask(uriAtB(first))).status).toBe(200);
    expect((await rig.node(1).ask('/ch1/index.m3u8')).status).toBe(200);
    await rig.run(2_000);
    expect(backupHosts(await (await rig.node(0).ask('/ch1/index.m3u8')).text())).toEqual([]);
  });

  it('for a stream outside of any group are served with a pass for this node only', async () => {
    const rig = await startGroup(2);
    const node = rig.node(0);
    node.configure([{ name: 'solo/hd', origin: node.origin.entry, reserve: true }]);
    const answer = await node.ask('/solo/hd/index.m3u8');
    const playlist = await answer.text();
    expect(answer.status).toBe(200);
    expect(backupHosts(playlist)).toEqual([]);
    const [uri = ''] = urisOf(playlist);
    expect((await node.ask(`/solo/hd/${uri}`)).status).toBe(200);
  });

  it('for low-latency HLS are sent on to a node that has it so, and wait there for the next part', async () => {
    const lowLatency = { partsPerSegment: 4, container: 'fmp4' } as const;
    const rig = await startGroup(2, () => ({ origin: lowLatency }));
    rig.node(0).origin.knobs.status = 404;
    await rig.run(6_000);
    const sentOn = await rig.node(0).ask('/ch1/index.m3u8');
    expect(sentOn.status).toBe(302);
    const location = sentOn.headers.get('location') ?? '';
    const playlist = await (await rig.node(1).ask(location)).text();
    const [uri = ''] = urisOf(playlist);
    rig.node(1).origin.advancePart();
    await rig.run(600);
    const media = await (await rig.node(1).ask(`/ch1/${uri}`)).text();
    expect(media).toContain('#EXT-X-PART:');
    const first = Number(/#EXT-X-MEDIA-SEQUENCE:(\d+)/.exec(media)?.[1]);
    const next = first + (media.match(/^#EXTINF/gm)?.length ?? 0);
    const waiting = rig.node(1).ask(`/ch1/${uri}&_HLS_msn=${next}&_HLS_part=1`);
    await expect.poll(() => rig.node(1).origin.requests.at(-1)?.query).toContain('_HLS_msn');
    rig.node(1).origin.advancePart();
    const parts = (await (await waiting).text()).match(/^#EXT-X-PART:/gm);
    expect(parts?.length).toBe((media.match(/^#EXT-X-PART:/gm)?.length ?? 0) + 1);
  });

  it('for DASH are sent on, too', async () => {
    const rig = await dashAtOne();
    const served = await rig.node(1).ask('/ch1/manifest.mpd');
    expect([served.status, await served.text()]).toEqual([200, dashMpd]);
    const sentOn = await rig.node(0).ask('/ch1/manifest.mpd?x=1');
    expect(sentOn.status).toBe(302);
    expect(sentOn.headers.get('location')).toMatch(
      /^http:\/\/node-b\.example\.net\/ch1\/manifest\.mpd\?x=1&pass=/,
    );
  });

  it('report 19: for DASH go on where they were sent, whichever address they ask again, when the first node dies and returns', async () => {
    const rig = await dashAtOne();
    const [sender, server] = [rig.node(0), rig.node(1)];
    const asked = '/ch1/manifest.mpd?x=1';
    const target = (await sender.ask(asked)).headers.get('location') ?? '';
    const open = async (url: string) => {
      const answer = await server.ask(url);
      return { status: answer.status, text: await answer.text() };
    };
    // Who keeps the address it was sent to asks there; who does not asks at the Location of the MPD.
    const [, named = ''] = /<Location>(.*)<\/Location>/.exec((await open(target)).text) ?? [];
    expect(named.replaceAll('&amp;', '&')).toBe(target);
    sender.kill();
    await rig.run(5_000);
    expect(await open(target)).toMatchObject({ status: 200 });
    sender.start();
    await rig.run(5_000);
    expect(await open(target)).toMatchObject({ status: 200 });
    expect((await sender.ask(asked)).status).toBe(302);
  });
});

const dashMpd = '<?xml version="1.0"?><MPD type="dynamic"><Period id="1"></Period></MPD>';

/** Two nodes with a DASH stream, which only the second one's origin has. */
async function dashAtOne() {
  const rig = await startGroup(2);
  rig.node(1).origin.route('/live/ch1/manifest.mpd', (_, response) => response.end(dashMpd));
  for (const node of rig.nodes) {
    const dash = node.origin.entry.replace('index.m3u8', 'manifest.mpd');
    node.configure([{ name: 'ch1', dash, group: 'ch1', reserve: true }]);
  }
  await rig.run(5_000);
  return rig;
}
