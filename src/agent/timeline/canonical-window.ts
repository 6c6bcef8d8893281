import { ticksPerSecond } from '../../core/media/units.ts';
import type { MonoMs } from '../../core/time.ts';
import type { CanonicalSegment } from '../../core/timeline/cutter.ts';
import { listable, writeCanonicalPlaylist } from '../../core/timeline/playlist-text.ts';
import type { TimelineRun } from '../../core/timeline/run.ts';
import { WindowMemory } from './window-memory.ts';

/** A segment that viewers get. */
export type PublishedSegment = Omit<CanonicalSegment, 'damagedUnits'> & {
  /** Nothing was sent in its window: it has no bytes. */
  readonly isGap: boolean;
  readonly checksum: string;
  readonly run: TimelineRun;
  readonly tags: readonly string[];
  readonly publishedAt: MonoMs;
};

/** Length of the live window: twenty seconds of segments, six of them at least; six where memory is short. */
const windowTicksUsual = 20 * ticksPerSecond;
const windowSegmentsMin = 6;
/** A window shorter than this is not offered: players begin three segments behind its end (RFC 8216 6.3.3). */
const wholeSegmentsMin = 3;

/**
 * The canonical segments of one rung that viewers may ask for; those that left the window stay as long again. Segments of
 * a run that is not settled wait behind them, unseen.
 */
export class CanonicalWindow {
  readonly #prefix: string;
  readonly #memory: WindowMemory;
  #bytes = 0;
  #isOffered = false;
  #waiting: readonly PublishedSegment[] = [];
  #kept: readonly PublishedSegment[] = [];
  #listed: readonly PublishedSegment[] = [];
  #playlist: Uint8Array | undefined;

  /** `prefix` stands before each segment's name in the playlist. */
  constructor(prefix: string, memory = new WindowMemory()) {
    this.#prefix = prefix;
    this.#memory = memory;
  }

  /** Of all that is kept. */
  get bytes(): number {
    return this.#bytes;
  }

  get listed(): readonly PublishedSegment[] {
    return this.#listed;
  }

  /** What other members are told of: also what viewers do not get yet. */
  get told(): readonly PublishedSegment[] {
    return [...this.#listed, ...this.#waiting];
  }

  /** Runs of which segments are listed, each once. */
  get runs(): readonly TimelineRun[] {
    return [...new Set(this.#listed.map(({ run }) => run))];
  }

  /** Newest that viewers get. */
  get newest(): PublishedSegment | undefined {
    return this.#kept.at(-1);
  }

  get isWhole(): boolean {
    return this.#listed.length >= wholeSegmentsMin;
  }

  /** Seconds, of the playlist. */
  get targetDurationS(): number {
    return Math.max(0, ...this.#listed.map(({ run }) => run.targetDurationS));
  }

  /** The media playlist; the same bytes until a segment is added. Undefined for an empty window. */
  get playlist(): Uint8Array | undefined {
    if (this.#listed.length > 0)
      this.#playlist ??= new TextEncoder().encode(
        writeCanonicalPlaylist(this.#listed, this.#prefix),
      );
    return this.#playlist;
  }

  get(number: number): PublishedSegment | undefined {
    return this.#kept.find((segment) => segment.number === number && !segment.isGap);
  }

  /** A segment for other members. */
  find(number: number): PublishedSegment | undefined {
    return [...this.#kept, ...this.#waiting].findLast((segment) => segment.number === number);
  }

  add(segment: PublishedSegment): void {
    if (this.#isOffered) this.#list(segment);
    else {
      const all = [...this.#waiting, segment];
      this.#waiting = all.slice(-this.#lengthOf(all));
    }
    this.#count();
  }

  /** Another run begins: what is added waits from now on, and what waited is of no use. */
  hold(): void {
    this.#isOffered = false;
    this.#waiting = [];
    this.#count();
  }

  /** The run is settled: viewers get what waited, and what is added. */
  offer(): void {
    this.#isOffered = true;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const segment of waiting) this.#list(segment);
    this.#count();
  }

  /** Nothing of it is to be had any more. */
  drop(): void {
    this.#kept = [];
    this.#listed = [];
    this.#playlist = undefined;
    this.hold();
  }

  #list(segment: PublishedSegment): void {
    const all = [...this.#kept, segment];
    this.#kept = all.slice(-2 * this.#lengthOf(all));
    const recent = this.#kept.slice(-this.#lengthOf(this.#kept));
    const from = recent.length - listable(recent).length;
    this.#listed = recent.slice(from);
    this.#playlist = undefined;
  }

  #lengthOf(segments: readonly PublishedSegment[]): number {
    return windowLength(segments, this.#memory.isTight ? 0 : windowTicksUsual);
  }

  #count(): void {
    let bytes = 0;
    for (const segment of this.#kept) bytes += segment.bytes.length;
    for (const segment of this.#waiting) bytes += segment.bytes.length;
    const more = bytes - this.#bytes;
    this.#bytes = bytes;
    this.#memory.change(more);
  }
}

/** How many of the newest segments make a window of so many ticks. */
function windowLength(segments: readonly PublishedSegment[], windowTicks: number): number {
  let ticks = 0;
  let count = 0;
  for (const { durationTicks } of segments.toReversed()) {
    if (count >= windowSegmentsMin && ticks >= windowTicks) break;
    ticks += durationTicks;
    count += 1;
  }
  return count;
}
