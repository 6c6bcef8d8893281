import type { AudioFrame, Track, Unit, VideoUnit } from '../media/units.ts';
import { ticksPerSecond, unwrapTicks } from '../media/units.ts';
import type { UnixMs } from '../time.ts';
import type { Grid } from './grid.ts';
import type { LayoutFault } from './layout.ts';
import { layoutOf } from './layout.ts';
import { pictureGridOf } from './picture-grid.ts';
import type { TimelineRun } from './run.ts';

/** What a member has read so far when it founds a run. */
export type FoundingFacts = {
  readonly nodeId: string;
  readonly tracks: readonly Track[];
  /** Of one unbroken stretch, in order; some keyframe intervals of it. */
  readonly units: readonly Unit[];
  /** When the last of them had arrived. */
  readonly arrivedAt: UnixMs;
  /** Segment duration that is wished for. */
  readonly segmentMs: number;
  /** The run before, and the last number offered of it: the new one goes on from them. */
  readonly previous?: { readonly sequence: number; readonly lastNumber: number } | undefined;
};

/** `too-little`: fewer than {@link keysMin} keyframes so far. */
export type Founding =
  | { readonly kind: 'founded'; readonly run: TimelineRun; readonly offset: number }
  | { readonly kind: 'refused'; readonly why: LayoutFault | 'too-little' };

/** Keyframes that show how long their interval is. */
export const keysMin = 4;
/** Sound that a muxer writes up to so much later than pictures (`max_delay` of ffmpeg). */
const soundLeadTicks = 0.7 * ticksPerSecond;
/** Numbers must not grow faster than seconds: then Unix time alone keeps them from falling. */
const segmentTicksMin = ticksPerSecond;
const segmentTicksMax = 30 * ticksPerSecond;
/** Keyframe intervals that differ by no more are equal. */
const regularTicks = 400;
/** A first discontinuity sequence counts tens of seconds of Unix time: it grows slower than time. */
const sequenceStepMs = 10_000;

/**
 * Founds a run. The group's time is Unix time at arrival and numbers begin at Unix seconds, so that a group which has
 * forgotten everything still gets higher numbers than before. A regular keyframe interval makes the window a
 * whole number of intervals, keyframes in its middle; else the window is as long as the longest interval seen.
 */
export function foundRun(facts: FoundingFacts): Founding {
  const layout = layoutOf(facts.tracks);
  if (typeof layout === 'string') return { kind: 'refused', why: layout };
  const newest = facts.units.filter((unit) => unit.kind !== 'other').at(-1)?.pts;
  if (newest === undefined) return { kind: 'refused', why: 'too-little' };
  const offset = Math.round((facts.arrivedAt * ticksPerSecond) / 1_000 - newest);
  const ticksOf = (pts: number) => unwrapTicks(pts, newest) + offset;
  const pictures = facts.units.filter((unit): unit is VideoUnit => unit.kind === 'video');
  const keys = pictures.filter((unit) => unit.isKey).map((unit) => ticksOf(unit.pts));
  if (layout.video !== undefined && keys.length < keysMin) {
    return { kind: 'refused', why: 'too-little' };
  }
  const window = windowOf(keys, (facts.segmentMs * ticksPerSecond) / 1_000, ticksOf(newest));
  const firstNumber = Math.floor(window.originTicks / ticksPerSecond);
  const run: TimelineRun = {
    sequence: facts.previous
      ? facts.previous.sequence + 1
      : Math.floor(facts.arrivedAt / sequenceStepMs),
    foundedAt: facts.arrivedAt,
    foundedBy: facts.nodeId,
    firstNumber: Math.max(firstNumber, (facts.previous?.lastNumber ?? 0) + 1),
    ...window,
    soundLeadTicks,
    layout,
    pictureGrid: pictureGridOf(pictures.map((unit) => ticksOf(unit.pts))),
    soundGrids: soundGridsOf(facts, ticksOf),
  };
  return { kind: 'founded', run, offset };
}

function windowOf(keys: readonly number[], wishedTicks: number, newest: number) {
  const intervals = keys.slice(1).map((key, index) => key - (keys[index] ?? 0));
  const longest = Math.max(...intervals, 1);
  const shortest = Math.min(...intervals, longest);
  const last = keys.at(-1) ?? newest;
  const wished = Math.min(Math.max(wishedTicks, segmentTicksMin), segmentTicksMax);
  if (keys.length === 0 || longest - shortest > regularTicks) {
    const segmentTicks = Math.max(wished, longest);
    return { segmentTicks, originTicks: Math.floor(last / segmentTicks) * segmentTicks };
  }
  const interval = Math.round((last - (keys[0] ?? last)) / intervals.length);
  const count = Math.max(Math.round(wished / interval), Math.ceil(segmentTicksMin / interval));
  return {
    segmentTicks: interval * count,
    originTicks: Math.round(last - interval / 2),
  };
}

/** Where the first frame of each audio track lies; a track without frames yet gets the grid's zero. */
function soundGridsOf(facts: FoundingFacts, ticksOf: (pts: number) => number): readonly Grid[] {
  const tracks = facts.tracks.filter((track) => track.kind === 'audio');
  return tracks.map(({ id }) => {
    const frame = facts.units.find(
      (unit): unit is AudioFrame => unit.kind === 'audio' && unit.track === id,
    );
    if (frame === undefined) return { anchor: 0, period: ticksPerSecond };
    const period = (frame.samples * ticksPerSecond) / frame.sampleRate;
    return { anchor: Math.round(ticksOf(frame.pts)), period };
  });
}
