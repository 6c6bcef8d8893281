import { settledMs } from '../../core/archive/listed-periods.ts';
import { type Period, periodName } from '../../core/archive/period.ts';
import { readSegmentList, renewedList } from '../../core/archive/segment-list.ts';
import type { MonoMs, Now } from '../../core/time.ts';
import type { ArchiveBlock } from '../archive-ports.ts';
import type { OpenOrigin, Origin } from '../ports.ts';

/** A peer's list has to be here within this time: a viewer waits for it, who would lack the piece for good without. */
const listMsMax = 3_000;
/** Longest list, bytes: a day of segments of a second. */
const listBytesMax = 8 * 1024 * 1024;
/** A segment has to be here within this time: nobody waits for it. */
const segmentMsMax = 10_000;
const segmentBytesMax = 64 * 1024 * 1024;
/** A list of what is settled is good for this long; what it lacks may be refilled. */
const keptMsMax = 60_000;
/** A list of what still grows is good for this long, and a peer that did not answer is not asked again before. */
const grownKeptMsMax = 2_000;
/** A list that is good no more is kept for this long in all: where it comes again as it was, it stays the same one. */
const oldMsMax = 300_000;
/** Lists that are kept, faults and empty ones included. */
const listsMax = 1_000;
/** Segments of all lists that are kept; the list unused for longest goes first. */
const segmentsMax = 200_000;
/** Lists that are read at once: a week of seven peers. A further one counts as not answered. */
const readsMax = 64;
/** Peers' addresses with connections; the one unused for longest is closed. */
const originsMax = 64;

/** Which list is asked for. */
export type ListQuestion = {
  /** A node's announced address. */
  readonly base: string;
  /** The recorded rung there, below `base`; ends with `/`. */
  readonly folder: string;
  readonly period: Period;
  /** Issues the pass that the node is shown; undefined where none can be issued now. */
  readonly pass: () => string | undefined;
};

type Kept = {
  readonly list: Promise<ArchiveBlock | undefined>;
  readonly at: MonoMs;
  readonly isSettled: boolean;
  /** Segments; below 0 as long as there is no list. */
  size: number;
};

/** Asks other nodes which segments they have, each question once for everybody who waits for it. */
export class PeerSegments {
  readonly #openOrigin: OpenOrigin;
  readonly #origins = new Map<string, Origin>();
  /** By address without pass, the one unused for longest first. */
  readonly #kept = new Map<string, Kept>();
  #size = 0;
  #reads = 0;

  constructor(openOrigin: OpenOrigin) {
    this.#openOrigin = openOrigin;
  }

  /** The list of a period; undefined when it does not come in time. */
  list(question: ListQuestion, now: Now): Promise<ArchiveBlock | undefined> {
    const { folder, period } = question;
    const url = `${folder}${periodName(period)}.json`;
    const known = this.#kept.get(url);
    if (known !== undefined && isGood(known, now)) {
      this.#kept.delete(url);
      this.#kept.set(url, known);
      return known.list;
    }
    this.#forget(url);
    if (this.#reads >= readsMax) return Promise.resolve(undefined);
    const isSettled = period.endMs <= now.wallMs - settledMs;
    const list = this.#read(question, url, known?.list);
    const kept: Kept = { list, at: now.monoMs, isSettled, size: -1 };
    this.#kept.set(url, kept);
    this.#makeRoom(url, now);
    void kept.list.then((list) => this.#took(url, kept, list, now));
    return kept.list;
  }

  /** A segment at `url`, whole; undefined when it does not come. */
  async segment(base: string, url: string): Promise<Uint8Array | undefined> {
    const limits = { deadlineMs: segmentMsMax, bytesMax: segmentBytesMax };
    const found = await this.#originOf(base).read(url, limits);
    return found.kind === 'body' ? found.bytes : undefined;
  }

  close(): void {
    for (const origin of this.#origins.values()) origin.close();
    this.#origins.clear();
    this.#kept.clear();
    this.#size = 0;
  }

  async #read(
    { base, pass }: ListQuestion,
    url: string,
    before: Promise<ArchiveBlock | undefined> | undefined,
  ): Promise<ArchiveBlock | undefined> {
    this.#reads += 1;
    try {
      const shown = pass();
      const query = shown === undefined ? '' : `?pass=${shown}`;
      const limits = { deadlineMs: listMsMax, bytesMax: listBytesMax };
      const found = await this.#originOf(base).read(url + query, limits);
      if (found.kind === 'fault') return undefined;
      const list = readSegmentList(new TextDecoder().decode(found.bytes));
      return list && renewedList((await before) ?? [], list);
    } catch {
      // No pass could be signed.
      return undefined;
    } finally {
      this.#reads -= 1;
    }
  }

  #took(url: string, kept: Kept, list: ArchiveBlock | undefined, now: Now): void {
    if (this.#kept.get(url) !== kept) return;
    kept.size = list?.length ?? -1;
    this.#size += Math.max(kept.size, 0);
    this.#makeRoom(url, now);
  }

  /** Lets go of what has long been good no more, and of the lists unused for longest; never of the one at `url`. */
  #makeRoom(url: string, now: Now): void {
    for (const [other, kept] of this.#kept)
      if (other !== url && now.monoMs - kept.at > oldMsMax) this.#forget(other);
    for (const oldest of this.#kept.keys()) {
      const fits = this.#size <= segmentsMax && this.#kept.size <= listsMax;
      if (fits || oldest === url) break;
      this.#forget(oldest);
    }
  }

  #forget(url: string): void {
    this.#size -= Math.max(this.#kept.get(url)?.size ?? 0, 0);
    this.#kept.delete(url);
  }

  #originOf(base: string): Origin {
    const origin = this.#origins.get(base) ?? this.#openOrigin(`${base}index.m3u8`);
    this.#origins.delete(base);
    this.#origins.set(base, origin);
    const [oldest] = this.#origins;
    if (this.#origins.size > originsMax && oldest !== undefined) {
      oldest[1].close();
      this.#origins.delete(oldest[0]);
    }
    return origin;
  }
}

function isGood({ at, isSettled, size }: Kept, now: Now): boolean {
  return now.monoMs - at <= (isSettled && size >= 0 ? keptMsMax : grownKeptMsMax);
}
