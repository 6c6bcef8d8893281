import type { VideoTrack, VideoUnit } from '../media/units.ts';
import { unwrapTicks } from '../media/units.ts';
import type { CarriedUnit } from './carried.ts';
import type { Grid } from './grid.ts';
import { createGridFollower } from './grid.ts';
import type { PictureWriter } from './pictures.ts';
import { createPictureWriter } from './pictures.ts';
import type { TimelineRun } from './run.ts';

/** A picture in canonical form, in the group's time. */
export type LanePicture = {
  readonly pts: number;
  readonly dts: number;
  readonly isKey: boolean;
  readonly damaged: boolean;
  readonly bytes: Uint8Array;
  /** What is carried behind it; grows until the next picture comes. */
  readonly behind: CarriedUnit[];
};

/** Brings the pictures of one member into canonical form. */
export type PictureLane = {
  /** Parameter sets of fMP4 come with the track. */
  adopt(track: VideoTrack): void;
  /** `dts`: the picture's decoding time in the group's time, not yet on the grid. */
  take(unit: VideoUnit, dts: number): LanePicture;
  grid(): Grid | undefined;
};

const toleranceTicks = 200;

/** Times are put on the run's grid, the decoding delay on half periods of it (fields). Without a grid they stay. */
export function createPictureLane(run: TimelineRun, offset: number): PictureLane {
  const follower = run.pictureGrid && createGridFollower(run.pictureGrid, toleranceTicks);
  let known: VideoTrack | undefined;
  let writer: PictureWriter | undefined;
  return {
    adopt(track) {
      if (track === known) return;
      known = track;
      writer = createPictureWriter(track.format, track.parameterSets);
    },
    take({ parts, pts: memberPts, isKey, damaged }, dts) {
      const pts = unwrapTicks(memberPts + offset, dts);
      const bytes = writer?.write(parts, isKey) ?? new Uint8Array(0);
      const picture = { pts, dts, isKey, damaged, bytes, behind: [] };
      if (follower === undefined) return picture;
      const snapped = follower.snap(pts);
      const half = follower.grid().period / 2;
      const delay = Math.round((pts - dts) / half) * half;
      return { ...picture, pts: snapped, dts: Math.round(snapped - delay) };
    },
    grid: () => follower?.grid(),
  };
}
