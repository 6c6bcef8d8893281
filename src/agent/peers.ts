import type { PeerAnswer, PeerQuestion, PeerRefusal } from '../core/group/exchange.ts';
import { type Peer, peerProtocolVersion } from '../core/group/node.ts';
import { attemptDeadlineMs, excusedMs } from '../core/group/reachability.ts';
import { countRepeat, noRepeats } from '../core/repeats.ts';
import type { MonoMs, Now, UnixMs } from '../core/time.ts';
import { Announcement } from './announcement.ts';
import { Askers } from './askers.ts';
import type { PeerFault } from './peer-ports.ts';
import { PeerRecord } from './peer-record.ts';
import { differs, viewPeers } from './peer-view.ts';
import type { PeersDeps } from './peers-deps.ts';
import { Tellings } from './tellings.ts';

/** Own wall clock steps smaller than this do not make the list of peers new. */
const noticedStepMs = 100;

/** `news`: own version that cannot wait; `confirms`: asked once more when the answer came; `isAgain`: was that. */
type Asking = { readonly isAgain?: boolean; readonly confirms?: boolean; readonly news?: number };

/**
 * What this node believes of its peers: asks each of them every second and answers their questions. Serving reads the
 * list; nothing in it waits for the network. See `docs/peers.md`.
 */
export class Peers {
  readonly #deps: PeersDeps;
  readonly #records: readonly PeerRecord[];
  readonly #announcement = new Announcement();
  readonly #askers = new Askers();
  readonly #tellings: Tellings;
  readonly #listeners = new Set<() => void>();
  #changes = 0;
  #list: readonly Peer[] = [];
  #seq = 0;
  #forged = noRepeats;
  #startedAt: MonoMs = 0;
  /** When the timer should have fired; absent while not running. */
  #plannedAt: MonoMs | undefined;
  #takeBackTimer = () => {};
  /** Until when the list holds although nobody is heard. */
  #holdsUntil: MonoMs = Number.POSITIVE_INFINITY;
  /** Own wall clock minus monotonic clock, as in the list. */
  #baseMs = 0;

  constructor(deps: PeersDeps) {
    this.#deps = deps;
    this.#records = deps.urls.map((url) => new PeerRecord(url));
    this.#tellings = new Tellings(deps.timers);
  }

  /** Asks all peers for the first time, and each second from now on. */
  start(): void {
    const now = this.#deps.clock.now();
    this.#startedAt = now.monoMs;
    this.#plannedAt = now.monoMs;
    this.#tick();
  }

  stop(): void {
    this.#plannedAt = undefined;
    this.#takeBackTimer();
    this.#deps.link.close();
  }

