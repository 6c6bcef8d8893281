import type { Server } from 'node:http';
import { type AddressInfo, createServer as createNetServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createHttpPeerLink } from '../../src/adapters/registry/http-peer-link.ts';
import { createPeerServer } from '../../src/adapters/registry/peer-server.ts';
import { exchangePath } from '../../src/adapters/registry/wire.ts';
import { systemClock, systemTimers } from '../../src/adapters/system/clock.ts';
import { Peers } from '../../src/agent/peers.ts';
import type { Peer } from '../../src/core/group/node.ts';
import type { StreamFacts } from '../../src/core/stream/stream.ts';
import { aNode, aStreamFacts } from '../support/builders.ts';
import { createFakeLog } from '../support/fake-log.ts';
import {
  anInterceptor,
  answersOf,
  clusterSecret,
  kill,
  listenLocally,
  type Message,
  post,
} from '../support/peer-http.ts';

/** A node whose peers talk over real sockets in real time. */
type RealNode = {
  readonly url: string;
  readonly peers: Peers;
  readonly server: Server;
  readonly traffic: { bytes: number };
  sees(url: string): Peer | undefined;
};

const running = new Set<RealNode>();
let boots = 0;

afterEach(async () => {
  await Promise.all([...running].map(killNode));
});

/** Begins to listen and to ask `urls`, which may be filled in later. */
async function startNode(
  id: string,
  options: { urls?: readonly string[]; streams?: readonly StreamFacts[]; port?: number } = {},
): Promise<RealNode> {
  boots += 1;
  const { urls = [], streams = [] } = options;
  const log = createFakeLog();
  const facts = aNode({ id });
  const peers = new Peers({
    link: createHttpPeerLink({ clusterSecret }),
    clock: systemClock,
    timers: systemTimers,
    log,
    urls,
    boot: `boot-${boots}-of-22-characters`.slice(0, 22),
    self: () => facts,
    ownStreams: () => ({ version: 1, facts: streams }),
    wrappedKeys: async () => '',
    absorbKeys: async () => {},
    lacksKeys: () => false,
  });
  const server = createPeerServer({
    answer: answersOf((question, now) => peers.answer(question, now)),
    clusterSecret,
    clock: systemClock,
    log,
  });
  const traffic = countTraffic(server);
  const url = await listenLocally(server, options.port);
  const node: RealNode = {
    url,
    peers,
    server,
    traffic,
    sees: (other) => peers.list(systemClock.now()).find((peer) => peer.url === other),
  };
  running.add(node);
  peers.start();
  return node;
}

async function killNode(node: RealNode): Promise<void> {
  running.delete(node);
  node.peers.stop();
  await kill(node.server);
}

/** Bytes through all connections of a server, both ways, as they come. */
function countTraffic(server: Server): { bytes: number } {
  const sockets = new Map<object, () => number>();
  server.on('connection', (socket) => {
    sockets.set(socket, () => socket.bytesRead + socket.bytesWritten);
  });
  return {
    get bytes() {
      return [...sockets.values()].reduce((sum, bytes) => sum + bytes(), 0);
    },
  };
}

/** Free ports, so that nodes can be configured with each other before they start. */
async function reservePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createNetServer().listen(0, '127.0.0.1'));
  await Promise.all(
    servers.map((server) => new Promise((resolve) => server.once('listening', resolve))),
  );
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

async function startNodes(count: number): Promise<readonly RealNode[]> {
  const ports = await reservePorts(count);
  const urls = ports.map((port) => `http://127.0.0.1:${port}`);
  return await Promise.all(ports.map((port, index) => startNode(`node-${index}`, { urls, port })));
}

/** How long until `isSo` holds after a change of `node`'s view; fails after 10 s. */
async function msUntil(node: RealNode, isSo: () => boolean): Promise<number> {
  const from = performance.now();
  while (!isSo()) {
    if (performance.now() - from > 10_000) throw new Error('did not happen within 10 s');
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, 500);
      const end = node.peers.onChange(() => {
        clearTimeout(timer);
        end();
        resolve();
      });
    });
  }
  return performance.now() - from;
}

