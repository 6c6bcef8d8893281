import { Peers } from '../../src/agent/peers.ts';
import type { PeersDeps } from '../../src/agent/peers-deps.ts';
import type { NodeFacts, Peer } from '../../src/core/group/node.ts';
import type { StreamFacts } from '../../src/core/stream/stream.ts';
import { aNode } from './builders.ts';
import { createFakeLog, type LoggedLine } from './fake-log.ts';
import { createLossyNetwork, type LossyNetwork } from './lossy-network.ts';
import { createVirtualClock, type VirtualClock } from './virtual-clock.ts';

/** A node whose peers talk over a lossy network; tests change what it says of itself by `facts` and `streams`. */
export type RigNode = {
  readonly url: string;
  readonly clock: VirtualClock;
  readonly log: readonly LoggedLine[];
  facts: NodeFacts;
  /** Replace the whole to announce a change. */
  streams: readonly StreamFacts[];
  /** Of the present life of the process. */
  readonly peers: Peers;
  boots: number;
  /** Begins a new life of the process: nothing is remembered. */
  start(): void;
  /** Ends the process at once; connections are refused. */
  kill(): void;
  /** What this node believes of the one at `id`, now. */
  sees(id: string): Peer | undefined;
};

export type Rig = {
  readonly clock: VirtualClock;
  readonly network: LossyNetwork;
  readonly nodes: readonly RigNode[];
};

export function urlOf(id: string): string {
  return `http://${id}.example.net:8082`;
}

/** Nodes of one domain, each configured with all of them (itself included), not started yet. */
export function createRig(
  ids: readonly string[],
  options: {
    readonly delayMs?: number;
    readonly loss?: number;
    readonly seed?: number;
    readonly wallOffsetsMs?: Readonly<Record<string, number>>;
    readonly urls?: (id: string) => readonly string[];
    readonly deps?: (id: string) => Partial<PeersDeps>;
  } = {},
): Rig {
  const clock = createVirtualClock();
  const network = createLossyNetwork(clock, options);
  const nodes = ids.map((id) => {
    const wallOffsetMs = options.wallOffsetsMs?.[id] ?? 0;
    const urls = options.urls?.(id) ?? ids.map(urlOf);
    return createNode(network, id, clock.sibling({ wallOffsetMs }), {
      urls,
      ...options.deps?.(id),
    });
  });
  return { clock, network, nodes };
}

function createNode(
  network: LossyNetwork,
  id: string,
  clock: VirtualClock,
  deps: Partial<PeersDeps>,
): RigNode {
  const url = urlOf(id);
  const log = createFakeLog();
  const create = (): Peers =>
    new Peers({
      link: network.linkFrom(url),
      clock,
      timers: clock,
      log,
      urls: [],
      boot: `${id}-boot-${node.boots}`,
      self: () => node.facts,
      ownStreams: ownStreams(() => node.streams),
      wrappedKeys: async () => '',
      absorbKeys: async () => {},
      lacksKeys: () => false,
      ...deps,
    });
  const node: RigNode = {
    url,
    clock,
    log: log.lines,
    facts: aNode({ id }),
    streams: [],
    boots: 0,
    get peers() {
      return life;
    },
    start() {
      node.boots += 1;
      life = create();
      const { peers } = node;
      network.attach(url, (question, now) => peers.answer(question, now), clock);
      peers.start();
    },
    kill() {
      life.stop();
      network.detach(url);
    },
    sees: (other) => life.list(clock.now()).find((peer) => peer.url === urlOf(other)),
  };
  let life = create();
  return node;
}

/** Gives each array of streams a version of its own. */
function ownStreams(streams: () => readonly StreamFacts[]): PeersDeps['ownStreams'] {
  let version = 0;
  let told: readonly StreamFacts[] | undefined;
  return () => {
    const facts = streams();
    if (facts !== told) version += 1;
    told = facts;
    return { version, facts };
  };
}
