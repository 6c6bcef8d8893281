import { onTestFinished } from 'vitest';
import { createPassSigner } from '../../src/adapters/hmac/pass-signer.ts';
import { createViewerApp } from '../../src/adapters/http/viewer-app.ts';
import { createKeyWrap } from '../../src/adapters/jose/key-wrap.ts';
import { isFeed, openFeed } from '../../src/adapters/origin/feed.ts';
import { openOrigin } from '../../src/adapters/origin/open-origin.ts';
import { readMeaning } from '../../src/adapters/origin/read-playlist.ts';
import { checksum, pause } from '../../src/adapters/system/checksum.ts';
import { newBytes, newId } from '../../src/adapters/system/ids.ts';
import { createAgent } from '../../src/agent/agent.ts';
import type { AgentSettings } from '../../src/agent/agent-settings.ts';
import type { ViewerAuthority } from '../../src/agent/auth-ports.ts';
import type { Origin } from '../../src/agent/ports.ts';
import type { StreamConfig } from '../../src/core/stream/stream.ts';
import { type FakeLoad, readFakeLoad } from './fake-load.ts';
import { createFakeLog, type LoggedLine } from './fake-log.ts';
import { type FakeOrigin, type FakeOriginOptions, startFakeOrigin } from './fake-origin-server.ts';
import { createLossyNetwork, type LossyNetwork } from './lossy-network.ts';
import { memoryAlertStore } from './memory-alert-store.ts';
import { memoryCoverageStore } from './memory-coverage-store.ts';
import { memoryTimelineStore } from './memory-timeline-store.ts';
import { memoryKeyStore } from './pass-fakes.ts';
import { createProbeNetwork } from './probe-network.ts';
import { createVirtualClock, type VirtualClock } from './virtual-clock.ts';

/** Virtual time between two looks at the world, unless told otherwise. */
const defaultStepMs = 100;
const secondMs = 1_000;
const browserAgent = 'Mozilla/5.0 (X11; Linux x86_64) Chrome/156.0';

/** What a viewer sends, where it matters. */
type Asking = {
  readonly address?: string;
  readonly agent?: string | undefined;
  readonly headers?: Record<string, string>;
  readonly method?: string;
};

/** One whole agent with an origin of its own, its peers over an in-memory network, its time virtual. */
export type GroupNode = {
  readonly id: string;
  readonly base: string;
  readonly origin: FakeOrigin;
  readonly clock: VirtualClock;
  readonly log: readonly LoggedLine[];
  /** Of the machine; nothing is measured at first. */
  readonly load: FakeLoad;
  /** Of the present life of the process. */
  readonly agent: ReturnType<typeof createAgent>;
  /** Streams from now on; ungrouped ones too. */
  configure(streams: readonly StreamConfig[]): void;
  /** A viewer's request; `path` may be a whole URL of this node. */
  ask(path: string, asking?: Asking): Promise<Response>;
  isDead(): boolean;
  /** The process dies: peers are refused. Its viewers' requests are no test of ours any more. */
  kill(): void;
  /** It comes back with the keys it had kept. */
  start(): void;
  report(): ReturnType<ReturnType<typeof createAgent>['groups']>[number] | undefined;
};

export type GroupRig = {
  readonly nodes: readonly GroupNode[];
  readonly network: LossyNetwork;
  readonly clock: VirtualClock;
  node(at: number): GroupNode;
  /** Time goes on, `stepMs` (a divisor of 1000) at once; origins that are not frozen publish a segment each target duration. */
  run(ms: number, stepMs?: number): Promise<void>;
};

export type NodeOptions = Partial<AgentSettings> & {
  readonly origin?: FakeOriginOptions;
  readonly stream?: Partial<StreamConfig>;
  readonly wallOffsetMs?: number;
  /** Who decides whether a viewer may watch; none needed without. */
  readonly authority?: ViewerAuthority;
};

/** Agents `node-a`, `node-b` ... that carry `ch1` in group `ch1`; started, and 6 s later all settled. */
export async function startGroup(
  count: number,
  options: (at: number) => NodeOptions = () => ({}),
): Promise<GroupRig> {
  const clock = createVirtualClock();
  const network = createLossyNetwork(clock);
  const ids = Array.from({ length: count }, (_, at) => `node-${String.fromCharCode(97 + at)}`);
  const nodeOf = (url: string): GroupNode | undefined =>
    nodes.find(({ base }) => url.startsWith(`${base}/`));
  const nodes: readonly GroupNode[] = await Promise.all(
    ids.map(async (id, at) => {
      const given = options(at);
      const origin = await startFakeOrigin(given.origin);
      const openNode = (entry: string) => originOfNode(nodeOf(entry));
      const askNode = (url: string, agent: string) => {
        const node = nodeOf(url);
        return node === undefined || node.isDead() ? undefined : node.ask(url, { agent });
      };
      const parts = { id, ids, origin, network, clock, options: given, openNode, askNode };
      return createGroupNode(parts);
    }),
  );
  onTestFinished(async () => {
    for (const node of nodes) node.kill();
    await Promise.all(nodes.map(({ origin }) => origin.close()));
  });
  const rig: GroupRig = {
    nodes,
    network,
    clock,
    node(at) {
      const node = nodes[at];
      if (node === undefined) throw new Error(`there is no node ${at}`);
      return node;
    },
    async run(ms, stepMs = defaultStepMs) {
      for (let passed = 0; passed < ms; passed += stepMs) {
        const before = clock.now().monoMs;
        await clock.run(stepMs);
        const after = clock.now().monoMs;
        for (const node of nodes) await step(node, before, after);
      }
    },
  };
  for (const node of nodes) node.start();
  await rig.run(6_000);
  return rig;
}

