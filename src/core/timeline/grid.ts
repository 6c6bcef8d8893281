/** Where times of a regular track lie: `anchor` plus any whole number of periods, ticks. */
export type Grid = {
  readonly anchor: number;
  /** Not whole where a frame's duration is not. */
  readonly period: number;
};

/** Follows times that scatter about a grid. */
export type GridFollower = {
  /** The grid's time for this one, whole ticks. */
  snap(time: number): number;
  /** Moves on to frames of another duration, beginning with the one at `time`. */
  restart(period: number, time: number): void;
  grid(): Grid;
};

/** A grid is moved in whole steps of this, so that members whose times differ by a tick move it alike. */
const quantumTicks = 90;

/**
 * A time farther from the grid than `toleranceTicks` moves the grid there: the source had a gap, or its clock
 * runs apart from its sample count.
 */
export function createGridFollower(grid: Grid, toleranceTicks: number): GridFollower {
  let { anchor, period } = grid;
  return {
    snap(time) {
      const on = anchor + Math.round((time - anchor) / period) * period;
      const distance = time - on;
      if (Math.abs(distance) <= toleranceTicks) return Math.round(on);
      const moved = Math.round(distance / quantumTicks) * quantumTicks;
      anchor += moved;
      return Math.round(on + moved);
    },
    restart(next, time) {
      period = next;
      anchor = Math.round(time / quantumTicks) * quantumTicks;
    },
    grid: () => ({ anchor, period }),
  };
}
