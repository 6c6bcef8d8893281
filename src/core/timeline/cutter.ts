import type { AudioFrame, OtherUnit, Reading, Track, VideoUnit } from '../media/units.ts';
import { ticksPerSecond, unwrapTicks } from '../media/units.ts';
import { carry, createCarriedUnits } from './carried.ts';
import type { CutPoint } from './cut-points.ts';
import { createCutPoints } from './cut-points.ts';
import type { Grid } from './grid.ts';
import type { Lane } from './layout.ts';
import { lanesOf } from './layout.ts';
import type { LanePicture } from './picture-lane.ts';
import { createPictureLane } from './picture-lane.ts';
import type { TimelineRun } from './run.ts';
import { numberAt, windowStart } from './run.ts';
import { writeSegment } from './segment-bytes.ts';
import type { SoundLane } from './sound-lane.ts';
import { createSoundLane } from './sound-lane.ts';

/** A finished segment of a canonical stream. */
export type CanonicalSegment = {
  readonly number: number;
  /** In the group's time. */
  readonly startTicks: number;
  readonly durationTicks: number;
  /** Empty for a window in which the source sent nothing (EXT-X-GAP). */
  readonly bytes: Uint8Array;
  /** Begins with a keyframe; not so in a stretch without one. */
  readonly isIndependent: boolean;
  /** The next one does. */
  readonly endsAtKey: boolean;
  /** Of its pictures and sound, without what the container adds: fewer where some are missing. */
  readonly contentBytes: number;
  /** Pictures and frames in it that lost packets here: another member's bytes are better. */
  readonly damagedUnits: number;
};

/**
 * `waiting`: nothing can begin yet. `cutting`: segments follow each other. For good, until a new cutter is made:
 * `jumped` (the packager's times went back or far ahead), `differs` (its tracks are not the run's).
 */
type CutterState = 'waiting' | 'cutting' | 'jumped' | 'differs';

export type CanonicalCutter = {
  /** Takes what a reader found next; gives the segments that are finished by it, in order. */
  push(reading: Reading): readonly CanonicalSegment[];
  state(): CutterState;
  /** Grids as they stand now, for a member that joins. */
  grids(): { readonly picture?: Grid | undefined; readonly sound: readonly Grid[] };
};

/** Times that go on by more than this have jumped. */
const jumpTicks = 10 * ticksPerSecond;
/** So long pictures wait for sound that does not come: encoders send them up to a second ahead of it, muxers 0.7 s. */
const soundWaitTicks = 1.7 * ticksPerSecond;
/** More than this is not held for a segment; a source that needs it has lost its keyframes and its mind. */
const heldBytesMax = 192 * 1_024 * 1_024;

/**
 * Cuts what one member reads into the segments of `run`. `offset` turns its packager's times into the group's, which
 * are about `nearTicks` now: time stamps wrap, the group's time does not.
 */
export function createCanonicalCutter(
  run: TimelineRun,
  member: { readonly offset: number; readonly nearTicks: number },
): CanonicalCutter {
  return new Cutter(run, member);
}

class Cutter implements CanonicalCutter {
  readonly #run: TimelineRun;
  readonly #offset: number;
  readonly #lane;
  readonly #sound: readonly SoundLane[];
  readonly #carried;
  readonly #cuts;
  #state: CutterState = 'waiting';
  #lanes = new Map<number, Lane>();
  /** Decoding time of the newest picture, or time of the newest sound. */
  #reference: number;
  #firstPicture: number | undefined;
  #lastKeyNumber: number | undefined;
  #pictures: LanePicture[] = [];
  #heldBytes = 0;
  #hasTaken = false;

