/**
 * `node test/bench/peers.mjs`, after a build: what the exchange of 16 nodes with 500 streams each costs one of them when nothing
 * changes. The measured one has a process and core 0 to itself; the others, which know only that one, are on core 1. An agent
 * runs for weeks: for `WARM_S` (15) seconds all ask 20 times as often, so that what is measured is code that has long been
 * compiled; then, for `FOR_S` (36) seconds, they ask as they do. `HASTE=0`: nor before.
 */
import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createHttpPeerLink } from '../../dist/adapters/registry/http-peer-link.js';
import { createPeerServer } from '../../dist/adapters/registry/peer-server.js';
import { systemClock, systemTimers } from '../../dist/adapters/system/clock.js';
import { Peers } from '../../dist/agent/peers.js';

const nodes = 16;
const streams = 500;
const clusterSecret = 'a secret that only this benchmark knows';
const warmS = Number(process.env.WARM_S ?? 15);
const forS = Number(process.env.FOR_S ?? 36);
/** Below the limit of questions from one address. */
const hasteMs = process.env.HASTE === '0' ? undefined : 50;
const settleMs = 5_000;
const log = { debug() {}, info() {}, warn() {}, error() {} };
const self = fileURLToPath(import.meta.url);
const [role, measuredUrl] = process.argv.slice(2);

if (role === 'measured') await measure();
else if (role === 'others') await beOthers();
else {
  const args = ['-c', '0', process.execPath, ...process.execArgv, self, 'measured'];
  process.exitCode = spawnSync('taskset', args, { stdio: 'inherit' }).status ?? 1;
}

async function measure() {
  const answers = {};
  const { server, url } = await startServer(answers);
  const sockets = new Set();
  server.on('connection', (socket) => sockets.add(socket));
  const others = fork(self, ['others', url], {
    ...{ execPath: 'taskset', execArgv: ['-c', '1', process.execPath] },
  });
  const [urls] = await once(others, 'message');
  const peers = makePeers('node-0', urls);
  answers.peers = peers;
  peers.start();
  await hasten([peers]);
  await wait(settleMs);
  const known = peers.list(systemClock.now()).filter(({ streams: of }) => of.size === streams);
  const bytes = () =>
    [...sockets].reduce((sum, { bytesRead, bytesWritten }) => sum + bytesRead + bytesWritten, 0);
  const [cpu, traffic, from] = [process.cpuUsage(), bytes(), performance.now()];
  await wait(forS * 1000);
  const { user, system } = process.cpuUsage(cpu);
  const ms = performance.now() - from;
  const share = ((user + system) / 10 / ms).toFixed(2);
  console.log('| what | figure |\n| --- | --: |');
  console.log(
    `| ${nodes} nodes with ${streams} streams each, ${known.length} known whole: of one core | ${share} % |`,
  );
  // Answers to the others are as long as their answers: what is asked goes to as many.
  console.log(
    `| the same: traffic, both directions | ${(((bytes() - traffic) * 8 * 2) / ms).toFixed(0)} kbit/s |`,
  );
  others.kill();
  process.exit();
}

async function beOthers() {
  const started = [];
  for (let at = 1; at < nodes; at += 1) {
    const peers = makePeers(`node-${at}`, [measuredUrl]);
    started.push({ ...(await startServer({ peers })), peers });
  }
  process.send(started.map(({ url }) => url));
  // Nodes begin their seconds when they were started: not at once.
  for (const { peers } of started) {
    peers.start();
    await wait(1_000 / nodes);
  }
  await hasten(started.map(({ peers }) => peers));
}

async function hasten(all) {
  const until = performance.now() + warmS * 1000;
  while (performance.now() < until) {
    await wait(hasteMs ?? 1_000);
    if (hasteMs !== undefined) for (const peers of all) void peers.tell();
  }
}

async function startServer(answers) {
  const server = createPeerServer({
    ...{ clusterSecret, clock: systemClock, log },
    answer: { ask: (question, now) => answers.peers.answer(question, now) },
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${server.address().port}`, server };
}

function makePeers(id, urls) {
  const facts = nodeFacts(id);
  const list = Array.from({ length: streams }, (_, at) => streamFacts(`channel-${at}`));
  return new Peers({
    ...{ clock: systemClock, timers: systemTimers, log, urls, self: () => facts },
    link: createHttpPeerLink({ clusterSecret }),
    boot: `boot-of-${id}`.padEnd(22, '.').slice(0, 22),
    ownStreams: () => ({ version: 1, facts: list }),
    ...{ wrappedKeys: async () => '', absorbKeys: async () => {}, lacksKeys: () => false },
  });
}

function nodeFacts(id) {
  return {
    ...{ id, protocol: 1, version: '0', publicUrl: `http://${id}.example.net`, addresses: [] },
    ...{ draining: false, overloaded: false, atBackupLimit: false, weight: 1 },
    ...{ ownSessions: 0, backupSessions: 0, keys: ['1-key'], passTtlS: 43_200 },
  };
}

function streamFacts(name) {
  const hls = { air: { onAir: true }, lastMovedAt: Date.now(), container: 'ts', lowLatency: false };
  return { name, group: name, reserve: true, source: 'studio', hls };
}
