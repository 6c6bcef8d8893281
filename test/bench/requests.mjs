/**
 * What a request costs, beside what its row of the table names, in one run on one machine: each server alone on core 0, the load
 * from core 1, slices in turn, medians. Needs wrk, nginx and, for some rows, libnginx-mod-http-js. `ROW` picks rows,
 * `ROUNDS` and `SECONDS_EACH` say how long, `TLS=1` has everything over TLS.
 */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cpuSeconds } from './load.mjs';
import { measure, printRows } from './measure.mjs';
import { aRefusedViewer, browser, endAll, originPort, startNodes, startPinned } from './nodes.mjs';
import { aPass, secret, someClaims } from './passes.mjs';
import { hasNjs, writeNginx } from './yardsticks/nginx.mjs';

const only = process.env.ROW ?? '';
const nginxPort = 9650;
/** More than the agent remembers of verified passes: each comes as a new one again. */
const newPasses = 45_000;

const folder = mkdtempSync(join(tmpdir(), 'understudy-bench-'));
const processes = [];
const tls = process.env.TLS ? makeCertificate() : undefined;
const scheme = tls ? 'https' : 'http';
if (tls) process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
try {
  const nodes = await startNodes(folder, processes, tls);
  const samples = await takeSamples(nodes.base);
  const idle = await idleShare(nodes.agent.pid);
  const servers = await startYardsticks(samples);
  const rows = await allRows(nodes, samples, servers);
  const wanted = rows.filter(({ work }) => work.includes(only));
  const results = [];
  for (const { prepare, ...row } of wanted) {
    const script = await prepare?.();
    if (script) row.targets[0].script = script;
    results.push(await measure(row));
  }
  console.log(`node ${process.version}, ${cpus()[0]?.model}${tls ? ', TLS' : ''}`);
  console.log(`of one core without requests: ${(idle * 100).toFixed(1)} %\n`);
  printRows(results);
} finally {
  await endAll(processes);
  rmSync(folder, { recursive: true, force: true });
}

async function allRows(nodes, { multivariant, media }, { hono, nginx, auth, proxy }) {
  const { base } = nodes;
  const headers = [`User-Agent: ${browser['User-Agent']}`];
  const ours = (url) => ({ name: 'understudy', url, pids: [nodes.agent.pid], headers });
  const of = (name, server, path, others = []) => ({
    ...{ name, url: `${server.base}${path}`, headers },
    pids: [server, ...others].map(({ child }) => child.pid),
  });
  const pass = aPass();
  const bare = (path) => of('bare hono', hono, path);
  const withNjs = (name, path) => (hasNjs ? [of(name, nginx, path)] : []);
  const mediaYardsticks = [
    bare('/bytes/media'),
    ...withNjs('nginx, njs verifies', `/verified?pass=${pass}`),
    of('nginx, auth_request', nginx, `/asked?pass=${pass}`, [auth]),
    of('nginx, file', nginx, '/media.m3u8'),
  ];
  const missing = [bare('/missing'), of('nginx', nginx, '/missing')];
  const forged = media.url.replace(
    /\.[\w-]+$/,
    (signature) => `.${'A'.repeat(signature.length - 1)}`,
  );
  const large = (mb, path, ...yardsticks) => ({
    connections: 16,
    targets: [ours(`${base}/${mb}mb/${path}`), ...yardsticks],
  });
  const number = await newestNumber();
  return [
    { work: 'media playlist, known pass', targets: [ours(media.url), ...mediaYardsticks] },
    {
      work: 'media playlist, new pass',
      targets: [ours(media.url), ...mediaYardsticks],
      prepare: () => newPassesOf(multivariant.url),
    },
    {
      work: 'multivariant playlist, two backups, signed',
      targets: [
        ours(multivariant.url),
        bare('/bytes/multivariant'),
        of('hono, two jose signatures', hono, '/signed'),
        ...withNjs('nginx, njs signs two', '/signed'),
        of('nginx, file', nginx, '/multivariant.m3u8'),
      ],
    },
    {
      work: '302 to another node, signed pass',
      targets: [
        ours(`${base}/elsewhere/index.m3u8`),
        bare('/redirect'),
        of('nginx', nginx, '/redirect'),
      ],
    },
    {
      work: '404 for a name that nobody carries',
      targets: [ours(`${base}/nothing/index.m3u8`), ...missing],
    },
    {
      work: '404 for a refused viewer with a good pass',
      targets: [ours(await aRefusedViewer(nodes)), ...missing],
    },
    { work: '403 for a forged pass', targets: [ours(forged), ...missing] },
    ...[1, 4].map((mb) => ({
      work: `live segment of ${mb} MB from memory`,
      ...large(mb, `${number}.ts`, of('nginx, sendfile', nginx, `/${mb}.ts`)),
    })),
    ...[1, 4].map((mb) => ({
      work: `file of ${mb} MB passed through`,
      ...large(
        mb,
        'other.ts',
        of('nginx, proxy_pass', nginx, `/origin/${mb}mb/other.ts`),
        // Without TLS in front, whatever is measured.
        ...(tls ? [] : [of('bare Node, pipeline', proxy, `/origin/${mb}mb/other.ts`)]),
      ),
    })),
  ];
}

