/**
 * `node test/bench/peers.mjs`, after a build: what the exchange of 16 nodes with 500 streams each costs one of them when nothing
 * changes. The measured one has this process to itself; the others, which know only that one, are in another.
 */
import { fork } from 'node:child_process';
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
const forS = Number(process.env.SECONDS_EACH ?? 3) * 10;
const log = { debug() {}, info() {}, warn() {}, error() {} };
const isOther = process.argv[2] !== undefined;

if (isOther) {
  const measured = process.argv[2];
  const others = [];
  for (let at = 1; at < nodes; at += 1) others.push(await startNode(`node-${at}`, [measured]));
  process.send(others.map(({ url }) => url));
} else {
  const server = { sockets: new Set() };
  const urls = [];
  const measured = await startNode('node-0', urls, server);
  const crowd = fork(fileURLToPath(import.meta.url), [measured.url]);
  const [found] = await once(crowd, 'message');
  measured.peers.stop();
  const asking = makePeers('node-0', [...found]);
  measured.answers.peers = asking;
  asking.start();
  await wait(10_000);
  const known = asking.list(systemClock.now()).filter(({ streams: of }) => of.size === streams);
  const bytes = () =>
    [...server.sockets].reduce(
      (sum, { bytesRead, bytesWritten }) => sum + bytesRead + bytesWritten,
      0,
    );
  const [cpu, traffic, from] = [process.cpuUsage(), bytes(), performance.now()];
  await wait(forS * 1000);
  const { user, system } = process.cpuUsage(cpu);
  const ms = performance.now() - from;
  console.log('| what | figure |\n| --- | --: |');
  console.log(
    `| ${nodes} nodes with ${streams} streams each, ${known.length} known whole: of one core | ${((user + system) / 10 / ms).toFixed(2)} % |`,
  );
  // Answers to the others are as long as their answers: what is asked goes to as many.
  console.log(
    `| the same: traffic, both directions | ${(((bytes() - traffic) * 8 * 2) / ms).toFixed(0)} kbit/s |`,
  );
  asking.stop();
  crowd.kill();
  process.exit();
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

async function startNode(id, urls, counted) {
  const peers = makePeers(id, urls);
  const answers = { peers };
  const server = createPeerServer({
    ...{ clusterSecret, clock: systemClock, log },
    answer: { ask: (question, now) => answers.peers.answer(question, now) },
  });
  if (counted) server.on('connection', (socket) => counted.sockets.add(socket));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  peers.start();
  return { url: `http://127.0.0.1:${server.address().port}`, peers, answers };
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
