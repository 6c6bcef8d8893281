import { addToCoverage, type Coverage, trimCoverage } from '../../core/archive/coverage.ts';
import { mergeRanges, spanOf, subtractRanges, type TimeRange } from '../../core/archive/ranges.ts';
import { type Container, containers } from '../../core/stream/stream.ts';
import type { UnixMs } from '../../core/time.ts';
import type { CoverageStore } from '../archive-ports.ts';

const nothing: readonly TimeRange[] = [];

/**
 * What is recorded here of each stream, in memory and in the store: the one writer. What a method was given is kept when
 * it returns. Reading never touches the store.
 */
export class Coverages {
  readonly #store: CoverageStore;
  readonly #kept = new Map<string, Map<Container, readonly TimeRange[]>>();
  /** What takes back, last first, what was done at once so far; undefined while nothing is. */
  #undo: (() => void)[] | undefined;
  #version = 0;

  /** @throws store_failed */
  constructor(store: CoverageStore) {
    this.#store = store;
    for (const { stream, container, ranges } of store.list()) this.#set(stream, container, ranges);
  }

  /** Rises with every change. */
  get version(): number {
    return this.#version;
  }

  /** Sorted ranges further apart than the join tolerance; the same array until they change. */
  ranges(stream: string, container: Container): readonly TimeRange[] {
    return this.#kept.get(stream)?.get(container) ?? nothing;
  }

  /** What is recorded of a stream, by container; only those of which something is. */
  of(stream: string): readonly Coverage[] {
    return containers.flatMap((container) => {
      const ranges = this.ranges(stream, container);
      return ranges.length === 0 ? [] : [{ stream, container, ranges }];
    });
  }

  /** Streams of which anything is known. */
  streams(): readonly string[] {
    return [...this.#kept.keys()];
  }

  /** Notes that `more` is recorded, too. @throws store_failed */
  add(stream: string, container: Container, more: readonly TimeRange[]): void {
    this.#change(stream, container, addToCoverage(this.ranges(stream, container), more));
  }

  /** Puts `ranges` in place of all that was known. @throws store_failed */
  replace(stream: string, container: Container, ranges: readonly TimeRange[]): void {
    this.#change(stream, container, addToCoverage([], ranges));
  }

  /** Notes that `gone` is not recorded any more. @throws store_failed */
  subtract(stream: string, container: Container, gone: readonly TimeRange[]): void {
    const left = subtractRanges(this.ranges(stream, container), mergeRanges(gone));
    this.#change(stream, container, left);
  }

  /** Forgets everything before `beforeMs`. @throws store_failed */
  trim(stream: string, container: Container, beforeMs: UnixMs): void {
    this.#change(stream, container, trimCoverage(this.ranges(stream, container), beforeMs));
  }

  /** Forgets a stream. @throws store_failed */
  remove(stream: string): void {
    const before = this.#kept.get(stream);
    if (before === undefined) return;
    this.#store.remove(stream);
    this.#kept.delete(stream);
    this.#version += 1;
    this.#undo?.push(() => this.#kept.set(stream, before));
  }

  /** All that `work` changes, of whatever streams, is written at once: all of it, or where it fails nothing. @throws store_failed */
  atOnce(work: () => void): void {
    const undo: (() => void)[] = [];
    this.#undo = undo;
    try {
      this.#store.atOnce(work);
    } catch (error) {
      for (const takeBack of undo.reverse()) takeBack();
      this.#version += 1;
      throw error;
    } finally {
      this.#undo = undefined;
    }
  }

  /** Stores only what differs: ranges at both ends that stayed are not written again. */
  #change(stream: string, container: Container, after: readonly TimeRange[]): void {
    const before = this.ranges(stream, container);
    const kept = samePrefix(before, after);
    const keptBehind = samePrefix(before.slice(kept).reverse(), after.slice(kept).reverse());
    const gone = before.slice(kept, before.length - keptBehind);
    const come = after.slice(kept, after.length - keptBehind);
    const span = spanOf(mergeRanges([...gone, ...come]));
    if (span === undefined) return;
    this.#store.rewrite(stream, container, span, come);
    this.#set(stream, container, after);
    this.#version += 1;
    this.#undo?.push(() => this.#set(stream, container, before));
  }

  #set(stream: string, container: Container, ranges: readonly TimeRange[]): void {
    const kept = this.#kept.get(stream) ?? new Map<Container, readonly TimeRange[]>();
    kept.set(container, ranges);
    this.#kept.set(stream, kept);
  }
}

/** How many ranges two lists have in common at their beginnings. */
function samePrefix(a: readonly TimeRange[], b: readonly TimeRange[]): number {
  const shorter = Math.min(a.length, b.length);
  let at = 0;
  while (at < shorter && a[at]?.startMs === b[at]?.startMs && a[at]?.endMs === b[at]?.endMs)
    at += 1;
  return at;
}