async function takeSamples(base) {
  const url = `${base}/live/index.m3u8`;
  const multivariant = await (await fetch(url, { headers: browser })).text();
  const variant = multivariant.split('\n').find((line) => line !== '' && !line.startsWith('#'));
  const mediaUrl = `${base}/live/${variant}`;
  const media = await (await fetch(mediaUrl, { headers: browser })).text();
  return { multivariant: { url, body: multivariant }, media: { url: mediaUrl, body: media } };
}

/** What the measured node takes while nobody asks; it is in the figures of its requests, too. */
async function idleShare(pid) {
  const [before, from] = [cpuSeconds([pid]), performance.now()];
  await new Promise((resolve) => setTimeout(resolve, 10_000));
  return ((cpuSeconds([pid]) - before) * 1000) / (performance.now() - from);
}

/** The number of a segment that is listed for good. */
async function newestNumber() {
  const text = await (await fetch(`http://127.0.0.1:${originPort}/1mb/video.m3u8`)).text();
  return /(\d+)\.ts/.exec(text)[1];
}

/** Opens the stream again and again; a file with the media playlists that were named, each with a pass of its own. */
async function newPassesOf(url) {
  const { Agent, get } = url.startsWith('https:') ? https : http;
  const agent = new Agent({ keepAlive: true, maxSockets: 32 });
  const paths = [];
  const open = () =>
    new Promise((resolve, reject) => {
      get(url, { agent, headers: browser }, async (answer) => {
        let text = '';
        for await (const chunk of answer.setEncoding('latin1')) text += chunk;
        resolve(`/live/${text.split('\n').find((line) => line !== '' && !line.startsWith('#'))}`);
      }).on('error', reject);
    });
  const work = async () => {
    while (paths.length < newPasses) paths.push(await open());
  };
  await Promise.all(Array.from({ length: 32 }, work));
  agent.destroy();
  const file = join(folder, 'paths');
  writeFileSync(file, paths.join('\n'));
  return [fileURLToPath(new URL('./paths.lua', import.meta.url)), file];
}

async function startYardsticks(samples) {
  const claims = JSON.stringify(someClaims);
  const env = { ...process.env, SECRET: secret, CLAIMS: claims };
  if (tls) Object.assign(env, { TLS_CERT: tls.cert, TLS_KEY: tls.key });
  const hono = await startScript('bare-hono', env);
  for (const name of ['multivariant', 'media']) {
    hono.child.send({ name, body: samples[name].body });
    await once(hono.child, 'message');
  }
  const auth = await startScript('auth-service', env);
  const proxy = await startScript('bare-proxy', { ...env, ORIGIN_PORT: String(originPort) });
  const path = writeNginx(folder, {
    ...{ port: nginxPort, tls, authPort: auth.port, originPort },
    playlists: { multivariant: samples.multivariant.body, media: samples.media.body },
    passes: { secret, claims: someClaims },
  });
  const child = startPinned(folder, 'nginx', '0', 'nginx', ['-c', path, '-p', folder]);
  processes.push(child);
  const base = `${scheme}://127.0.0.1:${nginxPort}`;
  while (!(await fetch(`${base}/media.m3u8`).catch(() => false)))
    await new Promise((resolve) => setTimeout(resolve, 50));
  return {
    hono: { ...hono, base: `${scheme}://127.0.0.1:${hono.port}` },
    nginx: { child, base },
    proxy: { ...proxy, base: `http://127.0.0.1:${proxy.port}` },
    auth,
  };
}

async function startScript(name, env) {
  const script = fileURLToPath(new URL(`./yardsticks/${name}.mjs`, import.meta.url));
  const child = startPinned(folder, name, '0', process.execPath, [script], { ipc: true, env });
  processes.push(child);
  const [{ port }] = await once(child, 'message');
  return { child, port };
}

function makeCertificate() {
  const files = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
  execFileSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
      ...['-days', '2', '-subj', '/CN=bench', '-keyout', files.key, '-out', files.cert],
    ],
    { stdio: 'ignore' },
  );
  return files;
}
