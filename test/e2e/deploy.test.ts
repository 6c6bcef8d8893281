import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:http2';
import { request } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createChannelApp, serveApp } from '../../src/demo/channel-server.ts';
import { testSecrets } from '../support/agent-output.ts';
import { createAuthority } from '../support/certificates.ts';
import { startHaproxy, startNginx } from '../support/fronts.ts';
import { isInstalled } from '../support/installed.ts';
import { startTestNodes, untilInReserve } from '../support/nodes.ts';

const program = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const host = '127.0.0.2';
const browser = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36';

async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, host);
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** `live` on both nodes, `far` on the second one only; the first one behind a proxy, the second one with TLS by itself. */
async function startRig(startFront: typeof startNginx) {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-front-'));
  const authority = createAuthority(folder);
  const certificate = authority.issue('edge', { hosts: [host, '127.0.0.3'] });
  const ca = readFileSync(authority.caFile);
  const origin = await serveApp(createChannelApp(), { host: '127.0.0.1', port: 0 });
  const url = `http://127.0.0.1:${origin.port}/index.m3u8`;
  const live = { name: 'live', origin: url, group: 'test', source: 'one', canonical: false };
  const far = { ...live, name: 'far', group: 'far away' };
  const port = await freePort();
  let agent = '';
  const { nodes, stop } = await startTestNodes([[live], [live, far]], [], (place) => {
    const isBehind = place.host === host;
    if (isBehind) agent = `${place.host}:${place.viewers}`;
    return {
      UNDERSTUDY_PUBLIC_URL: `https://${place.host}:${isBehind ? port : place.viewers}`,
      ...(isBehind
        ? { UNDERSTUDY_TRUSTED_PROXIES: '127.0.0.0/8' }
        : {
            UNDERSTUDY_TLS_CERT_FILE: certificate.certFile,
            UNDERSTUDY_TLS_KEY_FILE: certificate.keyFile,
          }),
    };
  });
  let stopFront = async () => {};
  const stopAll = async () => {
    await stopFront();
    await stop();
    await origin.close();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    stopFront = await startFront({ folder, host, port, agent, certificate });
    await untilInReserve(nodes, 'test');
  } catch (error) {
    await stopAll();
    throw error;
  }
  const base = `https://${host}:${port}`;
  return {
    ...{ nodes, base, ca, caFile: authority.caFile },
    /** Asks like a browser; `path` may be a whole URL. */
    ask: (path: string, headers: Record<string, string> = {}) =>
      ask(new URL(path, base), { ca, headers: { 'user-agent': browser, ...headers } }),
    stop: stopAll,
  };
}

async function ask(url: URL, options: { ca: Buffer; headers: Record<string, string> }) {
  const asked = request(url, { ...options, agent: false });
  asked.end();
  const [response] = await once(asked, 'response');
  const parts: Buffer[] = [];
  for await (const part of response) parts.push(part);
  return { status: response.statusCode, headers: response.headers, body: Buffer.concat(parts) };
}

/** URIs of a playlist, those of backups included. */
function urisOf(playlist: Buffer): readonly string[] {
  return playlist
    .toString()
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
}

const fronts = [
  ['nginx', startNginx],
  ['haproxy', startHaproxy],
] as const;

