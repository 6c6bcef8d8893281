/**
 * `node test/bench/workers.mjs` after a build: what a request costs a node without workers, and with one and two of them, in the
 * main process and in the workers by themselves, and how many answers workers gave by themselves. The main process and the first
 * worker are on core 0, the second worker and the load on core 1. What more cores would give follows from the CPU time of the process
 * that is busiest. The first round warms up: each process compiles for itself, so that workers begin far slower. Needs wrk.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cpuSeconds, median, slice } from './load.mjs';
import { browser, endAll, startPinned } from './nodes.mjs';

const rounds = Number(process.env.ROUNDS ?? 4);
const seconds = Number(process.env.SECONDS_EACH ?? 1);
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
  const admin = `http://${env.UNDERSTUDY_ADMIN_LISTEN}`;
  const others = childrenOf(child.pid);
  // The first one stays where the main process is.
  for (const pid of others.slice(1)) execFileSync('taskset', ['-acp', '1', String(pid)]);
  return { workers, base, admin, playlist, main: child.pid, others };
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
  const rows = works.flatMap(([work, connections, urlOf]) =>
    nodes.map((node) => ({ work, connections, urlOf, node, slices: [] })),
  );
  for (let round = 0; round <= rounds; round += 1)
    for (const { connections, urlOf, node, slices } of rows) {
      const found = await oneSlice(node, await urlOf(node), connections);
      if (round > 0) slices.push(found);
    }
  return rows.map(({ work, node, slices }) => ({
    ...{ work, workers: node.workers },
    ...summary(slices),
  }));
}

/** How many answers workers have given by themselves; they tell four times a second. */
async function repeatedBy({ admin, workers }) {
  if (workers === 0) return 0;
  await new Promise((resolve) => setTimeout(resolve, 300));
  const metrics = await (await fetch(`${admin}/metrics`)).text();
  const counts = metrics.matchAll(/^understudy_worker_repeated_answers_total\{.*\} (\d+)$/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

async function oneSlice(node, url, connections) {
  const { main, others } = node;
  const repeatedBefore = await repeatedBy(node);
  const before = { main: cpuSeconds([main]), others: others.map((pid) => cpuSeconds([pid])) };
  const headers = [`User-Agent: ${browser['User-Agent']}`];
  const pids = [main, ...others];
  const found = await slice({ url, pids, seconds, connections, headers });
  if (found.refused > 0) throw new Error(`refused: ${url}`);
  const requests = found.perSecond * seconds;
  const micros = (pids, since) => ((cpuSeconds(pids) - since) * 1e6) / requests;
  const each = others.map((pid, at) => micros([pid], before.others[at]));
  const cost = {
    main: micros([main], before.main),
    others: each.reduce((sum, one) => sum + one, 0),
    busiest: Math.max(...each, 0),
  };
  const repeated = (await repeatedBy(node)) - repeatedBefore;
  return { ...found, ...cost, repeated: Math.min(1, repeated / requests) };
}

function summary(slices) {
  const of = (field) => median(slices.map((one) => one[field]));
  return Object.fromEntries(
    ['perSecond', 'main', 'others', 'busiest', 'repeated'].map((f) => [f, of(f)]),
  );
}

function print(rows) {
  console.log(
    `node ${process.version}, ${rounds} x ${seconds} s each, main process and first worker on one core\n`,
  );
  console.log(
    '| work | workers | requests/s | CPU us/request: main process | all workers | the busiest of them | answered by workers alone | with a core for each process, at most |',
  );
  console.log('| --- | --: | --: | --: | --: | --: | --: | --: |');
  for (const { work, workers, perSecond, main, others, busiest, repeated } of rows) {
    const cells = [
      ...[
        work,
        workers,
        Math.round(perSecond),
        main.toFixed(1),
        others.toFixed(1),
        busiest.toFixed(1),
      ],
      workers === 0 ? '-' : `${(repeated * 100).toFixed(1)} %`,
      `${Math.round(1e6 / Math.max(main, busiest))}/s`,
    ];
    console.log(`| ${cells.join(' | ')} |`);
  }
}
