import type { Reading, Unit } from '../../core/media/units.ts';
import { ticksPerSecond, unwrapTicks } from '../../core/media/units.ts';
import type { MonoMs, UnixMs } from '../../core/time.ts';
import { withGrids } from '../../core/timeline/agreement.ts';
import type { SegmentCheck } from '../../core/timeline/compare.ts';
import { createContinuity } from '../../core/timeline/continuity.ts';
import type { CanonicalCutter, CanonicalSegment } from '../../core/timeline/cutter.ts';
import { createCanonicalCutter } from '../../core/timeline/cutter.ts';
import { lanesOf } from '../../core/timeline/layout.ts';
import type { SegmentTags } from '../../core/timeline/origin-tags.ts';
import { packagedMsOf } from '../../core/timeline/packaged.ts';
import { createTagPlacer } from '../../core/timeline/placed-tags.ts';
import type { RungNow } from '../../core/timeline/resume.ts';
import type { TimelineRun } from '../../core/timeline/run.ts';
import type { Checksum } from '../ports.ts';
import type { CanonicalWindow } from './canonical-window.ts';

/** What a rung's packager made next. */
export type FedReading = {
  readonly reading: Reading;
  /** When the last unit of it had arrived. */
  readonly completeAt: UnixMs;
  /** Of what was read, for the budget. */
  readonly bytes: number;
  /** What the origin's playlist says with the segment that was read. */
  readonly tags?: SegmentTags | undefined;
};

/** Bytes of another member for a segment, by what that member said of it. */
type Replacement = {
  readonly check: SegmentCheck;
  readonly attempts: number;
  readonly bytes: 'asked' | 'failed' | Uint8Array;
};

/** A segment that is cut, and waits for what the other members say of it. */
export type Pending = {
  readonly segment: CanonicalSegment;
  readonly run: TimelineRun;
  readonly checksum: string;
  readonly cutAt: MonoMs;
  /** What is to be published instead. */
  replacement?: Replacement;
};

/** What is held for a cutter that is still to come: enough for a run to be founded. */
const heldMsMax = 60_000;
const heldBytesMax = 32 * 1024 * 1024;
/** Segments of the origin whose beginnings are remembered. */
const startsMax = 1_000;

/** One variant stream or rendition: what its packager made, cut into canonical segments, and the window of them. */
export class Rung {
  readonly index: number;
  readonly window: CanonicalWindow;
  readonly #checksum: Checksum;
  readonly #continuity = createContinuity();
  #held: (FedReading & { readonly packagedMs: number })[] = [];
  /** Of what is held, put together once: it is looked at ten times a second until a run is founded. */
  #heldUnits: readonly Unit[] | undefined;
  #tracks: Reading['tracks'] = [];
  #cutter: CanonicalCutter | undefined;
  #run: TimelineRun | undefined;
  #firstNumber = 0;
  #pending: Pending[] = [];
  #newestAt: UnixMs | undefined;
  #offset = 0;
  #placer = createTagPlacer();
  /** Where segments of the origin begin in the group's time, by their media sequence. */
  #starts = new Map<number, number>();

  constructor(index: number, deps: { checksum: Checksum; window: CanonicalWindow }) {
    this.index = index;
    this.#checksum = deps.checksum;
    this.window = deps.window;
  }

  /** Cut, in order of number, not published yet. */
  get pending(): readonly Pending[] {
    return this.#pending;
  }

  get hasVideo(): boolean {
    return this.#tracks.some(({ kind }) => kind === 'video');
  }

