import { mergeRanges, type TimeRange } from '../../core/archive/ranges.ts';
import { segmentFiles } from '../../core/archive/window-segments.ts';
import {
  type TimedSegment,
  timeWindow,
  type WindowMemory,
} from '../../core/archive/window-times.ts';
import { type MediaPlaylist, readMediaPlaylist } from '../../core/playlist/media-playlist.ts';
import { isSameBytes } from '../../core/stream/bytes.ts';
import { type Container, containers } from '../../core/stream/stream.ts';
import type { Now } from '../../core/time.ts';
import type { DvrStream, RungName } from '../archive-ports.ts';
import type { SegmentJob } from './segment-jobs.ts';

/** Most segments of one rung that wait to be recorded; of a longer window only the newest are. */
const waitingSegmentsMax = 32;
/** The multivariant playlist is kept at most this often, ms. */
const entryEveryMs = 60_000;

type Rung = {
  /** The playlist that was looked at last. */
  bytes: Uint8Array | undefined;
  memory: WindowMemory | undefined;
  run: string;
  /** Segments that wait, or are under way. */
  waiting: number;
  /** What is on the disk is known. */
  isReady: boolean;
};

/** What a look at a rung's window found. */
export type Look = {
  readonly jobs: readonly SegmentJob[];
  /** Segments for which there is no room among those that wait. */
  readonly dropped: number;
  /** Listed, but such that they cannot be recorded. */
  readonly unfit: number;
  readonly isEncrypted: boolean;
};

const nothing: Look = { jobs: [], dropped: 0, unfit: 0, isEncrypted: false };

/** One stream that is recorded: which segments of its windows are new, and what has been recorded lately. */
export class RecordedStream {
  readonly dvr: DvrStream;
  readonly #newRun: () => string;
  readonly #rungs = new Map<string, Rung>();
  readonly #untold = new Map<Container, readonly TimeRange[]>();
  #entry: Uint8Array | undefined;
  #entryAt = Number.NEGATIVE_INFINITY;

  constructor(dvr: DvrStream, newRun: () => string) {
    this.dvr = dvr;
    this.#newRun = newRun;
    this.#entry = dvr.entry();
  }

  /** Whether the multivariant playlist has to be kept again; counts as kept when it has. */
  takesEntry(bytes: Uint8Array, now: Now): boolean {
    const isKept = this.#entry !== undefined && isSameBytes(this.#entry, bytes);
    if (isKept || now.monoMs - this.#entryAt < entryEveryMs) return false;
    this.#entry = bytes;
    this.#entryAt = now.monoMs;
    return true;
  }

  /** Looks at a media playlist as viewers get it. `isCanonical`: its numbers and discontinuities are the group's. */
  look(path: string, bytes: Uint8Array, isCanonical: boolean, now: Now): Look {
    const rung = this.#rung(path);
    if (!rung.isReady || rung.bytes === bytes) return nothing;
    rung.bytes = bytes;
    const playlist = readMediaPlaylist(bytes);
    if (playlist === undefined) return nothing;
    if (playlist.encrypted) return { ...nothing, isEncrypted: true };
    const isFirst = rung.memory === undefined;
    const { fresh, memory } = timeWindow(playlist, rung.memory, now);
    rung.memory = memory;
    let unfit = 0;
    const jobs = fresh.flatMap((timed) => {
      if (timed.isBreak) rung.run = this.#newRun();
      const run = isCanonical ? `c${timed.discontinuity}` : rung.run;
      const job = jobOf(playlist, timed, path, run);
      if (job === undefined && playlist.segments[timed.at]?.gap === false) unfit += 1;
      return job ?? [];
    });
    const taken = jobs.slice(Math.max(0, jobs.length - waitingSegmentsMax + rung.waiting));
    rung.waiting += taken.length;
    const dropped = isFirst ? 0 : jobs.length - taken.length;
    return { jobs: taken, dropped, unfit, isEncrypted: false };
  }

  /** A job is done, in whatever way; `range` is what has been recorded. */
  settle(name: RungName, range: TimeRange | undefined): void {
    const rung = this.#rungs.get(name.rung);
    if (rung !== undefined) rung.waiting -= 1;
    if (range === undefined) return;
    const before = this.#untold.get(name.container) ?? [];
    this.#untold.set(name.container, mergeRanges([...before, range]));
  }

  /** What has been recorded and the coverage does not know yet. */
  get untold(): ReadonlyMap<Container, readonly TimeRange[]> {
    return this.#untold;
  }

  /** The coverage knows all that was {@link untold}. */
  told(): void {
    this.#untold.clear();
  }

  /** Forgets rungs that the ladder does not have any more, once nothing of them waits: what is on the disk stays. */
  keepRungs(paths: ReadonlyMap<string, unknown>): void {
    for (const [path, { waiting }] of this.#rungs)
      if (waiting === 0 && !paths.has(path)) this.#rungs.delete(path);
  }

  #rung(path: string): Rung {
    const known = this.#rungs.get(path);
    if (known !== undefined) return known;
    const rung: Rung = { bytes: undefined, memory: undefined, run: '', waiting: 0, isReady: false };
    this.#rungs.set(path, rung);
    void this.#remember(path, rung);
    return rung;
  }

  /** Goes on where the recording on the disk ends. */
  async #remember(path: string, rung: Rung): Promise<void> {
    const both = containers.map((container) => this.dvr.newest({ container, rung: path }));
    const newest = (await Promise.all(both)).flatMap((segment) => segment ?? []);
    const [last] = newest.sort((a, b) => b.startMs - a.startMs);
    if (last !== undefined) {
      rung.memory = { number: last.number, endMs: last.startMs + last.durationMs };
      rung.run = last.run;
    }
    rung.isReady = true;
  }
}

function jobOf(
  playlist: MediaPlaylist,
  timed: TimedSegment,
  path: string,
  run: string,
): SegmentJob | undefined {
  const files = segmentFiles(playlist, timed.at, path);
  const container = playlist.mapUri === undefined ? 'ts' : 'fmp4';
  return files && { ...timed, ...files, run, rung: { container, rung: path } };
}
