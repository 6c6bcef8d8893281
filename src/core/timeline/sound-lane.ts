import { withPlainHeader } from '../media/adts.ts';
import type { AudioFormat } from '../media/audio-headers.ts';
import type { AudioFrame } from '../media/units.ts';
import { ticksPerSecond } from '../media/units.ts';
import type { Grid } from './grid.ts';
import { createGridFollower } from './grid.ts';

/** A frame of sound with its time on the group's grid. */
export type TimedFrame = {
  readonly pts: number;
  readonly bytes: Uint8Array;
  readonly damaged: boolean;
};

/** Frames of one audio track that wait for their segment. */
export type SoundLane = {
  /** Takes the next frame, whose time in the group's time is `ticks`, not yet on the grid. */
  push(frame: AudioFrame, ticks: number): void;
  /** First and newest time seen; undefined before the first frame. */
  firstTicks(): number | undefined;
  newestTicks(): number | undefined;
  /** Takes the frames before `ticks` out, in order. */
  takeBefore(ticks: number): TimedFrame[];
  grid(): Grid;
};

/** A member's times of one frame scatter by a millisecond where its container keeps milliseconds. */
const toleranceTicks = 450;
/** Some minutes of the shortest frames; beyond it the oldest are dropped. */
const framesMax = 20_000;

export function createSoundLane(format: AudioFormat, grid: Grid): SoundLane {
  const follower = createGridFollower(grid, toleranceTicks);
  let frames: TimedFrame[] = [];
  let first: number | undefined;
  let newest: number | undefined;
  return {
    push(frame, ticks) {
      const period = (frame.samples * ticksPerSecond) / frame.sampleRate;
      if (period !== follower.grid().period) follower.restart(period, ticks);
      const pts = follower.snap(ticks);
      // The same frame twice, as some packagers write at the edges of their segments.
      if (newest !== undefined && pts <= newest) return;
      first ??= pts;
      newest = pts;
      const bytes = format === 'aac' ? withPlainHeader(frame.bytes) : frame.bytes;
      frames.push({ pts, bytes, damaged: frame.damaged });
      if (frames.length > framesMax) frames = frames.slice(-framesMax / 2);
    },
    firstTicks: () => first,
    newestTicks: () => newest,
    takeBefore(ticks) {
      const end = frames.findIndex((frame) => frame.pts >= ticks);
      return frames.splice(0, end < 0 ? frames.length : end);
    },
    grid: follower.grid,
  };
}
