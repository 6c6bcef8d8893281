import { addReading, type ClockReading } from '../core/group/clock-offset.ts';
import type { PeerAnswer, PeerQuestion, PeerRefusal } from '../core/group/exchange.ts';
import { type NodeFacts, peerProtocolVersion, type Reachability } from '../core/group/node.ts';
import { afterAttempt, nextAttemptAt, type Turn } from '../core/group/reachability.ts';
import type { StreamFacts } from '../core/stream/stream.ts';
import type { MonoMs } from '../core/time.ts';
import type { PeerFault } from './peer-ports.ts';

const refusalTexts = {
  boot: 'the node could not be told apart from an earlier life of it',
  replayed: 'refused: the question came after a later one',
  superseded: 'refused: another agent with the node id of this one was started later',
  'same-id': 'refused: the node has the same node id as this one',
} as const;

/** Streams kept of one peer; what it says of further ones is not taken in. */
const streamsMax = 10_000;

/** Everything learned from one configured address. Facts and streams outlive the peer until others replace them. */
export class PeerRecord {
  readonly url: string;
  reachability: Reachability = 'unknown';
  boot: string | undefined;
  bootSeenAt: MonoMs = 0;
  heardAt: MonoMs | undefined;
  fault: string | undefined;
  facts: NodeFacts | undefined;
  readings: readonly ClockReading[] = [];
  /** Replaced, never changed. */
  streams: ReadonlyMap<string, StreamFacts> = new Map();
  /** What is known of `boot`, in its versions. */
  version = 0;
  /** Likewise of single sessions there. */
  notesVersion = 0;
  #turn: Turn | undefined;
  /** Question whose answer was taken in last. */
  #takenSeq = 0;

  constructor(url: string) {
    this.url = url;
  }

  /** When the next question is due; at once if there was none. */
  dueAt(): MonoMs {
    return this.#turn ? nextAttemptAt(this.#turn, this.reachability) : 0;
  }

  noteAttempt(now: MonoMs, startedAt: MonoMs): void {
    this.#turn = afterAttempt(this.#turn, now, startedAt);
  }

  /** Makes `ms` of silence uncounted: this process was paused. */
  excuse(ms: number): void {
    if (this.heardAt !== undefined) this.heardAt += ms;
  }

  /** Takes in what a question brought. `again` if asking at once makes sense. */
  take(
    reply: PeerAnswer | PeerRefusal | PeerFault,
    asked: { readonly question: PeerQuestion; readonly sentAt: MonoMs },
    now: MonoMs,
  ): { readonly again: boolean } {
    if (asked.question.to !== this.boot) return { again: false };
    if (reply.kind === 'answer') return this.#answered(reply, asked, now);
    if (reply.kind === 'refusal') return this.#refused(reply, asked, now);
    this.#failed(reply.text, asked.sentAt);
    return { again: false };
  }

  #answered(
    answer: PeerAnswer,
    { question, sentAt }: { readonly question: PeerQuestion; readonly sentAt: MonoMs },
    now: MonoMs,
  ): { readonly again: boolean } {
    this.readings = addReading(this.readings, { at: answer.at, sentAt, receivedAt: now });
    this.#heard(now);
    this.fault = undefined;
    if (question.seq <= this.#takenSeq) return { again: false };
    this.#takenSeq = question.seq;
    const isProgress = answer.version > this.version;
    this.version = answer.version;
    this.facts = answer.facts ?? this.facts;
    this.#foldStreams(answer);
    return { again: (answer.more && isProgress) || this.#hasMoreNotes(answer) };
  }

  #hasMoreNotes({ notes }: PeerAnswer): boolean {
    if (notes === undefined) return false;
    const isProgress = notes.version > this.notesVersion;
    this.notesVersion = notes.version;
    return notes.more && isProgress;
  }

  #foldStreams({ full, streams, removed }: PeerAnswer): void {
    if (!full && streams.length === 0 && removed.length === 0) return;
    const next = new Map(full ? [] : this.streams);
    for (const name of removed) next.delete(name);
    for (const stream of streams) {
      if (next.size < streamsMax || next.has(stream.name)) next.set(stream.name, stream);
    }
    this.streams = next;
  }

  #refused(
    refusal: PeerRefusal,
    { question, sentAt }: { readonly question: PeerQuestion; readonly sentAt: MonoMs },
    now: MonoMs,
  ): { readonly again: boolean } {
    if (refusal.reason === 'protocol') {
      this.#meet(refusal.boot, now);
      this.#heard(now);
      this.facts = foreignFacts(refusal);
      this.streams = new Map();
      this.fault = `speaks version ${refusal.protocol} of the peer protocol, this node ${peerProtocolVersion}`;
      return { again: false };
    }
    if (refusal.reason === 'boot' && refusal.boot !== question.to) {
      this.#meet(refusal.boot, now);
      return { again: true };
    }
    this.#failed(refusalTexts[refusal.reason], sentAt);
    return { again: false };
  }

  #meet(boot: string, now: MonoMs): void {
    if (boot === this.boot) return;
    this.boot = boot;
    this.bootSeenAt = now;
    this.version = 0;
    this.notesVersion = 0;
    this.readings = [];
  }

  #heard(now: MonoMs): void {
    this.heardAt = now;
    if (this.#turn) this.#turn = { ...this.#turn, answered: true };
  }

  /** A question that was lost while a later one was answered says nothing. */
  #failed(fault: string, sentAt: MonoMs): void {
    if (this.heardAt === undefined || sentAt > this.heardAt) this.fault = fault;
  }
}

/** What can be shown of a node of another protocol version; nothing in it invites to use it. */
function foreignFacts({ id, protocol, version }: PeerRefusal): NodeFacts {
  return {
    id,
    protocol,
    version,
    addresses: [],
    draining: false,
    overloaded: false,
    atBackupLimit: false,
    weight: 0,
    ownSessions: 0,
    backupSessions: 0,
    keys: [],
    passTtlS: 0,
  };
}
