import { checksum } from '../../src/adapters/system/checksum.ts';
import type { PeerLink } from '../../src/agent/peer-ports.ts';
import type { StreamTimeline } from '../../src/agent/timeline/stream-timeline.ts';
import { Timelines } from '../../src/agent/timeline/timelines.ts';
import type { Peer } from '../../src/core/group/node.ts';
import type { SourceVerdict } from '../../src/core/group/source.ts';
import type { MonoMs } from '../../src/core/time.ts';
import type { CompareQuestion } from '../../src/core/timeline/compare.ts';
import { aPeer } from './builders.ts';
import { createFakeLog, type LoggedLine } from './fake-log.ts';
import { createLossyNetwork, type LossyNetwork } from './lossy-network.ts';
import { memoryTimelineStore } from './memory-timeline-store.ts';
import { createSharedSource, type SharedSource } from './shared-source.ts';
import {
  createSyntheticPackager,
  type Packaged,
  type PackagerOptions,
  type SyntheticPackager,
} from './synthetic-packager.ts';
import { createTimelineWatch, type TimelineWatch } from './timeline-watch.ts';
import { createVirtualClock, type VirtualClock } from './virtual-clock.ts';

export type MemberOptions = {
  /** One for each rung; a single one unless told otherwise. */
  readonly packagers?: readonly PackagerOptions[];
  readonly source?: SharedSource;
  readonly declared?: boolean;
  readonly wallOffsetMs?: number;
  /** An agent that starts hears its peers so much later. */
  readonly firstHeardMs?: number;
  /** What its windows may take. */
  readonly windowBytesMax?: number;
};

/** One member: an agent that may die and come back, and packagers that have lives of their own. */
type TimelineMember = {
  readonly id: string;
  readonly clock: VirtualClock;
  readonly isUp: boolean;
  readonly log: readonly LoggedLine[];
  readonly packagers: readonly SyntheticPackager[];
  /** Of the present life of the agent. */
  readonly timeline: StreamTimeline;
  /** The agent starts, and finds what its packagers have listed. */
  start(): void;
  kill(): void;
  /** What it knows of another member's source against its own. */
  verdict(other: string): SourceVerdict | undefined;
  /** Numbers that viewers get here now, of a rung; empty while nothing is offered. */
  numbers(rung?: number): readonly number[];
};

export type TimelineRig = {
  readonly members: readonly TimelineMember[];
  readonly network: LossyNetwork;
  readonly watch: TimelineWatch;
  readonly clock: VirtualClock;
  member(at: number): TimelineMember;
  /** Time goes on; packagers write, agents read, compare and publish. */
  run(ms: number, stepMs?: number): Promise<void>;
  /** Runs until `isTrue`, looking each 100 ms; the answer is how long it took. @throws after `maxMs`. */
  until(isTrue: () => boolean, maxMs?: number): Promise<number>;
  cut(a: number, b: number): void;
  heal(a: number, b: number): void;
};

type RigOptions = {
  readonly source?: SharedSource;
  /** Chance that a message is lost. */
  readonly loss?: number;
  readonly seed?: number;
  /** Messages take no time at all, for long runs: a hundred times as fast. */
  readonly isInstant?: boolean;
};

const group = 'ch1';
/** A peer that was not heard for so long is out of reach. */
const silenceMs = 2_000;
const stepMsUsual = 100;

