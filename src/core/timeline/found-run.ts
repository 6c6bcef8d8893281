import type { AudioFrame, Track, Unit, VideoUnit } from '../media/units.ts';
import { ticksPerSecond, unwrapTicks } from '../media/units.ts';
import type { UnixMs } from '../time.ts';
import type { Grid } from './grid.ts';
import type { LayoutFault } from './layout.ts';
import { layoutOf } from './layout.ts';
import { gridPicturesMin, pictureGridOf } from './picture-grid.ts';
import type { TimelineRun } from './run.ts';

/** What a member has read so far when it founds a run. */
export type FoundingFacts = {
  readonly nodeId: string;
  readonly tracks: readonly Track[];
  /** Of one unbroken stretch, in order; some keyframe intervals of it. */
  readonly units: readonly Unit[];
  /** When the last of them had arrived. */
  readonly arrivedAt: UnixMs;
  /** No more is to be waited for: keyframes or pictures are far apart. */
  readonly isLate?: boolean;
  /** Segment duration that is wished for. */
  readonly segmentMs: number;
  /** The run before, and the last number offered of it: the new one goes on from them. */
  readonly previous?: { readonly sequence: number; readonly lastNumber: number } | undefined;
};

/** `too-little`: too few keyframes or pictures so far. */
export type Founding =
  | { readonly kind: 'founded'; readonly run: TimelineRun; readonly offset: number }
  | { readonly kind: 'refused'; readonly why: LayoutFault | 'too-little' };

/** Keyframes that show how long their interval is; after a long wait the least that can. */
const keysMin = 4;
const lateKeysMin = 2;
/** Numbers must not grow faster than seconds: then Unix time alone keeps them from falling. */
const segmentTicksMin = ticksPerSecond;
const segmentTicksMax = 30 * ticksPerSecond;
/** Keyframe intervals that differ by no more are equal. */
const regularTicks = 400;
/** Without a picture grid intervals may grow a little later on: the window has room for it. */
const irregularMargin = 1.02;
/**
 * A first discontinuity sequence counts hours since 2026: it grows with time, and stays small. hls.js visits every number up
 * to it at each reload, which freezes the page where it counts seconds (`docs/clones.md`).
 */
const sequenceStepMs = 3_600_000;
const sequenceEpochMs = 1_767_225_600_000;

/**
 * Founds a run. The group's time is Unix time at arrival. Numbers go on from the run before; without one they begin at
 * Unix seconds, so that a group which has forgotten everything still gets higher numbers than before. The newest
 * keyframe begins the first number. A regular keyframe interval makes the window a whole number of
 * intervals, keyframes in its middle; else the window is at least as long as the longest interval seen.
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
  const isEnough = facts.isLate
    ? keys.length >= lateKeysMin
    : keys.length >= keysMin && pictures.length >= gridPicturesMin;
  if (layout.video !== undefined && !isEnough) {
    return { kind: 'refused', why: 'too-little' };
  }
  const pictureGrid = pictureGridOf(pictures.map((unit) => ticksOf(unit.pts)));
  const segmentTicks = (facts.segmentMs * ticksPerSecond) / 1_000;
  const wished = Math.min(Math.max(segmentTicks, segmentTicksMin), segmentTicksMax);
  const period = pictureGrid?.period;
  const window = windowOf(keys, { wished, newest: Math.round(ticksOf(newest)), period });
  const run: TimelineRun = {
    sequence: facts.previous
      ? facts.previous.sequence + 1
      : Math.max(0, Math.floor((facts.arrivedAt - sequenceEpochMs) / sequenceStepMs)),
    succeeds: facts.previous?.sequence,
    foundedAt: facts.arrivedAt,
    foundedBy: facts.nodeId,
    firstNumber: facts.previous
      ? facts.previous.lastNumber + 1
      : Math.floor(window.originTicks / ticksPerSecond),
    ...window,
    layout,
    pictureGrid,
    soundGrids: soundGridsOf(facts, ticksOf),
  };
  return { kind: 'founded', run, offset };
}

/**
 * The run as it is for another rung or rendition of the same packager: its windows and numbers, with that rung's
 * tracks and grids. `offset` is the member's; one packager has one for all of its rungs.
 */
export function rungOf(
  run: TimelineRun,
  facts: Pick<FoundingFacts, 'tracks' | 'units'>,
  offset: number,
): TimelineRun | LayoutFault {
  const layout = layoutOf(facts.tracks);
  if (typeof layout === 'string') return layout;
  const ticksOf = (pts: number) => unwrapTicks(pts + offset, run.originTicks);
  const times = facts.units.flatMap((unit) => (unit.kind === 'video' ? ticksOf(unit.pts) : []));
  const pictureGrid = pictureGridOf(times);
  return { ...run, layout, pictureGrid, soundGrids: soundGridsOf(facts, ticksOf) };
}

/** Windows and where the first of them begins: before the newest keyframe, behind the one before it. */
function windowOf(
  keys: readonly number[],
  { wished, newest, period }: { wished: number; newest: number; period: number | undefined },
) {
  const intervals = keys.slice(1).map((key, index) => key - (keys[index] ?? 0));
  const longest = intervals.reduce((most, each) => Math.max(most, each), 1);
  const shortest = intervals.reduce((least, each) => Math.min(least, each), longest);
  const last = keys.at(-1) ?? newest;
  if (intervals.length === 0) {
    return { segmentTicks: wished, originTicks: last, targetDurationS: secondsOf(wished) };
  }
  if (period === undefined || longest - shortest > regularTicks) {
    const segmentTicks = Math.max(wished, Math.ceil(longest * irregularMargin));
    const originTicks = last - regularTicks;
    return { segmentTicks, originTicks, targetDurationS: secondsOf(2 * segmentTicks) };
  }
  // In whole pictures, exact: a rounded interval would drift away from the keyframes within hours.
  const interval = Math.round(longest / period) * period;
  const count = Math.max(Math.round(wished / interval), Math.ceil(segmentTicksMin / interval));
  const segmentTicks = interval * count;
  const originTicks = Math.round(last - interval / 2);
  return { segmentTicks, originTicks, targetDurationS: secondsOf(segmentTicks) };
}

function secondsOf(ticks: number): number {
  return Math.ceil(ticks / ticksPerSecond);
}

/** Where the first frame of each audio track lies; a track without frames yet gets the grid's zero. */
function soundGridsOf(
  facts: Pick<FoundingFacts, 'tracks' | 'units'>,
  ticksOf: (pts: number) => number,
): readonly Grid[] {
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
