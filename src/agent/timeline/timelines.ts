import type { PeerRefusal } from '../../core/group/exchange.ts';
import type { Peer } from '../../core/group/node.ts';
import type { SourceVerdict } from '../../core/group/source.ts';
import type { StreamFacts } from '../../core/stream/stream.ts';
import type { Now } from '../../core/time.ts';
import {
  type CompareAnswer,
  type CompareQuestion,
  contradict,
  type SegmentName,
} from '../../core/timeline/compare.ts';
import { likenessOf } from '../../core/timeline/likeness.ts';
import type { PeerLink } from '../peer-ports.ts';
import type { Checksum, Clock, Log, TimelineStore } from '../ports.ts';
import { streamsByGroup } from '../streams-by-group.ts';
import { Comparing } from './comparing.ts';
import type { MateSeen } from './mates.ts';
import type { Damage } from './release.ts';
import { StreamTimeline, type TimelineStream } from './stream-timeline.ts';
import { WindowMemory } from './window-memory.ts';

/** Bytes of a peer's segment are waited for so long, ms. */
const fetchMsMax = 1_000;

type Deps = {
  readonly clock: Clock;
  readonly log: Log;
  readonly link: Pick<PeerLink, 'compare' | 'segment'>;
  readonly checksum: Checksum;
  readonly store: TimelineStore;
  readonly nodeId: string;
  readonly boot: string;
  readonly peers: (now: Now) => readonly Peer[];
  /** What the windows of all streams may take together; no limit unless told. */
  readonly windowBytesMax?: number | undefined;
};

/** The timelines of all streams of this node that are written anew, and what they tell other nodes. */
export class Timelines {
  readonly #deps: Deps;
  readonly #all = new Map<string, StreamTimeline>();
  readonly #comparing: Comparing;
  readonly #windowMemory: WindowMemory;
  #isTight = false;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#windowMemory = new WindowMemory(deps.windowBytesMax);
    this.#comparing = new Comparing({ ...deps, timelines: this.#all });
  }

  /** The timeline of a stream that begins; another one of this name is forgotten. */
  open(stream: TimelineStream): StreamTimeline {
    const timeline = new StreamTimeline(
      {
        ...this.#deps,
        windowMemory: this.#windowMemory,
        likeness: likenessOf,
        mates: (group, now) => this.#mates(group, now),
        isComplete: (now) => this.#deps.peers(now).every((peer) => peer.reachability !== 'unknown'),
        hurry: (name) => this.#comparing.hurry(name, this.#deps.clock.now()),
        fetch: (mate, name) => this.#fetch(mate, name),
      },
      stream,
    );
    this.#all.get(stream.name)?.dropWindows();
    this.#all.set(stream.name, timeline);
    return timeline;
  }

  close(timeline: StreamTimeline): void {
    const { name } = timeline.stream;
    timeline.dropWindows();
    if (this.#all.get(name) === timeline) this.#all.delete(name);
  }

  tick(now: Now): void {
    for (const timeline of this.#all.values()) timeline.tick(now);
    this.#makeRoom();
    this.#comparing.tick(now);
  }

  /**
   * Leaves streams as their origins make them until the windows of the others fit: the last by group first, so that members with
   * the same streams leave the same ones, and feeds, which nobody else packages, after all others (ADR 25).
   */
  #makeRoom(): void {
    const { isTight } = this.#windowMemory;
    if (isTight && !this.#isTight) this.#deps.log.warn('windows kept short');
    this.#isTight = isTight;
    while (this.#windowMemory.isOver) {
      const [first] = [...this.#all.values()].filter(hasBytes).sort(firstToLeave);
      if (first === undefined) return;
      if (first.leftAlone === undefined) first.leaveAlone('window-memory');
      first.dropWindows();
    }
  }

  answer(question: CompareQuestion, now: Now): CompareAnswer | PeerRefusal {
    return this.#comparing.answer(question, now);
  }

  segment({ group, rung, number, checksum }: SegmentName): Uint8Array | undefined {
    for (const timeline of this.#all.values()) {
      if (timeline.stream.group !== group) continue;
      const bytes = timeline.segment(rung, number, checksum);
      if (bytes !== undefined) return bytes;
    }
    return undefined;
  }

  /** What is known of the source of a node's stream against ours; absent where nothing is compared. */
  source(stream: string, node: string): SourceVerdict | undefined {
    const timeline = this.#all.get(stream);
    const mate = timeline?.mates.get(node);
    if (timeline === undefined || mate === undefined) return undefined;
    const { proof, runKey, segmentsBehind } = mate;
    const isSameRun =
      runKey !== undefined &&
      runKey === timeline.runKey &&
      !contradict(timeline.listedRuns, mate.listedRuns);
    return { proof, isSameRun, segmentsBehind };
  }

  /** How many segments had to be taken from another member, or left out; absent for a stream that is not written anew. */
  damage(stream: string, now: Now): Damage | undefined {
    return this.#all.get(stream)?.damage(now.monoMs);
  }

  #mates(group: string, now: Now): readonly MateSeen[] {
    return this.#deps.peers(now).flatMap(({ facts, reachability, streams, clock }) => {
      const isMember =
        facts !== undefined &&
        facts.id !== this.#deps.nodeId &&
        reachability === 'reachable' &&
        streamsByGroup(streams).get(group)?.some(mayJoin);
      return isMember ? [{ id: facts.id, clockOffsetMs: clock?.offsetMs ?? 0 }] : [];
    });
  }

  async #fetch(mate: string, name: SegmentName): Promise<Uint8Array | undefined> {
    const now = this.#deps.clock.now();
    const peer = this.#deps.peers(now).find(({ facts }) => facts?.id === mate);
    if (peer === undefined) return undefined;
    const found = await this.#deps.link.segment(peer.url, name, fetchMsMax);
    return found instanceof Uint8Array ? found : undefined;
  }
}

/** Written anew, or about to begin: its playlists were not read yet. */
function mayJoin({ hls }: StreamFacts): boolean {
  if (hls === undefined || hls.timeline !== undefined) return hls?.timeline?.state === 'anew';
  return hls.air.onAir || hls.air.reason === 'starting';
}

function hasBytes({ windowBytes }: StreamTimeline): boolean {
  return windowBytes > 0;
}

/** What is left alone already keeps what it published, until there is no room. */
function firstToLeave(a: StreamTimeline, b: StreamTimeline): number {
  const rank = ({ leftAlone, stream }: StreamTimeline) => {
    if (leftAlone !== undefined) return 0;
    return stream.isFeed ? 2 : 1;
  };
  return rank(a) - rank(b) || (a.stream.group < b.stream.group ? 1 : -1);
}
