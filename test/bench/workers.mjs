/**
 * `node test/bench/workers.mjs` after a build: what a request costs a node without workers, and with one and two of them, in the
 * main process and in the workers by themselves. The node is on core 0, the load on core 1: requests per second of several workers
 * need more cores than that, what they would be follows from the CPU time of the process that is busiest. Needs wrk.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cpuSeconds, median, slice } from './load.mjs';
import { browser, endAll, startPinned } from './nodes.mjs';

const rounds = Number(process.env.ROUNDS ?? 5);
const seconds = Number(process.env.SECONDS_EACH ?? 2);
const program = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const originPort = 9693;
const readyMsMax = 60_000;

const folder = mkdtempSync(join(tmpdir(), 'understudy-bench-'));
const processes = [];
try {
  const origin = `127.0.0.1:${originPort}`;
  const channel = [program, 'demo', '--test-channel', origin];
  processes.push(startPinned(folder, 'origin', '1', process.execPath, channel));
  const nodes = [];
  for (const workers of [0, 1, 2]) nodes.push(await startNode(workers));
  print(await measure(nodes));
} finally {
  await endAll(processes);
  rmSync(folder, { recursive: true, force: true });
}

async function startNode(workers) {
  const data = join(folder, `node-${workers}`);
  mkdirSync(data);
  const streamsFile = join(data, 'streams.json');
  const origin = `http://127.0.0.1:${originPort}/index.m3u8`;
  writeFileSync(streamsFile, JSON.stringify([{ name: 'live', origin, group: 'live' }]));
  const base = `http://127.0.0.1:${9690 + workers}`;
  const env = {
    ...process.env,
    UNDERSTUDY_NODE_ID: `node-${workers}`,
    UNDERSTUDY_LISTEN: base.slice('http://'.length),
    UNDERSTUDY_ADMIN_LISTEN: `127.0.0.1:${9680 + workers}`,
    UNDERSTUDY_ADMIN_TOKEN: 'only-this-benchmark-knows-me',
    UNDERSTUDY_DATA_DIR: data,
    UNDERSTUDY_STREAMS_FILE: streamsFile,
    UNDERSTUDY_WORKERS: String(workers),
  };
  const child = startPinned(folder, `node-${workers}`, '0', process.execPath, [program, 'serve'], {
    env,
  });
  processes.push(child);
  const playlist = await untilReady(base);
  return { workers, base, playlist, main: child.pid, others: childrenOf(child.pid) };
}

/** The media playlist of a viewer who has opened the stream. */
async function untilReady(base) {
  const until = Date.now() + readyMsMax;
  for (;;) {
    const entry = `${base}/live/index.m3u8`;
    const answer = await fetch(entry, { headers: browser }).catch(() => undefined);
    const uri = linesOf(answer === undefined ? '' : await answer.text())[0];
    if (uri !== undefined) return new URL(uri, entry).href;
    if (Date.now() > until) throw new Error(`the node is not ready: ${base}`);
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

async function segmentOf({ playlist }) {
  const text = await (await fetch(playlist, { headers: browser })).text();
  return new URL(linesOf(text).at(-1), playlist).href;
}

function linesOf(text) {
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}

function childrenOf(pid) {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return text === '' ? [] : text.split(' ').map(Number);
}

async function measure(nodes) {
  const works = [
    ['media playlist with a known pass', 64, async ({ playlist }) => playlist],
    ['segment from memory', 16, segmentOf],
    ['multivariant playlist', 64, async ({ base }) => `${base}/live/index.m3u8`],
  ];
  const rows = [];
  for (const [work, connections, urlOf] of works) {
    const slices = nodes.map(() => []);
    for (let round = 0; round <= rounds; round += 1)
      for (const [at, node] of nodes.entries()) {
        const found = await oneSlice(node, await urlOf(node), connections);
        // The first of each warms up.
        if (round > 0) slices[at].push(found);
      }
    for (const [at, { workers }] of nodes.entries())
      rows.push({ work, workers, ...summary(slices[at]) });
    console.error(`measured: ${work}`);
  }
  return rows;
}

async function oneSlice({ main, others }, url, connections) {
  const before = { main: cpuSeconds([main]), others: cpuSeconds(others) };
  const headers = [`User-Agent: ${browser['User-Agent']}`];
  const pids = [main, ...others];
  const found = await slice({ url, pids, seconds, connections, headers });
  if (found.refused > 0) throw new Error(`refused: ${url}`);
  const requests = found.perSecond * seconds;
  const micros = (pids, since) => ((cpuSeconds(pids) - since) * 1e6) / requests;
  return { ...found, main: micros([main], before.main), others: micros(others, before.others) };
}

function summary(slices) {
  const of = (field) => median(slices.map((one) => one[field]));
  return { perSecond: of('perSecond'), main: of('main'), others: of('others') };
}

function print(rows) {
  console.log(
    `node ${process.version}, ${rounds} x ${seconds} s each, all processes on one core\n`,
  );
  console.log(
    '| work | workers | requests/s on one core | CPU us/request: main process | all workers | with a core for each process, at most |',
  );
  console.log('| --- | --: | --: | --: | --: | --: |');
  for (const { work, workers, perSecond, main, others } of rows) {
    const busiest = Math.max(main, workers === 0 ? 0 : others / workers);
    const cells = [
      ...[work, workers, Math.round(perSecond), main.toFixed(1), others.toFixed(1)],
      `${Math.round(1e6 / busiest)}/s`,
    ];
    console.log(`| ${cells.join(' | ')} |`);
  }
}
