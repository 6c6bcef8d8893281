/**
 * `npm run bench`: what a request costs, beside the same bytes from a bare hono route and from nginx, in one run on one
 * machine: each server alone on core 0, the load from core 1, slices in turn, medians. Needs wrk and nginx. Prints a
 * table for `docs/performance.md`; the ratios are what counts, absolute figures are this machine's.
 */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { median, slice } from './load.mjs';
import { aRefusedViewer, browser, endAll, startNodes, startPinned } from './nodes.mjs';

const rounds = Number(process.env.ROUNDS ?? 5);
const seconds = Number(process.env.SECONDS_EACH ?? 3);
/** Only rows whose name has this text. */
const only = process.env.ROW ?? '';
const nginxPort = 9650;

const folder = mkdtempSync(join(tmpdir(), 'understudy-bench-'));
const processes = [];
try {
  const nodes = await startNodes(folder, processes);
  const samples = await takeSamples(nodes.base);
  const hono = await startBareHono(samples);
  const nginx = await startNginx(samples);
  const agent = { name: 'understudy', pids: () => [nodes.agent.pid] };
  const rows = [
    row('multivariant playlist, two backups, signed', samples.multivariant, 'multivariant'),
    row('media playlist with a known pass', samples.media, 'media'),
    row('302 to another node, signed pass', `${nodes.base}/elsewhere/index.m3u8`, 'redirect'),
    row('404 for a name that nobody carries', `${nodes.base}/nothing/index.m3u8`, 'missing'),
    row('404 for a refused viewer with a good pass', await aRefusedViewer(nodes), 'missing'),
  ];
  const wanted = rows.filter(({ work }) => work.includes(only));
  print(await measure(wanted, { agent, hono, nginx }));
} finally {
  await endAll(processes);
  rmSync(folder, { recursive: true, force: true });
}

function row(work, url, name) {
  return { work, url: typeof url === 'string' ? url : url.url, name };
}

async function takeSamples(base) {
  const url = `${base}/live/index.m3u8`;
  const multivariant = await (await fetch(url, { headers: browser })).text();
  const variant = multivariant.split('\n').find((line) => line !== '' && !line.startsWith('#'));
  const mediaUrl = `${base}/live/${variant}`;
  const media = await (await fetch(mediaUrl, { headers: browser })).text();
  return { multivariant: { url, body: multivariant }, media: { url: mediaUrl, body: media } };
}

async function startBareHono({ multivariant, media }) {
  const script = fileURLToPath(new URL('./bare-hono.mjs', import.meta.url));
  const child = startPinned(folder, 'hono', '0', process.execPath, [script], { ipc: true });
  processes.push(child);
  const [{ port }] = await once(child, 'message');
  const type = 'application/vnd.apple.mpegurl';
  for (const [name, { body }] of Object.entries({ multivariant, media })) {
    child.send({ name, body, type });
    await once(child, 'message');
  }
  const base = `http://127.0.0.1:${port}`;
  return {
    name: 'bare hono',
    pids: () => [child.pid],
    urls: {
      multivariant: `${base}/bytes/multivariant`,
      media: `${base}/bytes/media`,
      redirect: `${base}/redirect`,
      missing: `${base}/missing`,
    },
  };
}

async function startNginx({ multivariant, media }) {
  const files = join(folder, 'nginx');
  writeFileSync(join(folder, 'multivariant.m3u8'), multivariant.body);
  writeFileSync(join(folder, 'media.m3u8'), media.body);
  writeFileSync(
    `${files}.conf`,
    `daemon off; worker_processes 1; master_process off; error_log ${files}.error; pid ${files}.pid;
events { worker_connections 1024; }
http {
  access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000; open_file_cache max=100;
  types { application/vnd.apple.mpegurl m3u8; }
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${files}-${kind};`).join(' ')}
  server {
    listen 127.0.0.1:${nginxPort};
    root ${folder};
    location = /redirect { return 302 http://node-b.example.net/ch1/index.m3u8; }
    location = /missing { return 404; }
  }
}`,
  );
  const child = startPinned(folder, 'nginx', '0', 'nginx', ['-c', `${files}.conf`, '-p', folder]);
  processes.push(child);
  const base = `http://127.0.0.1:${nginxPort}`;
  const urls = {
    multivariant: `${base}/multivariant.m3u8`,
    media: `${base}/media.m3u8`,
    redirect: `${base}/redirect`,
    missing: `${base}/missing`,
  };
  while (!(await fetch(urls.media).catch(() => false)))
    await new Promise((resolve) => setTimeout(resolve, 50));
  return { name: 'nginx', pids: () => [child.pid], urls };
}

/** Slices in turn, so that a machine that slows down slows all of them. */
async function measure(rows, { agent, hono, nginx }) {
  const results = [];
  for (const { work, url, name } of rows) {
    const targets = [
      { ...agent, url },
      { ...hono, url: hono.urls[name] },
      { ...nginx, url: nginx.urls[name] },
    ];
    const slices = targets.map(() => []);
    const headers = [`User-Agent: ${browser['User-Agent']}`];
    const load = { connections: 64, headers };
    for (const target of targets)
      await slice({ ...load, url: target.url, pids: target.pids(), seconds: 1 });
    for (let round = 0; round < rounds; round += 1)
      for (const [at, target] of targets.entries())
        slices[at].push(await slice({ ...load, url: target.url, pids: target.pids(), seconds }));
    results.push({ work, targets: targets.map((target, at) => summary(target.name, slices[at])) });
    console.error(`measured: ${work}`);
  }
  return results;
}

function summary(name, slices) {
  const of = (field) => median(slices.map((one) => one[field]));
  return {
    name,
    perSecond: of('perSecond'),
    cpuMicros: of('cpuMicros'),
    p50: of('p50'),
    p99: of('p99'),
  };
}

function print(results) {
  console.log(`node ${process.version}, ${cpus()[0]?.model}, ${rounds} x ${seconds} s each\n`);
  console.log(
    '| work | server | requests/s | CPU us/request | p50 ms | p99 ms | CPU beside bare hono |',
  );
  console.log('| --- | --- | --: | --: | --: | --: | --: |');
  for (const { work, targets } of results)
    for (const target of targets) {
      const ratio = target.cpuMicros / targets[1].cpuMicros;
      const cells = [
        work,
        target.name,
        Math.round(target.perSecond),
        target.cpuMicros.toFixed(1),
        target.p50.toFixed(2),
        target.p99.toFixed(2),
        `${ratio.toFixed(2)} x`,
      ];
      console.log(`| ${cells.join(' | ')} |`);
    }
}