  /** What its packager brings now; undefined before the first reading. */
  get now(): RungNow | undefined {
    const newestTicks = this.#continuity.newest();
    const newestAt = this.#newestAt;
    if (newestTicks === undefined || newestAt === undefined) return undefined;
    return { tracks: this.#tracks, newestTicks, newestAt };
  }

  /** When the newest unit had arrived. */
  get newestAt(): UnixMs | undefined {
    return this.#newestAt;
  }

  /** Usual length of the segments held, ms: one that is longer had a keyframe lost; undefined where none is held. */
  get packagedMs(): number | undefined {
    const lengths = this.#held.map(({ packagedMs }) => packagedMs).sort((a, b) => a - b);
    return lengths[lengths.length >> 1];
  }

  /** All that is held, as founding a run wants it. */
  facts(): { readonly tracks: Reading['tracks']; readonly units: readonly Unit[] } {
    this.#heldUnits ??= this.#held.flatMap(({ reading }) => reading.units);
    return { tracks: this.#tracks, units: this.#heldUnits };
  }

  /** Whether what its packager brings could be cut by `run`; true as long as nothing is known. */
  fits(run: TimelineRun): boolean {
    return this.#tracks.length === 0 || lanesOf(run.layout, this.#tracks) !== undefined;
  }

  /** Its run with the grids as they stand now, for a member that joins. */
  runNow(): TimelineRun | undefined {
    if (this.#run === undefined || this.#cutter === undefined) return this.#run;
    return withGrids(this.#run, this.#cutter.grids());
  }

  /** False when the packager's times jumped, or its tracks are not those of the run: the rung then follows none. */
  take(fed: FedReading, at: MonoMs): boolean {
    const follows = this.#continuity.follows(fed.reading);
    if (!follows) this.#held = [];
    this.#newestAt = fed.completeAt;
    this.#tracks = fed.reading.tracks;
    if (this.#cutter === undefined || !follows) {
      this.#hold(fed);
      return follows;
    }
    this.#cut(this.#cutter, fed, at);
    const state = this.#cutter.state();
    const isFine = state === 'cutting' || state === 'waiting';
    if (!isFine) this.#hold(fed);
    return isFine;
  }

  /** Cuts by `run` from now on, beginning with what is held; nothing below `firstNumber` is published. */
  start(run: TimelineRun, offset: number, firstNumber: number, at: MonoMs): void {
    const nearMs = this.#held[0]?.completeAt ?? this.#newestAt ?? run.foundedAt;
    const nearTicks = (nearMs * ticksPerSecond) / 1_000;
    const cutter = createCanonicalCutter(run, { offset, nearTicks });
    this.#cutter = cutter;
    this.#run = run;
    this.#firstNumber = firstNumber;
    this.#pending = [];
    this.window.hold();
    this.#offset = offset;
    this.#placer = createTagPlacer();
    this.#starts.clear();
    for (const fed of this.#held) this.#cut(cutter, fed, at);
    this.#held = [];
    this.#heldUnits = undefined;
  }

  /** Follows no run any more; what is published stays. */
  stop(): void {
    this.#cutter = undefined;
    this.#run = undefined;
    this.#pending = [];
  }

  /** Takes the first of the pending ones out, to be published or dropped. */
  shift(): void {
    this.#pending = this.#pending.slice(1);
  }

  /** Tags that the origin's playlist has now: those of a segment read before may have come late. */
  retag(all: readonly SegmentTags[]): void {
    for (const tags of all) {
      const startTicks = this.#starts.get(tags.mediaSequence);
      if (startTicks !== undefined) this.#placer.add({ ...tags, startTicks });
    }
  }

  /** Lines for the segment of that time; each once. */
  tagsOf(startTicks: number, durationTicks: number): readonly string[] {
    return this.#placer.take(startTicks, startTicks + durationTicks);
  }

  #cut(cutter: CanonicalCutter, fed: FedReading, at: MonoMs): void {
    const run = this.#run;
    this.#placeTags(fed);
    for (const segment of cutter.push(fed.reading)) {
      if (run === undefined || segment.number < this.#firstNumber) continue;
      const checksum = this.#checksum(segment.bytes);
      this.#pending.push({ segment, run, checksum, cutAt: at });
    }
  }

  #placeTags({ reading, completeAt, tags }: FedReading): void {
    const first = reading.units.find(({ kind }) => kind !== 'other')?.pts;
    if (tags === undefined || first === undefined) return;
    const nearTicks = (completeAt * ticksPerSecond) / 1_000;
    const startTicks = Math.round(unwrapTicks(first + this.#offset, nearTicks));
    this.#starts.set(tags.mediaSequence, startTicks);
    for (const oldest of this.#starts.keys()) {
      if (this.#starts.size <= startsMax) break;
      this.#starts.delete(oldest);
    }
    this.#placer.add({ ...tags, startTicks });
  }

  #hold(fed: FedReading): void {
    this.#heldUnits = undefined;
    this.#held.push({ ...fed, packagedMs: packagedMsOf(fed.reading) });
    let bytes = this.#held.reduce((sum, held) => sum + held.bytes, 0);
    const isTooMuch = () =>
      bytes > heldBytesMax || fed.completeAt - (this.#held[0]?.completeAt ?? 0) > heldMsMax;
    while (this.#held.length > 1 && isTooMuch()) bytes -= this.#held.shift()?.bytes ?? 0;
  }
}