  /**
   * The peers in configured order, this node left out. The array is the same one until something in it changes; within
   * it `facts` and `streams` stay the same objects until they change, while `heardAt` moves every second.
   */
  list(now: Now): readonly Peer[] {
    const isStepped = Math.abs(now.wallMs - now.monoMs - this.#baseMs) > noticedStepMs;
    if (isStepped || now.monoMs > this.#holdsUntil) {
      this.#excusePause(now.monoMs);
      this.#refresh(now);
    }
    return this.#list;
  }

  /** Rises whenever {@link onChange} calls. */
  get changes(): number {
    return this.#changes;
  }

  /** Calls `listener` after a change of anything but times; the answer ends that. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Has every reachable peer take in what this node says of itself now, instead of within a second. Resolves with the
   * node ids of those who have said so, when all have or after 1.9 s.
   */
  tell(): Promise<readonly string[]> {
    this.#announcement.update(this.#deps.self(), this.#deps.ownStreams());
    const news = this.#announcement.version;
    const reachable = this.#records.filter(
      ({ reachability, boot }) => reachability === 'reachable' && boot !== this.#deps.boot,
    );
    const told = this.#tellings.begin(
      news,
      reachable.flatMap(({ facts }) => facts?.id ?? []),
    );
    for (const record of reachable) this.#ask(record, { news });
    return told;
  }

  /** Nodes of the domain that ask this one without being among its peers, the last one to ask first; at most 256. */
  strangers(): readonly { readonly id: string; readonly lastAskedAt: UnixMs }[] {
    const known = this.#records.flatMap(({ facts }) => facts?.id ?? []);
    return this.#askers.strangers(new Set([this.#deps.self().id, ...known]));
  }

  /** Answers a question whose sender is known to hold the cluster secret; `now` is when it came. */
  async answer(question: PeerQuestion, now: Now): Promise<PeerAnswer | PeerRefusal> {
    const facts = this.#deps.self();
    const { boot } = this.#deps;
    const reason = this.#askers.refusal(question, { id: facts.id, boot }, now);
    const { id, version } = facts;
    const protocol = peerProtocolVersion;
    if (reason) return { kind: 'refusal', reason, protocol, id, boot, version };
    this.#tellings.note(question.from, question.since);
    this.#learnNews(question);
    this.#announcement.update(facts, this.#deps.ownStreams());
    const delta = this.#announcement.since(question.since);
    const keys = question.wantKeys ? await this.#deps.wrappedKeys() : undefined;
    const notes = this.#deps.notes?.news(question.notesSince);
    const found = this.#deps.seek?.here(question.sought, now);
    return { kind: 'answer', protocol, boot, at: now.wallMs, ...delta, notes, found, keys };
  }

  #tick(): void {
    const now = this.#deps.clock.now();
    this.#excusePause(now.monoMs);
    for (const record of this.#records) {
      if (record.dueAt() > now.monoMs) continue;
      record.noteAttempt(now.monoMs, this.#startedAt);
      this.#ask(record);
    }
    this.#refresh(now);
    this.#planTick(now.monoMs);
  }

  #planTick(now: MonoMs): void {
    const dueAt = Math.min(this.#holdsUntil + 1, ...this.#records.map((record) => record.dueAt()));
    if (dueAt === Number.POSITIVE_INFINITY) return;
    this.#plannedAt = Math.max(dueAt, now);
    this.#takeBackTimer = this.#deps.timers.after(this.#plannedAt - now, () => this.#tick());
  }

  #excusePause(now: MonoMs): void {
    if (this.#plannedAt === undefined) return;
    const ms = excusedMs(this.#plannedAt, now);
    if (ms === 0) return;
    this.#deps.log.warn('agent was paused', { pausedMs: Math.round(ms) });
    this.#plannedAt = now;
    this.#startedAt += ms;
    for (const record of this.#records) record.excuse(ms);
  }

  /** A peer that has news is asked now, and once more: that tells it that they have come. */
  #learnNews({ boot, news = 0 }: PeerQuestion): void {
    const record = this.#records.find((known) => known.boot === boot);
    if (record !== undefined && boot !== this.#deps.boot && record.version < news)
      this.#ask(record, { confirms: true });
  }

  /** Asks once; and once more at once if the reply says that there is a point in it. */
  #ask(record: PeerRecord, { isAgain = false, confirms = false, news }: Asking = {}): void {
    const self = this.#deps.self();
    this.#seq += 1;
    const question = {
      protocol: peerProtocolVersion,
      from: self.id,
      boot: this.#deps.boot,
      seq: this.#seq,
      ...(record.boot !== undefined && { to: record.boot }),
      since: record.version,
      wantKeys: this.#deps.lacksKeys(record.facts?.keys ?? []),
      notesSince: record.notesVersion,
      ...(news !== undefined && { news }),
      ...this.#deps.seek?.question(),
    };
    const sentAt = this.#deps.clock.now().monoMs;
    void this.#deps.link
      .ask(record.url, question, attemptDeadlineMs)
      .then((reply) => this.#took(record, reply, { question, sentAt, isAgain, confirms }));
  }

  #took(
    record: PeerRecord,
    reply: PeerAnswer | PeerRefusal | PeerFault,
    asked: { question: PeerQuestion; sentAt: MonoMs; isAgain: boolean; confirms: boolean },
  ): void {
    if (this.#plannedAt === undefined) return;
    const now = this.#deps.clock.now();
    this.#excusePause(now.monoMs);
    if (reply.kind === 'fault' && reply.cause === 'unauthenticated') this.#noteForged(record, now);
    const { again } = record.take(reply, asked, now.monoMs);
    const mayAsk = reply.kind === 'answer' || !asked.isAgain;
    const isOther = record.boot !== this.#deps.boot;
    if (isOther && ((again && mayAsk) || (asked.confirms && reply.kind === 'answer')))
      this.#ask(record, { isAgain: true });
    if (reply.kind === 'answer' && reply.notes !== undefined && isOther)
      this.#deps.notes?.learn(record.url, reply.notes);
    if (reply.kind === 'answer' && reply.found !== undefined && record.facts && isOther)
      this.#deps.seek?.learn(record.facts.id, reply.found, now);
    if (reply.kind === 'answer' && reply.keys) this.#absorb(record, reply.keys);
    this.#refresh(now);
  }

  #absorb(record: PeerRecord, wrapped: string): void {
    this.#deps.absorbKeys(wrapped).catch((error: unknown) => {
      this.#deps.log.warn('viewing keys of a peer not taken', {
        peer: record.url,
        cause: String(error),
      });
    });
  }
  #noteForged({ url }: PeerRecord, now: Now): void {
    const { repeats, tell } = countRepeat(this.#forged, now.monoMs);
    this.#forged = repeats;
    if (tell) this.#deps.log.warn('peer answer not authentic', { peer: url, count: tell });
  }

  /** Makes the list anew and tells what changed in it. */
  #refresh(now: Now): void {
    const earlier = this.#list;
    const self = { id: this.#deps.self().id, boot: this.#deps.boot };
    const view = viewPeers(this.#records, earlier, { self, now, startedAt: this.#startedAt });
    this.#holdsUntil = view.holdsUntil;
    this.#baseMs = now.wallMs - now.monoMs;
    if (view.peers === earlier) return;
    this.#list = view.peers;
    const known = new Map(earlier.map((peer) => [peer.url, peer]));
    const changed = view.peers.filter((peer) => differs(peer, known.get(peer.url)));
    for (const peer of changed) this.#logTransition(peer, known.get(peer.url));
    if (changed.length === 0 && view.peers.length === earlier.length) return;
    this.#changes += 1;
    for (const listener of this.#listeners) listener();
  }

  #logTransition(peer: Peer, earlier: Peer | undefined): void {
    if (peer.reachability === (earlier?.reachability ?? 'unknown')) return;
    const level = peer.reachability === 'reachable' ? 'info' : 'warn';
    const { url, facts, fault } = peer;
    this.#deps.log[level](`peer ${peer.reachability}`, { peer: url, id: facts?.id, fault });
  }
}
