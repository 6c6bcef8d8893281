/**
 * `node test/bench/growth.mjs`, after a build: what a node weighs, how long its event loop pauses, what a stream costs that
 * nobody watches, and whether a request costs the same with many streams, nodes and sessions. `SOAK_MIN` (30; 0 leaves
 * it out) is how long memory is watched. `PART` picks a part (memory, streams, sessions, nodes, soak), `STREAMS` and
 * `SESSIONS` (lists) how many.
 */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { median, slice } from './load.mjs';
import { browser, endAll, startPinned } from './nodes.mjs';
import { measuredPort, originAt, startOneNode, startOrigin, until } from './one-node.mjs';

const run = promisify(execFile);
const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const rounds = Number(process.env.ROUNDS ?? 5);
const seconds = Number(process.env.SECONDS_EACH ?? 3);
const soakMin = Number(process.env.SOAK_MIN ?? 30);
const part = process.env.PART ?? '';
const streamCounts = (process.env.STREAMS ?? '10,100,500').split(',').map(Number);
const sessionCounts = (process.env.SESSIONS ?? '10,100000').split(',').map(Number);
const settleS = Number(process.env.SETTLE_S ?? 20);
/** After so long a stream that is written anew keeps as many segments as it ever does. */
const keptS = 50;

const folder = mkdtempSync(join(tmpdir(), 'understudy-bench-'));
const line = (what, figure) => console.log(`| ${what} | ${figure} |`);
const parts = {
  memory: benchMemory,
  streams: benchStreams,
  sessions: benchSessions,
  nodes: benchNodes,
  soak,
};
console.log('| what | figure |\n| --- | --: |');
for (const [name, bench] of Object.entries(parts)) if (name.includes(part)) await alone(bench);
rmSync(folder, { recursive: true, force: true });

async function alone(bench) {
  const processes = [];
  try {
    await startOrigin(folder, processes);
    await bench(processes);
  } finally {
    await endAll(processes.reverse());
  }
  console.error(`measured: ${bench.name} (load ${loadavg()[0].toFixed(1)})`);
}

/**
 * What 100 streams without viewers weigh: as their origins make them, when no segment is in memory, and written anew,
 * when the last 40 s of each are. Of ten readings the highest memory, and the fewest bytes of buffers (what was let go
 * since is still counted): the segments, within a megabyte.
 */
async function benchMemory(processes) {
  for (const canonical of [false, true]) {
    const node = await startOneNode(folder, processes, { streams: 100, more: { canonical } });
    await wait(keptS * 1000);
    const seen = [];
    for (let at = 0; at < 10; at += 1) {
      await wait(2_000);
      seen.push(await node.look());
    }
    const rss = Math.max(...seen.map((each) => each.rss));
    const segments = Math.min(...seen.map(({ arrayBuffers }) => arrayBuffers));
    const name = `100 streams ${canonical ? 'written anew' : 'as they are'}, no viewers`;
    line(`${name}: memory`, `${Math.round(rss / 1e6)} MB`);
    line(`${name}: of that segments`, `${Math.round(segments / 1e6)} MB`);
    await endAll([processes.pop()]);
  }
}

async function benchStreams(processes) {
  for (const streams of streamCounts) {
    const node = await startOneNode(folder, processes, { streams });
    await wait(settleS * 1000);
    const idle = await idleShare(node);
    line(`${streams} streams, no viewers: memory`, `${Math.round(idle.rss / 1e6)} MB`);
    line(`${streams} streams, no viewers: of one core`, `${(idle.share * 100).toFixed(1)} %`);
    // Segments of the test channel last 2 s.
    const eachMs = (idle.share * 1000 * 2) / streams;
    line(`${streams} streams: all that a new segment causes`, `${eachMs.toFixed(2)} ms`);
    line(`${streams} streams: media playlist`, await costOf(node, await mediaUrl(node), idle));
    line(`${streams} streams: multivariant playlist`, await costOf(node, entryOf(node), idle));
    if (streams === streamCounts.at(-1)) await benchPauses(node, streams);
    await endAll([processes.pop()]);
  }
}

async function benchPauses(node, streams) {
  const url = await mediaUrl(node);
  await node.look();
  const { stdout } = await run('taskset', [
    '-c',
    '1',
    process.execPath,
    here('./rate.mjs'),
    url,
    '5000',
    '30',
  ]);
  const { worstMs, p99Ms } = await node.look();
  const { sent, answers } = JSON.parse(stdout);
  line(
    `${streams} streams, ${Math.round(sent / 30)} requests/s, ${answers} of ${sent} answered: worst pause in 30 s, 99 %`,
    `${worstMs.toFixed(1)} ms, ${p99Ms.toFixed(1)} ms`,
  );
}

