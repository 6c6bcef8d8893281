import type { PeerAnswer } from '../core/group/exchange.ts';
import type { NodeFacts } from '../core/group/node.ts';
import type { StreamFacts } from '../core/stream/stream.ts';

/** Streams in one answer; the asker comes back for more. */
const streamsPerAnswerMax = 500;

/** Text of the streams in one answer, characters: what is recorded may make it long. At least one stream is told. */
const textLengthMax = 2_000_000;

/** Names of removed streams that are remembered; an asker that knows less is told everything. */
const removedMax = 1_000;

/** The part of an answer that depends on what the asker knows. */
type Delta = Pick<PeerAnswer, 'version' | 'facts' | 'full' | 'more' | 'streams' | 'removed'>;

/** A stream as announced last, or that it was removed. */
type Entry = { readonly version: number; readonly text?: string; readonly facts?: StreamFacts };

/**
 * What this node tells of itself, with a version for every change, so that peers are told only what they do not know.
 * Versions begin at 1 with each boot and are given out one per change.
 */
export class Announcement {
  /** By stream name, in the order of their versions. */
  readonly #entries = new Map<string, Entry>();
  #version = 0;
  #node: { text: string; version: number; facts: NodeFacts } | undefined;
  #source: number | undefined;
  #removed = 0;
  /** Who knows less than this may have missed a removal. */
  #completeSince = 0;

  /** Takes the present facts in; streams are compared only when their own version changed. */
  update(facts: NodeFacts, own: { version: number; facts: readonly StreamFacts[] }): void {
    const text = JSON.stringify(facts);
    if (text !== this.#node?.text) this.#node = { text, facts, version: this.#next() };
    if (own.version === this.#source) return;
    this.#source = own.version;
    for (const stream of own.facts) this.#put(stream);
    const names = new Set(own.facts.map(({ name }) => name));
    for (const [name, entry] of this.#entries) {
      if (entry.facts && !names.has(name)) this.#remove(name);
    }
    this.#forgetRemoved();
  }

  /** Of what was taken in last. */
  get version(): number {
    return this.#version;
  }

  /** What changed after version `since`; everything for 0 or when that cannot be told. At most 500 streams. */
  since(since: number): Delta {
    const full = since === 0 || since < this.#completeSince || since > this.#version;
    const from = full ? 0 : since;
    const node = this.#node && this.#node.version > from ? this.#node.facts : undefined;
    const news = from === this.#version ? [] : this.#newerThan(from, full);
    const told = news.slice(0, countOf(news));
    const more = told.length < news.length;
    return {
      version: more ? (told.at(-1)?.[1].version ?? from) : this.#version,
      ...(node && { facts: node }),
      full,
      more,
      streams: told.flatMap(([, { facts }]) => facts ?? []),
      removed: told.flatMap(([name, { facts }]) => (facts ? [] : [name])),
    };
  }

  #newerThan(from: number, full: boolean): readonly (readonly [string, Entry])[] {
    return [...this.#entries].filter(
      ([, { version, facts }]) => version > from && (facts !== undefined || !full),
    );
  }

  #next(): number {
    this.#version += 1;
    return this.#version;
  }

  #put(facts: StreamFacts): void {
    const known = this.#entries.get(facts.name);
    if (known?.facts === facts) return;
    const text = JSON.stringify(facts);
    if (known?.text === text) return;
    if (known && !known.facts) this.#removed -= 1;
    this.#entries.delete(facts.name);
    this.#entries.set(facts.name, { version: this.#next(), text, facts });
  }

  #remove(name: string): void {
    this.#entries.delete(name);
    this.#entries.set(name, { version: this.#next() });
    this.#removed += 1;
  }

  #forgetRemoved(): void {
    for (const [name, { facts, version }] of this.#entries) {
      if (this.#removed <= removedMax) return;
      if (facts) continue;
      this.#entries.delete(name);
      this.#removed -= 1;
      this.#completeSince = version;
    }
  }
}

/** How many of them go into one answer. */
function countOf(news: readonly (readonly [string, Entry])[]): number {
  let length = 0;
  for (const [at, [, { text = '' }]] of news.entries()) {
    length += text.length;
    if (at === streamsPerAnswerMax || (at > 0 && length > textLengthMax)) return at;
  }
  return news.length;
}
