import { readSegmentList } from '../../core/archive/segment-list.ts';
import type { MonoMs, Now } from '../../core/time.ts';
import type { ArchiveBlock } from '../archive-ports.ts';
import type { OpenOrigin, Origin } from '../ports.ts';

/** A peer's list has to be here within this time: a viewer waits for it. */
const listMsMax = 1_000;
/** Longest list, bytes: a week of segments of 4 s. */
const listBytesMax = 16 * 1024 * 1024;
/** A segment has to be here within this time: nobody waits for it. */
const segmentMsMax = 10_000;
const segmentBytesMax = 64 * 1024 * 1024;
/** A list that was read is good for this long: what it says was recorded before it was asked for. */
const keptMsMax = 60_000;
/** A peer that did not answer is not asked for the same again for this long. */
const faultMsMax = 2_000;
/** Segments of all lists that are kept; the list unused for longest goes first. */
const segmentsMax = 200_000;
/** Peers' addresses with connections; the one unused for longest is closed. */
const originsMax = 64;

type Kept = { readonly list: Promise<ArchiveBlock | undefined>; readonly at: MonoMs; size: number };

/** Asks other nodes which segments they have, each question once for everybody who waits for it. */
export class PeerSegments {
  readonly #openOrigin: OpenOrigin;
  readonly #origins = new Map<string, Origin>();
  readonly #kept = new Map<string, Kept>();
  #size = 0;

  constructor(openOrigin: OpenOrigin) {
    this.#openOrigin = openOrigin;
  }

  /** The list at `url`, below a node's announced address `base`; undefined when it does not come in time. */
  list(base: string, url: string, now: Now): Promise<ArchiveBlock | undefined> {
    const known = this.#kept.get(url);
    if (known !== undefined && now.monoMs - known.at <= (known.size < 0 ? faultMsMax : keptMsMax)) {
      this.#kept.delete(url);
      this.#kept.set(url, known);
      return known.list;
    }
    this.#forget(url);
    const kept: Kept = { list: this.#read(base, url), at: now.monoMs, size: 0 };
    this.#kept.set(url, kept);
    void kept.list.then((list) => this.#took(url, kept, list));
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

  async #read(base: string, url: string): Promise<ArchiveBlock | undefined> {
    const found = await this.#originOf(base).read(url, {
      deadlineMs: listMsMax,
      bytesMax: listBytesMax,
    });
    if (found.kind === 'fault') return undefined;
    return readSegmentList(new TextDecoder().decode(found.bytes));
  }

  #took(url: string, kept: Kept, list: ArchiveBlock | undefined): void {
    if (this.#kept.get(url) !== kept) return;
    kept.size = list?.length ?? -1;
    this.#size += Math.max(kept.size, 0);
    for (const oldest of this.#kept.keys()) {
      if (this.#size <= segmentsMax || oldest === url) break;
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