async function benchSessions(processes) {
  const node = await startOneNode(folder, processes, { streams: 10 });
  await wait(settleS * 1000);
  for (const sessions of sessionCounts) {
    const before = await node.look();
    await openSessions(entryOf(node), sessions);
    const after = await node.look();
    if (sessions > 10)
      line(`${sessions} sessions: memory more`, `${Math.round((after.rss - before.rss) / 1e6)} MB`);
    const idle = await idleShare(node, 5);
    line(`${sessions} sessions: media playlist`, await costOf(node, await mediaUrl(node), idle));
    line(`${sessions} sessions: multivariant playlist`, await costOf(node, entryOf(node), idle));
  }
}

async function benchNodes(processes) {
  for (const nodes of [2, 32]) {
    const peerPorts = Array.from({ length: nodes - 1 }, (_, at) => 9800 + at * 3 + 2);
    const peers = peerPorts.map((port) => `http://127.0.0.1:${port}`).join(',');
    const measured = `http://127.0.0.1:${measuredPort + 2}`;
    const crowd = startPinned(
      folder,
      'crowd',
      '1',
      process.execPath,
      [here('./crowd.mjs'), String(nodes - 1), '9800', measured, originAt],
      { ipc: true },
    );
    processes.push(crowd);
    await once(crowd, 'message');
    const node = await startOneNode(folder, processes, {
      streams: 1,
      more: { canonical: false },
      peers,
    });
    await until(async () =>
      (await (await fetch(entryOf(node), { headers: browser })).text()).includes('round=2'),
    );
    await wait(settleS * 1000);
    const idle = await idleShare(node);
    line(`${nodes} nodes: of one core`, `${(idle.share * 100).toFixed(1)} %`);
    line(`${nodes} nodes: media playlist`, await costOf(node, await mediaUrl(node), idle));
    line(`${nodes} nodes: multivariant playlist`, await costOf(node, entryOf(node), idle));
    await endAll([processes.pop(), processes.pop()]);
  }
}

/** Memory of a node with 100 streams and some viewers, first and last third of the time. */
async function soak(processes) {
  if (soakMin === 0) return;
  const node = await startOneNode(folder, processes, { streams: 100 });
  const url = await mediaUrl(node);
  const load = run('taskset', [
    '-c',
    '1',
    process.execPath,
    here('./rate.mjs'),
    url,
    '200',
    String(soakMin * 60),
  ]);
  const seen = [];
  for (let at = 0; at < soakMin * 6; at += 1) {
    await wait(10_000);
    seen.push((await node.look()).rss / 1e6);
  }
  const { sent, answers } = JSON.parse((await load).stdout);
  const third = Math.floor(seen.length / 3);
  const mean = (list) => Math.round(list.reduce((sum, mb) => sum + mb, 0) / list.length);
  const middle = `${mean(seen.slice(third, -third))} MB, ${mean(seen.slice(-third))} MB`;
  line(
    `soak of ${soakMin} min, 100 streams, 200 requests/s, ${answers} of ${sent} answered: memory by thirds`,
    `${mean(seen.slice(0, third))} MB, ${middle}`,
  );
}

function entryOf({ base }) {
  return `${base}/s0/index.m3u8`;
}

async function mediaUrl(node) {
  const text = await (await fetch(entryOf(node), { headers: browser })).text();
  return `${node.base}/s0/${text.split('\n').find((uri) => uri !== '' && !uri.startsWith('#'))}`;
}

/** What the node does for itself: of one core, and its memory. */
async function idleShare(node, forS = 20) {
  const before = await node.look();
  const from = performance.now();
  await wait(forS * 1000);
  const { cpuUs, rss } = await node.look();
  return { share: (cpuUs - before.cpuUs) / 1000 / (performance.now() - from), rss };
}

/** CPU of one request, without what the node does for itself meanwhile. */
async function costOf(node, url, { share }) {
  const load = {
    url,
    pids: [node.child.pid],
    connections: 64,
    headers: [`User-Agent: ${browser['User-Agent']}`],
  };
  await slice({ ...load, seconds: 2 });
  const costs = [];
  for (let round = 0; round < rounds; round += 1) {
    const { cpuMicros, perSecond } = await slice({ ...load, seconds });
    costs.push(cpuMicros - (share * 1e6) / perSecond);
  }
  return `${median(costs).toFixed(1)} us`;
}

async function openSessions(url, count) {
  const agent = new Agent({ keepAlive: true, maxSockets: 32 });
  let left = count;
  const open = () =>
    new Promise((resolve, reject) => {
      get(url, { agent, headers: browser }, (answer) => answer.resume().on('end', resolve)).on(
        'error',
        reject,
      );
    });
  const work = async () => {
    while (left > 0) {
      left -= 1;
      await open();
    }
  };
  await Promise.all(Array.from({ length: 32 }, work));
  agent.destroy();
}