  constructor(run: TimelineRun, member: { readonly offset: number; readonly nearTicks: number }) {
    this.#run = run;
    this.#offset = member.offset;
    this.#reference = member.nearTicks;
    this.#lane = createPictureLane(run, member.offset);
    this.#sound = run.layout.audio.map(({ format }, index) =>
      createSoundLane(format, run.soundGrids[index] ?? { anchor: 0, period: 1 }),
    );
    this.#carried = createCarriedUnits();
    this.#cuts = createCutPoints(run);
  }

  state(): CutterState {
    return this.#state;
  }

  grids() {
    return { picture: this.#lane.grid(), sound: this.#sound.map((lane) => lane.grid()) };
  }

  push(reading: Reading): readonly CanonicalSegment[] {
    if (reading.tracks.length > 0) this.#adopt(reading.tracks);
    for (const unit of reading.units) {
      if (this.#state === 'jumped' || this.#state === 'differs') return [];
      const lane = this.#lanes.get(unit.track);
      if (unit.kind === 'video' && lane?.kind === 'video') this.#picture(unit);
      else if (unit.kind === 'audio' && lane?.kind === 'audio') this.#frame(unit, lane.index);
      else if (unit.kind === 'other' && lane?.kind === 'other') this.#other(unit, lane.index);
    }
    return this.#finished();
  }

  #adopt(tracks: readonly Track[]): void {
    const lanes = lanesOf(this.#run.layout, tracks);
    if (lanes === undefined) {
      this.#state = 'differs';
      return;
    }
    this.#lanes = lanes;
    const video = tracks.find((track) => track.kind === 'video');
    if (video !== undefined) this.#lane.adopt(video);
  }

  #picture(unit: VideoUnit): void {
    const rawDts = unwrapTicks(unit.dts + this.#offset, this.#reference);
    const step = this.#firstPicture === undefined ? 1 : rawDts - this.#reference;
    if (step === 0) return;
    if (step < 0 || step > jumpTicks || this.#heldBytes > heldBytesMax) {
      this.#state = 'jumped';
      return;
    }
    this.#reference = rawDts;
    const picture = this.#lane.take(unit, rawDts);
    this.#firstPicture ??= picture.pts;
    const number = numberAt(this.#run, picture.pts);
    if (this.#state === 'waiting') this.#tryStart(picture, number);
    else {
      this.#hold(picture);
      this.#cuts.picture(this.#pictures);
    }
    if (picture.isKey) this.#lastKeyNumber = number;
  }

  /** Begins only where a keyframe's number is higher than the one before: else it need not be the first of its number. */
  #tryStart(picture: LanePicture, number: number): void {
    const before = this.#lastKeyNumber;
    for (const lane of this.#sound) lane.takeBefore(picture.pts);
    this.#carried.takeBefore(picture.pts);
    if (!picture.isKey || before === undefined || number <= before) return;
    if (number < this.#run.firstNumber || !this.#soundReaches(picture.pts)) return;
    this.#state = 'cutting';
    this.#hold(picture);
    this.#cuts.open(picture);
  }

  /** Whether all sound since `ticks` was seen. A track that is silent for long has none. */
  #soundReaches(ticks: number): boolean {
    return this.#sound.every((lane) => {
      const first = lane.firstTicks();
      if (first !== undefined) return first <= ticks;
      return (this.#firstPicture ?? ticks) <= ticks - soundWaitTicks;
    });
  }

  #hold(picture: LanePicture): void {
    this.#pictures.push(picture);
    this.#heldBytes += picture.bytes.length;
  }

  #frame(unit: AudioFrame, index: number): void {
    const ticks = unwrapTicks(unit.pts + this.#offset, this.#reference);
    const lane = this.#sound[index];
    if (lane === undefined) return;
    lane.push(unit, ticks);
    if (this.#run.layout.video !== undefined || index !== 0) return;
    const step = this.#firstPicture === undefined ? 0 : ticks - this.#reference;
    if (step < -jumpTicks / 10 || step > jumpTicks) {
      this.#state = 'jumped';
      return;
    }
    this.#reference = ticks;
    this.#firstPicture ??= ticks;
    const next = numberAt(this.#run, ticks) + 1;
    if (this.#state === 'waiting' && next < this.#run.firstNumber) return;
    this.#cuts.sound(lane.newestTicks() ?? ticks);
    if (this.#state === 'cutting') return;
    this.#state = 'cutting';
    for (const each of this.#sound) each.takeBefore(windowStart(this.#run, next));
  }

  /** What has no time of its own stays behind the picture it came behind. */
  #other(unit: OtherUnit, lane: number): void {
    const ticks = unwrapTicks((unit.pts ?? 0) + this.#offset, this.#reference);
    const carried = carry(unit, { lane, offset: this.#offset, ticks });
    if (carried === undefined) return;
    if (carried.pts !== undefined) this.#carried.push(carried);
    else this.#pictures.at(-1)?.behind.push(carried);
  }

  #finished(): CanonicalSegment[] {
    const segments: CanonicalSegment[] = [];
    for (;;) {
      const [open, next] = this.#cuts.first() ?? [];
      if (open === undefined || next === undefined) return segments;
      if (!this.#soundIsThere(next.startTicks)) return segments;
      segments.push(this.#take(open, next));
    }
  }

  #soundIsThere(ticks: number): boolean {
    const gaveUp = this.#reference >= ticks + soundWaitTicks;
    return this.#sound.every((lane) => gaveUp || (lane.newestTicks() ?? ticks) >= ticks);
  }

  #take(open: CutPoint, next: CutPoint): CanonicalSegment {
    const pictures = this.#pictures.splice(0, next.index - open.index);
    this.#cuts.shift();
    for (const picture of pictures) this.#heldBytes -= picture.bytes.length;
    const all = this.#sound.map((lane) => lane.takeBefore(next.startTicks));
    const sound = all.map((frames) => frames.filter((frame) => frame.pts >= open.startTicks));
    const carried = this.#carried.takeBefore(next.startTicks);
    // Before the first segment lies sound of the one that was not begun.
    const late = this.#hasTaken ? all.flat().length - sound.flat().length : 0;
    this.#hasTaken = true;
    const units = [...pictures, ...sound.flat()];
    const damaged = units.filter((unit) => unit.damaged).length;
    const { number, startTicks, isKey } = open;
    return {
      number,
      startTicks,
      durationTicks: next.startTicks - startTicks,
      bytes:
        units.length === 0
          ? new Uint8Array(0)
          : writeSegment(this.#run, { number, pictures, sound, carried }),
      contentBytes: units.reduce((sum, unit) => sum + unit.bytes.length, 0),
      isIndependent: isKey,
      endsAtKey: next.isKey,
      damagedUnits: damaged + late,
    };
  }
}
