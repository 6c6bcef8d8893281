import { isToLeave } from '../../core/placement/drain.ts';
import type { MonoMs } from '../../core/time.ts';
import { RecentSet } from '../recent-set.ts';
import type { Repeat, Report, Word } from '../worker-ports.ts';

/** Questions that are remembered, and sessions called over, in each of two turns. */
const questionsMax = 50_000;
/** Who has not asked for once to twice this time is passed on: sessions live for 3 minutes after their last request, ms. */
const turnMs = 60_000;
/** Age of the latest word beyond which nothing is repeated, ms. */
const wordAgeMsMax = 1_000;
/** Reports that were not taken yet beyond which nothing is repeated. */
const untakenMax = 8;
/** Sessions in one report; then the next one is due. */
const reportedMax = 2_000;

/** What was served, as it goes to anybody; without the reason, which is one viewer's. */
export type Body = {
  readonly kind: 'playlist' | 'file';
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Uint8Array;
};

/** What may be answered at once. */
export type Known = Body & { readonly reason: string; readonly who?: string | undefined };

/** Whose it is and what it is about. */
type Question = Omit<Repeat, 'seq'> & { readonly what: string; readonly reason: string };

/**
 * What one worker may answer by itself: bodies by what they are, questions by their text. `at` is a reading of the clock that it
 * shares with the main process, ms.
 */
export class Repertoire {
  readonly #bytesMax: number;
  readonly #bodies = new Map<string, Body>();
  #bytes = 0;
  #young = new Map<string, Question>();
  #old = new Map<string, Question>();
  /** Called over: outlives all questions that were known then. */
  readonly #overs = new RecentSet(questionsMax);
  #oversCount = 0;
  #turnedAt: MonoMs = 0;
  #word: { readonly seq: number; readonly sentAt: MonoMs; readonly move?: Word['move'] };
  #reports = 0;
  #taken = 0;
  #seen = new Map<string, readonly [string, string, string?]>();
  #sent = new Map<string, number>();
  #answered = new Map<string, ['playlist' | 'file', string, number]>();

  constructor(options: { readonly bytesMax: number; readonly seq: number }) {
    this.#bytesMax = options.bytesMax;
    this.#word = { seq: options.seq, sentAt: Number.NEGATIVE_INFINITY };
  }

  /** What a question is answered with; undefined: it is to be passed on. Who gets it is noted as seen. */
  find(question: string, at: MonoMs): Known | undefined {
    if (!this.#mayRepeat(at)) return undefined;
    const known = this.#young.get(question) ?? this.#again(question);
    const body = known && this.#bodies.get(known.what);
    if (known === undefined || body === undefined) return undefined;
    if (known.who !== undefined && !this.#see(question, known, at)) return undefined;
    this.#count(body.kind, known.reason);
    // Spreading what is known costs more than all the rest of this.
    const { kind, headers, bytes } = body;
    return { kind, headers, bytes, reason: known.reason, who: known.who };
  }

  /** Remembers an answer of the main process, if nothing was called over since. */
  keep(question: string, { seq, ...repeat }: Repeat, answer: Body & { reason: string }): void {
    const { what } = repeat;
    const { reason, ...body } = answer;
    if (seq !== this.#word.seq || what === undefined || body.bytes.length > this.#bytesMax) return;
    this.#drop(what);
    this.#bodies.set(what, body);
    this.#bytes += body.bytes.length;
    for (const [oldest] of this.#bodies) {
      if (this.#bytes <= this.#bytesMax) break;
      this.#drop(oldest);
    }
    for (const name of [repeat.who, repeat.alias]) if (name !== undefined) this.#overs.delete(name);
    this.#remember(question, { ...repeat, what, reason });
  }

  /** The main process has said something; `taken` of the reports had been taken in by then. */
  hear({ seq, over, move }: Word, taken: number, sentAt: MonoMs): void {
    this.#word = { seq, sentAt, move };
    this.#taken = taken;
    if (over.all) {
      for (const what of this.#bodies.keys()) this.#drop(what);
      this.#turn();
      this.#turn();
    }
    for (const what of over.what) this.#drop(what);
    for (const who of over.who) {
      if (this.#oversCount >= questionsMax) this.#turn();
      this.#oversCount += 1;
      this.#overs.add(who);
    }
  }

  /** Notes what was sent to a session. */
  addBytes(who: string, bytes: number): void {
    if (bytes === 0) return;
    this.#sent.set(who, (this.#sent.get(who) ?? 0) + bytes);
  }

  /** Whether the next report should not wait. */
  get isFull(): boolean {
    return this.#seen.size >= reportedMax || this.#sent.size >= reportedMax;
  }

  /** What has been answered since the last report. */
  report(at: MonoMs): Report {
    if (at - this.#turnedAt >= turnMs) {
      this.#turnedAt = at;
      this.#turn();
    }
    const seen = [...this.#seen.values()];
    const sent = [...this.#sent];
    const answered = [...this.#answered.values()];
    this.#seen = new Map();
    this.#sent = new Map();
    this.#answered = new Map();
    this.#reports += 1;
    return { seen, sent, answered };
  }

  #mayRepeat(at: MonoMs): boolean {
    return (
      at - this.#word.sentAt <= wordAgeMsMax &&
      this.#reports - this.#taken <= untakenMax &&
      !this.isFull
    );
  }

  /** False for a viewer who is to be passed on. */
  #see(question: string, known: Question, at: MonoMs): boolean {
    const { who = '', stream = '', viewerKey } = known;
    if (this.#isOver(known)) {
      this.#young.delete(question);
      return false;
    }
    if (this.#isLeaving(who, at)) return false;
    if (!this.#seen.has(who))
      this.#seen.set(who, viewerKey === undefined ? [who, stream] : [who, stream, viewerKey]);
    return true;
  }

  #again(question: string): Question | undefined {
    const known = this.#old.get(question);
    if (known === undefined) return undefined;
    this.#old.delete(question);
    this.#remember(question, known);
    return known;
  }

  #remember(question: string, known: Question): void {
    if (this.#young.size >= questionsMax) this.#turn();
    this.#young.set(question, known);
  }

  #isOver({ who = '', alias = who }: Question): boolean {
    return this.#overs.has(who) || this.#overs.has(alias);
  }

  /** Viewers are moved off the node one after the other: whose moment has come is passed on. */
  #isLeaving(who: string, at: MonoMs): boolean {
    const { move, sentAt } = this.#word;
    return (
      move !== undefined &&
      isToLeave({ startedAt: sentAt - move.ageMs, overMs: move.overMs }, who, at)
    );
  }

  #count(kind: 'playlist' | 'file', reason: string): void {
    const counted = this.#answered.get(`${kind} ${reason}`);
    if (counted === undefined) this.#answered.set(`${kind} ${reason}`, [kind, reason, 1]);
    else counted[2] += 1;
  }

  #drop(what: string): void {
    const body = this.#bodies.get(what);
    if (body === undefined) return;
    this.#bodies.delete(what);
    this.#bytes -= body.bytes.length;
  }

  /** Forgets questions that nobody asked in the turn before; what was called over, not before these. */
  #turn(): void {
    this.#old = this.#young;
    this.#young = new Map();
    this.#overs.turn();
    this.#oversCount = 0;
  }
}
