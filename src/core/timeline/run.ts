import type { UnixMs } from '../time.ts';
import type { Grid } from './grid.ts';
import type { Layout } from './layout.ts';

/**
 * One unbroken stretch of a canonical stream: all that must be agreed for its segments to be the same bytes on every
 * member. Times are ticks of the group's own time, which the founder set to Unix time at arrival; each
 * member has its own offset from its packager's time to it. Made once, never changed; plain JSON.
 */
export type TimelineRun = {
  /** EXT-X-DISCONTINUITY-SEQUENCE of its segments. */
  readonly sequence: number;
  /** Sequence of the run it goes on from; absent where nobody remembered one. */
  readonly succeeds?: number | undefined;
  readonly foundedAt: UnixMs;
  /** Node that founded it. */
  readonly foundedBy: string;
  /** Number of the segment whose window begins at `originTicks`. */
  readonly firstNumber: number;
  readonly originTicks: number;
  /** Window of one number. */
  readonly segmentTicks: number;
  /** EXT-X-TARGETDURATION. */
  readonly targetDurationS: number;
  readonly layout: Layout;
  /** Absent where pictures do not come at a constant rate. */
  readonly pictureGrid?: Grid | undefined;
  /** One for each audio track of the layout. */
  readonly soundGrids: readonly Grid[];
};

/** What tells runs apart and decides between them. */
export type RunHead = Pick<TimelineRun, 'sequence' | 'succeeds' | 'foundedAt' | 'foundedBy'>;

/** Number of the segment in whose window a time lies. */
export function numberAt(run: TimelineRun, ticks: number): number {
  return run.firstNumber + Math.floor((ticks - run.originTicks) / run.segmentTicks);
}

/** Where the window of a number begins, ticks. */
export function windowStart(run: TimelineRun, number: number): number {
  return run.originTicks + (number - run.firstNumber) * run.segmentTicks;
}