/** Members `node-a`, `node-b` ... none of them started; their packagers have run for 30 s. */
export function createTimelineRig(
  members: readonly MemberOptions[],
  options: RigOptions = {},
): TimelineRig {
  const { source = createSharedSource(), loss = 0, seed = 1, isInstant = false } = options;
  const clock = createVirtualClock();
  const network = createLossyNetwork(clock, { loss, seed });
  const watch = createTimelineWatch();
  const startAt = clock.now().monoMs - 60_000;
  const all = members.map((given, at) => createMember(at, { source, ...given }));
  const cuts = new Set<string>();
  const views: View[] = [];

  function createMember(at: number, given: MemberOptions & { source: SharedSource }) {
    const id = idOf(at);
    const { packagers: kinds = [{}], wallOffsetMs = 0 } = given;
    const packagers = kinds.map((kind, rung) =>
      createSyntheticPackager(given.source, startAt, startAt + 30_000, { rung, ...kind }),
    );
    const own = clock.sibling({ wallOffsetMs });
    const link = isInstant ? instantLink(at) : network.linkFrom(urlOf(id));
    return createLife({
      id,
      given,
      packagers,
      clock: own,
      network,
      link,
      peersOf: () => peersOf(at),
    });
  }

  function instantLink(at: number): TimelineLink {
    const reach = (url: string) => {
      const index = all.findIndex(({ id }) => urlOf(id) === url);
      const other = all[index];
      return other?.isUp && !cuts.has(pairOf(at, index)) ? other : undefined;
    };
    const silence = { kind: 'fault', cause: 'unanswered', text: 'out of reach' } as const;
    return {
      compare: async (url, question) => reach(url)?.answer(question) ?? silence,
      segment: async (url, name) => reach(url)?.timelines.segment(name) ?? silence,
    };
  }

  /** What the peer view of a member would say. */
  function peersOf(at: number): readonly Peer[] {
    const own = all[at];
    if (own === undefined) return [];
    const { monoMs } = clock.now();
    const lives = all.map(({ hasFed }) => hasFed).join();
    const known = views[at];
    if (known?.at === monoMs && known.lives === lives && known.heard === own.heard.size)
      return known.peers;
    const peers = all.flatMap((other, index) => (index === at ? [] : peerSeen(own, other)));
    views[at] = { at: monoMs, lives, heard: own.heard.size, peers };
    return peers;
  }

  function hear(now: MonoMs): void {
    for (const [at, own] of all.entries())
      for (const [index, other] of all.entries()) {
        const isHeard = own.isUp && other.isUp && index !== at && !cuts.has(pairOf(at, index));
        if (isHeard && now - own.startedAt >= own.firstHeardMs) own.heard.set(other.id, now);
      }
  }

  async function step(stepMs: number): Promise<void> {
    await clock.run(stepMs);
    const { monoMs } = clock.now();
    hear(monoMs);
    for (const each of all) each.step(monoMs);
    for (const own of all)
      if (own.isUp)
        watch.look(
          own.id,
          own.timeline,
          all.filter((other) => isClone(own, other)),
        );
  }

  const rig: TimelineRig = {
    ...{ members: all, network, watch, clock },
    member(at) {
      const member = all[at];
      if (member === undefined) throw new Error(`there is no member ${at}`);
      return member;
    },
    async run(ms, stepMs = stepMsUsual) {
      for (let passed = 0; passed < ms; passed += stepMs) await step(stepMs);
    },
    async until(isTrue, maxMs = 60_000) {
      for (let passed = 0; passed <= maxMs; passed += stepMsUsual) {
        if (isTrue()) return passed;
        await step(stepMsUsual);
      }
      throw new Error(`not so within ${maxMs} ms: ${isTrue}`);
    },
    cut(a, b) {
      cuts.add(pairOf(a, b));
      network.cut(urlOf(idOf(a)), urlOf(idOf(b)));
    },
    heal(a, b) {
      cuts.delete(pairOf(a, b));
      network.heal(urlOf(idOf(a)), urlOf(idOf(b)));
    },
  };
  return rig;
}

type TimelineLink = Pick<PeerLink, 'compare' | 'segment'>;

type Life = TimelineMember & {
  readonly startedAt: MonoMs;
  readonly firstHeardMs: number;
  readonly heard: Map<string, MonoMs>;
  readonly hasFed: boolean;
  readonly timelines: Timelines;
  answer(question: CompareQuestion): ReturnType<Timelines['answer']>;
  step(at: MonoMs): void;
};