const seesReachable = (node: RealNode, other: RealNode) => () =>
  node.sees(other.url)?.reachability === 'reachable';

describe('nodes over real sockets', () => {
  it('meet when started at once, and know within 2 s that one was killed', {
    timeout: 20_000,
  }, async () => {
    const [a, b, c] = (await startNodes(3)) as [RealNode, RealNode, RealNode];
    await msUntil(a, seesReachable(a, b));
    await msUntil(a, seesReachable(a, c));
    await msUntil(c, seesReachable(c, b));
    const deadAt = performance.now();
    await killNode(b);
    await msUntil(a, () => a.sees(b.url)?.reachability === 'unreachable');
    const knownMs = performance.now() - deadAt;
    process.stdout.write(`death of a node known after ${knownMs.toFixed(0)} ms\n`);
    // The rule is 1.9 s after the last answer; the margin is for the scheduling of a busy machine.
    expect(knownMs).toBeLessThan(2_500);
    await msUntil(c, () => c.sees(b.url)?.reachability === 'unreachable');
    expect(a.sees(c.url)?.reachability).toBe('reachable');
    const again = await startNode('node-1', { port: Number(new URL(b.url).port) });
    expect(await msUntil(a, seesReachable(a, again))).toBeLessThan(3_000);
  });

  it('refuse a recorded question with a reason only its sender can use', {
    timeout: 20_000,
  }, async () => {
    const b = await startNode('node-b');
    const recorded: Message[] = [];
    const { server, url } = await anInterceptor(() => b.url, {
      question: (message) => {
        recorded.push(message);
        return message;
      },
    });
    const a = await startNode('node-a', { urls: [url] });
    await msUntil(a, () => a.sees(url)?.reachability === 'reachable');
    const answered = recorded.at(-1) as Message;
    const { status, body } = await post(b.url + exchangePath, answered);
    expect(status).toBe(401);
    expect(JSON.parse(body.toString())).toMatchObject({ kind: 'refusal', reason: 'replayed' });
    await killNode(b);
    const later = await startNode('node-b', { port: Number(new URL(b.url).port) });
    const afterRestart = await post(later.url + exchangePath, answered);
    expect(JSON.parse(afterRestart.body.toString())).toMatchObject({ reason: 'boot' });
    await kill(server);
  });
});

describe('the traffic of a node among 16 that carry 500 streams each', () => {
  it('is below 200 kbit/s, both directions together, when nothing changes', {
    timeout: 60_000,
  }, async () => {
    const ports = await reservePorts(16);
    const urls = ports.map((port) => `http://127.0.0.1:${port}`);
    const streams = Array.from({ length: 500 }, (_, index) =>
      aStreamFacts({ name: `channel-${index}` }),
    );
    // The other 15 talk to the first one only: its traffic is the same, the machine's is less.
    const nodes = await Promise.all(
      ports.map((port, index) =>
        startNode(`node-${index}`, { urls: index === 0 ? urls : urls.slice(0, 1), port, streams }),
      ),
    );
    const first = nodes[0] as RealNode;
    const isComplete = () =>
      nodes.every((node) => node === first || first.sees(node.url)?.streams.size === 500) &&
      nodes.every((node) => node === first || node.sees(first.url)?.streams.size === 500);
    await msUntil(first, isComplete);
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    const total = () => nodes.reduce((sum, { traffic }) => sum + traffic.bytes, 0);
    const [bytes, from] = [total(), performance.now()];
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    const kbitPerS = ((total() - bytes) * 8) / (performance.now() - from);
    process.stdout.write(`peer traffic of one node of 16: ${kbitPerS.toFixed(0)} kbit/s\n`);
    expect(kbitPerS).toBeLessThan(200);
  });
});
