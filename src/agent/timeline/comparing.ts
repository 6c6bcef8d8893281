import type { PeerRefusal } from '../../core/group/exchange.ts';
import { type Peer, peerProtocolVersion } from '../../core/group/node.ts';
import type { MonoMs, Now } from '../../core/time.ts';
import type { CompareAnswer, CompareQuestion, TimelineWord } from '../../core/timeline/compare.ts';
import { Askers } from '../askers.ts';
import type { PeerFault, PeerLink } from '../peer-ports.ts';
import type { Clock } from '../ports.ts';
import { streamsByGroup } from '../streams-by-group.ts';
import type { StreamTimeline } from './stream-timeline.ts';

/** A comparison that takes longer is given up, ms. */
const compareMsMax = 1_000;
/** Comparison of all streams with every member, ms; in between only what is urgent. */
const everyMs = 1_000;
/** Marks of a member that is proved are asked for this often, ms: a proof is checked for ever. */
const marksEveryMs = 10_000;

export type ComparingDeps = {
  readonly clock: Clock;
  readonly link: Pick<PeerLink, 'compare'>;
  readonly nodeId: string;
  readonly boot: string;
  readonly peers: (now: Now) => readonly Peer[];
  /** By stream name. */
  readonly timelines: ReadonlyMap<string, StreamTimeline>;
};

/** What is under way with one peer: one question at a time, so that none overtakes another. */
type Way = {
  boot: string | undefined;
  seq: number;
  isBusy: boolean;
  askedAt: MonoMs;
  readonly urgent: Set<string>;
};

/** Exchanges marks, runs and checksums with the members of the groups of this node (`docs/timeline.md`). */
export class Comparing {
  readonly #deps: ComparingDeps;
  readonly #ways = new Map<string, Way>();
  readonly #askers = new Askers();

  constructor(deps: ComparingDeps) {
    this.#deps = deps;
  }

  /** The members of the group should hear of this stream at once. */
  hurry(stream: string, now: Now): void {
    for (const peer of this.#deps.peers(now)) this.#wayOf(peer.url).urgent.add(stream);
    this.#askAll(now);
  }

  tick(now: Now): void {
    this.#askAll(now);
  }

  /** Answers the question of another node of the domain. */
  answer(question: CompareQuestion, now: Now): CompareAnswer | PeerRefusal {
    const { nodeId: id, boot } = this.#deps;
    const reason = this.#askers.refusal(question, { id, boot }, now);
    if (reason)
      return { kind: 'refusal', reason, protocol: peerProtocolVersion, id, boot, version: '' };
    const byGroup = this.#byGroup();
    const streams: TimelineWord[] = [];
    for (const { wantMarks, wantRuns, ...word } of question.streams) {
      const timeline = byGroup.get(word.group);
      if (timeline === undefined) continue;
      timeline.mates.hear(question.from, word, now.monoMs);
      timeline.tick(now);
      streams.push(timeline.word({ marks: wantMarks, runs: wantRuns }, now, word.checks));
    }
    return { kind: 'compared', protocol: peerProtocolVersion, boot, streams };
  }

  #askAll(now: Now): void {
    for (const peer of this.#deps.peers(now))
      if (peer.reachability === 'reachable' && peer.facts !== undefined) this.#ask(peer, now);
  }

  #ask(peer: Peer, now: Now): void {
    const way = this.#wayOf(peer.url);
    const isDue = now.monoMs - way.askedAt >= everyMs;
    if (way.isBusy || !(isDue || way.urgent.size > 0)) return;
    const groups = streamsByGroup(peer.streams);
    const { timelines } = this.#deps;
    const asked = isDue
      ? [...timelines.values()]
      : [...way.urgent].flatMap((name) => timelines.get(name) ?? []);
    const chosen = asked.filter(
      ({ stream, leftAlone }) => leftAlone === undefined && groups.has(stream.group),
    );
    way.urgent.clear();
    if (isDue) way.askedAt = now.monoMs;
    if (chosen.length === 0) return;
    way.isBusy = true;
    void this.#exchange(peer, way, chosen, now).finally(() => {
      way.isBusy = false;
      if (way.urgent.size > 0) this.#ask(peer, this.#deps.clock.now());
    });
  }

  async #exchange(
    peer: Peer,
    way: Way,
    timelines: readonly StreamTimeline[],
    now: Now,
  ): Promise<void> {
    const id = peer.facts?.id ?? '';
    const streams = timelines.map((timeline) => questionOf(timeline, id, now));
    const ask = () => {
      way.seq += 1;
      const { nodeId: from, boot, link } = this.#deps;
      const about = { protocol: peerProtocolVersion, from, boot, seq: way.seq, to: way.boot };
      return link.compare(peer.url, { ...about, streams }, compareMsMax);
    };
    let reply = await ask();
    if (reply.kind === 'refusal' && reply.reason === 'boot') {
      way.boot = reply.boot;
      reply = await ask();
    }
    this.#take(reply, id, streams);
  }

  #take(
    reply: CompareAnswer | PeerRefusal | PeerFault,
    id: string,
    asked: CompareQuestion['streams'],
  ): void {
    if (reply.kind !== 'compared') return;
    const checks = new Map(asked.map((word) => [word.group, word.checks]));
    const now = this.#deps.clock.now();
    const byGroup = this.#byGroup();
    for (const word of reply.streams) {
      const timeline = byGroup.get(word.group);
      timeline?.mates.hear(id, word, now.monoMs);
      timeline?.mates.get(id)?.noteTold(checks.get(word.group) ?? []);
      timeline?.tick(now);
    }
  }

  /** A group that is carried twice is compared by the stream that was opened first. */
  #byGroup(): ReadonlyMap<string, StreamTimeline> {
    const all = [...this.#deps.timelines.values()].reverse();
    return new Map(
      all.flatMap((one) => (one.leftAlone === undefined ? [[one.stream.group, one] as const] : [])),
    );
  }

  #wayOf(url: string): Way {
    const known = this.#ways.get(url);
    if (known !== undefined) return known;
    const way: Way = {
      boot: undefined,
      seq: 0,
      isBusy: false,
      askedAt: Number.NEGATIVE_INFINITY,
      urgent: new Set(),
    };
    this.#ways.set(url, way);
    return way;
  }
}

/** Our word with what we want to know; both sides get marks at once, so that both come to the same proof. */
function questionOf(
  timeline: StreamTimeline,
  id: string,
  now: Now,
): CompareQuestion['streams'][number] {
  const mate = timeline.mates.get(id);
  const isProved = mate?.proof.kind === 'proved';
  const wantMarks = !isProved || now.monoMs - mate.markedAt >= marksEveryMs;
  const wantRuns = mate?.runKey !== undefined && mate.runKey !== timeline.runKey;
  return { ...timeline.word({ marks: wantMarks, runs: false }, now), wantMarks, wantRuns };
}