/** What a node that reads from another one gets. */
function originOfNode(node: GroupNode | undefined): Origin | undefined {
  if (node === undefined) return undefined;
  return {
    async read(url) {
      if (node.isDead()) return { kind: 'fault', reason: 'origin-unreachable' };
      const answer = await node.ask(url);
      return answer.status === 200
        ? { kind: 'body', url, bytes: new Uint8Array(await answer.arrayBuffer()) }
        : { kind: 'fault', reason: 'origin-status', status: answer.status };
    },
    open: async () => ({ kind: 'fault', reason: 'not-found' }),
    close() {},
  };
}

/** Cycles that run ten times a second. */
const eachStep = new Set(['live streams', 'timelines']);

/** What falls due at one node between two instants. */
async function step(node: GroupNode, before: number, after: number): Promise<void> {
  const isDue = (everyMs: number) => Math.floor(before / everyMs) !== Math.floor(after / everyMs);
  const { origin, agent } = node;
  if (isDue(origin.channel.targetS * secondMs) && !origin.knobs.frozen) origin.advance();
  const now = node.clock.now();
  await agent.live.tick(now);
  for (const { name, run } of agent.cycles) if (name === 'timelines') await run(now);
  if (!isDue(secondMs)) return;
  for (const { name, run } of agent.cycles) if (!eachStep.has(name)) await run(now);
}

function createGroupNode(parts: {
  id: string;
  ids: readonly string[];
  origin: FakeOrigin;
  network: LossyNetwork;
  clock: VirtualClock;
  options: NodeOptions;
  /** The way to another node as its viewers take it; undefined for any other address. */
  openNode: (entry: string) => Origin | undefined;
  /** As the players of a drill ask; undefined where nobody answers. */
  askNode: (url: string, agent: string) => Promise<Response> | undefined;
}): GroupNode {
  const { id, ids, origin, network, options } = parts;
  const { origin: _, stream, wallOffsetMs = 0, authority, ...settings } = options;
  const clock = parts.clock.sibling({ wallOffsetMs });
  const log = createFakeLog();
  const load: FakeLoad = { cpuPercent: undefined, networkPercent: undefined };
  const peerUrl = (of: string) => `http://${of}.example.net:8082`;
  const keyStore = memoryKeyStore();
  const timelineStore = memoryTimelineStore();
  const alertStore = memoryAlertStore();
  const coverageStore = memoryCoverageStore();
  const base = `http://${id}.example.net`;
  let streams: readonly StreamConfig[] = [
    { name: 'ch1', origin: origin.entry, group: 'ch1', source: 'studio', reserve: true, ...stream },
  ];
  const create = () =>
    createAgent(
      {
        ...{ clock, timers: clock, log, newId, randomBytes: newBytes, readMeaning },
        openOrigin: (entry) => parts.openNode(entry) ?? openOrigin(entry),
        ...{ checksum, pause, isFeed, openFeed, timelineStore },
        readLoad: readFakeLoad(load, clock),
        ...(authority && { viewerAuth: { authority, cacheS: 60, failsOpen: false } }),
        keyStore,
        alertStore,
        alertTargets: [],
        coverageStore,
        keyWrap: createKeyWrap('the cluster secret of the tests, long enough'),
        signer: createPassSigner(),
        openProbeConnection: createProbeNetwork(parts.clock, parts.askNode),
        link: network.linkFrom(peerUrl(id)),
      },
      {
        id,
        version: '0.1.0',
        publicUrl: base,
        weight: 1,
        passTtlS: 43_200,
        peerUrls: ids.map(peerUrl),
        ...settings,
      },
    );
  let isDead = false;
  let agent = create();
  const createApp = () =>
    createViewerApp({ viewing: agent.viewing, nodeId: id, clock, log, trustedProxies: [] });
  let app = createApp();
  const end = () => {
    network.detach(peerUrl(id));
    agent.peers.stop();
    agent.live.close();
  };
  return {
    ...{ id, base, origin, clock, load },
    log: log.lines,
    get agent() {
      return agent;
    },
    configure(next) {
      streams = next;
      agent.live.configure(streams, clock.now());
    },
    ask(path, asking = {}) {
      const { address = '203.0.113.50', agent: userAgent = browserAgent, headers, method } = asking;
      const url = path.startsWith('http') ? path : `${base}${path}`;
      const init = { method: method ?? 'GET', headers: { 'user-agent': userAgent, ...headers } };
      const socket = { remoteAddress: address };
      return Promise.resolve(app.request(url, init, { incoming: { socket } as never }));
    },
    isDead: () => isDead,
    kill() {
      isDead = true;
      end();
    },
    start() {
      end();
      isDead = false;
      agent = create();
      app = createApp();
      const { peers, answerPeers } = agent;
      agent.live.configure(streams, clock.now());
      network.attach(peerUrl(id), answerPeers, clock);
      peers.start();
    },
    // As it is now: the whole list is kept for a second.
    report: () => agent.groups(clock.now(), () => true)[0],
  };
}

/** The URIs of a playlist, in order. */
export function urisOf(playlist: string): readonly string[] {
  return playlist.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}

/** Hosts of a multivariant playlist that are not the answering node. */
export function backupHosts(playlist: string): readonly string[] {
  const hosts = urisOf(playlist).flatMap((uri) =>
    uri.startsWith('http') ? [new URL(uri).hostname] : [],
  );
  return [...new Set(hosts)];
}

/** The pass that the URIs of a playlist carry. */
export function passIn(playlist: string): string {
  return /[?&]pass=([^&\s"]+)/.exec(playlist)?.[1] ?? '';
}