function createLife(parts: {
  id: string;
  given: MemberOptions;
  packagers: readonly SyntheticPackager[];
  clock: VirtualClock;
  network: LossyNetwork;
  link: TimelineLink;
  peersOf: () => readonly Peer[];
}): Life {
  const { id, given, packagers, clock, network, link, peersOf } = parts;
  const log = createFakeLog();
  const store = memoryTimelineStore();
  const heard = new Map<string, MonoMs>();
  let boots = 0;
  let startedAt = 0;
  let isUp = false;
  let hasFed = false;
  let { timelines, timeline } = open();

  function open() {
    boots += 1;
    const { declared = false, windowBytesMax } = given;
    const made = new Timelines({
      ...{ clock, log, checksum, store, nodeId: id, boot: `${id}-${boots}`, peers: peersOf },
      ...{ link, windowBytesMax },
    });
    const opened = made.open({ name: group, group, declared, isFeed: false });
    opened.setRungs(packagers.length);
    return { timelines: made, timeline: opened };
  }

  function feed(packaged: readonly (readonly Packaged[])[]): void {
    const now = clock.now();
    const inOrder = packaged.flatMap((of, rung) => of.map((each) => ({ ...each, rung })));
    inOrder.sort((a, b) => a.completeAt - b.completeAt);
    for (const { rung, reading, completeAt } of inOrder) {
      const ago = now.monoMs - completeAt;
      const fed = { reading, completeAt: now.wallMs - ago, bytes: 10_000 };
      timeline.feed(rung, fed, now);
      hasFed = true;
    }
  }

  return {
    ...{ id, clock, packagers, heard, firstHeardMs: given.firstHeardMs ?? 0, log: log.lines },
    get timelines() {
      return timelines;
    },
    answer: (question) => timelines.answer(question, clock.now()),
    get timeline() {
      return timeline;
    },
    get isUp() {
      return isUp;
    },
    get startedAt() {
      return startedAt;
    },
    get hasFed() {
      return hasFed;
    },
    start() {
      ({ timelines, timeline } = open());
      startedAt = clock.now().monoMs;
      isUp = true;
      hasFed = false;
      heard.clear();
      const { answer, segment } = { answer: timelines, segment: timelines };
      network.attach(
        urlOf(id),
        {
          ask: () => {
            throw new Error('members of this rig do not ask');
          },
          compare: (question, now) => answer.answer(question, now),
          segment: (name) => segment.segment(name),
        },
        clock,
      );
      feed(packagers.map((packager) => packager.listed(startedAt)));
    },
    kill() {
      isUp = false;
      hasFed = false;
      network.detach(urlOf(id));
    },
    verdict: (other) => timelines.source(group, other),
    numbers(rung = 0) {
      if (!isUp || !timeline.isOffered) return [];
      return timeline.window(rung)?.listed.map(({ number }) => number) ?? [];
    },
    step(at) {
      const packaged = packagers.map((packager) => packager.take(at));
      if (!isUp) return;
      feed(packaged);
      timelines.tick(clock.now());
    },
  };
}

function peerSeen(own: Life, other: Life): Peer {
  const now = own.clock.now();
  const heardAt = own.heard.get(other.id);
  const { id } = other;
  const timeline = other.hasFed ? ({ state: 'anew' } as const) : undefined;
  const isReachable = heardAt !== undefined && now.monoMs - heardAt <= silenceMs;
  const isNew = heardAt === undefined && now.monoMs - own.startedAt <= silenceMs;
  const peer = aPeer({
    facts: { id },
    url: urlOf(id),
    clock: { offsetMs: other.clock.now().wallMs - now.wallMs, roundTripMs: 4 },
    streams: [{ name: group, group, reserve: true, hls: { ...onAirHls, timeline } }],
    reachability: isReachable ? 'reachable' : isNew ? 'unknown' : 'unreachable',
  });
  return heardAt === undefined ? { ...peer, facts: undefined, streams: new Map() } : peer;
}

/** What a member believes of its peers at a moment. */
type View = { at: MonoMs; lives: string; heard: number; peers: readonly Peer[] };

/** Whether viewers of one may be sent to the other, but for how far behind it is. */
function isClone(own: Life, other: Life): boolean {
  if (own === other || !other.isUp || !other.timeline.isOffered) return false;
  const verdict = own.verdict(other.id);
  return verdict?.proof.kind === 'proved' && verdict.isSameRun;
}

const onAirHls = { air: { onAir: true }, lowLatency: false } as const;

function idOf(at: number): string {
  return `node-${String.fromCharCode(97 + at)}`;
}

function urlOf(id: string): string {
  return `http://${id}.example.net:8082`;
}

function pairOf(a: number, b: number): string {
  return [a, b].sort().join(' ');
}