describe.each(fronts)('%s in front of an agent', (name, startFront) => {
  const isHere = isInstalled(name) && isInstalled('openssl');
  let rig: Awaited<ReturnType<typeof startRig>>;
  let segment = '';

  beforeAll(async () => {
    if (isHere) rig = await startRig(startFront);
  });
  afterAll(() => rig?.stop());

  it.skipIf(!isHere)('passes playlists on with pass and backups, over HTTP/2, too', async () => {
    const session = connect(rig.base, { ca: rig.ca });
    const asked = session.request({ ':path': '/live/index.m3u8', 'user-agent': browser });
    const [headers] = await once(asked, 'response');
    asked.resume();
    session.destroy();
    expect([headers[':status'], headers['x-understudy-node']]).toEqual([200, 'node-a']);
    const entry = await rig.ask('/live/index.m3u8?app=tv');
    const uris = urisOf(entry.body);
    expect(uris.every((uri) => uri.includes('pass='))).toBe(true);
    expect(uris.some((uri) => uri.startsWith('https://127.0.0.3:'))).toBe(true);
    expect(entry.headers['cache-control']).toBe('private, no-store');
  });

  it.skipIf(!isHere)('passes media playlists, segments and parts of them on', async () => {
    const entry = await rig.ask('/live/index.m3u8');
    const variant = new URL(urisOf(entry.body)[0] ?? '', `${rig.base}/live/`);
    const media = await rig.ask(variant.href);
    expect(media.status).toBe(200);
    segment = new URL(urisOf(media.body).at(-1) ?? '', variant).href;
    const whole = await rig.ask(segment);
    expect([whole.status, whole.headers['access-control-allow-origin']]).toEqual([200, '*']);
    expect(whole.body.length).toBeGreaterThan(1_000);
    const part = await rig.ask(segment, { range: 'bytes=100-199' });
    expect([part.status, part.headers['content-range']]).toEqual([
      206,
      `bytes 100-199/${whole.body.length}`,
    ]);
    expect(part.body.equals(whole.body.subarray(100, 200))).toBe(true);
  });

  it.skipIf(!isHere)('passes what is refused and what is not there on as it is', async () => {
    const wrong = await rig.ask('/live/index.m3u8?pass=nonsense');
    expect([wrong.status, wrong.headers['content-type']]).toEqual([
      403,
      'application/problem+json',
    ]);
    const none = await rig.ask('/none/index.m3u8');
    expect([none.status, none.headers['x-understudy-reason']]).toEqual([404, 'unknown-stream']);
    expect((await rig.ask('/live/none.ts')).status).toBe(404);
  });

  it.skipIf(!isHere)('passes a redirect on, which leads to a node that serves', async () => {
    const sent = await rig.ask('/far/index.m3u8?app=tv');
    expect(sent.status).toBe(302);
    const { location = '' } = sent.headers;
    expect(location).toMatch(/^https:\/\/127\.0\.0\.3:\d+\/far\/index\.m3u8\?app=tv&pass=/);
    const followed = await rig.ask(location);
    expect([followed.status, followed.headers['x-understudy-reason']]).toEqual([
      200,
      'backup-viewer',
    ]);
  });

  it.skipIf(!isHere)('leaves understudy check nothing to find', async () => {
    const args = ['check', '--lab', '--no-test-alert', '--node', rig.nodes[0]?.adminUrl ?? ''];
    const child = spawn(process.execPath, [program, ...args], {
      env: {
        ...{ PATH: process.env.PATH, NODE_EXTRA_CA_CERTS: rig.caFile },
        UNDERSTUDY_ADMIN_TOKEN: testSecrets.adminToken,
      },
    });
    let said = '';
    child.stdout.on('data', (part: Buffer) => {
      said += part.toString();
    });
    const [code] = await once(child, 'close');
    expect(code, said).toBe(0);
    expect(said).toContain('2 nodes answer where they say they are');
    expect(said).toContain('1 groups opened, sent on and served elsewhere');
  });

  it.skipIf(!isHere)('makes 404 of a dead agent at once, so that players move on', async () => {
    await rig.nodes[0]?.kill();
    const before = performance.now();
    for (const path of ['/live/index.m3u8', '/live/~live.m3u8', '/live/other.ts']) {
      const { status, headers } = await rig.ask(path);
      expect([
        path,
        status,
        headers['access-control-allow-origin'],
        headers['cache-control'],
      ]).toEqual([path, 404, '*', 'no-store']);
    }
    expect(performance.now() - before).toBeLessThan(5_000);
    // What nginx has sent already it can send again without the agent.
    expect((await rig.ask(segment)).status).toBe(name === 'nginx' ? 200 : 404);
  });
});
