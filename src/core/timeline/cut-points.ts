import type { TimelineRun } from './run.ts';
import { numberAt, windowStart } from './run.ts';

/** Where a segment begins. */
export type CutPoint = {
  readonly number: number;
  readonly startTicks: number;
  /** With a keyframe. */
  readonly isKey: boolean;
  /** Index of its first picture among those held. */
  readonly index: number;
};

/** Times of a picture that decide where segments begin. */
type CutPicture = { readonly pts: number; readonly dts: number; readonly isKey: boolean };

/** The beginning of the open segment, and of those after it. */
export type CutPoints = {
  /** Opens the first segment with the only picture held. */
  open(picture: CutPicture): void;
  /** Considers the newest of the pictures held since the open segment began. */
  picture(held: readonly CutPicture[]): void;
  /** Considers the newest sound of a stream without pictures; the first call opens it. */
  sound(newestTicks: number): void;
  /** The open segment and what ends it; undefined while that is not known. */
  first(): readonly [CutPoint, CutPoint] | undefined;
  /** The open segment is written: the next one is open. */
  shift(): void;
};

/**
 * A number begins at the first keyframe in its window. When a window has passed without one, its number begins at
 * the first picture decoded in it, so that numbers stay consecutive and the same on every member. Without
 * pictures a number is exactly its window.
 */
export function createCutPoints(run: TimelineRun): CutPoints {
  let points: CutPoint[] = [];
  const lastNumber = () => points.at(-1)?.number ?? 0;
  const force = (number: number, held: readonly CutPicture[], limit: number) => {
    const startTicks = windowStart(run, number);
    let index = points.at(-1)?.index ?? 0;
    while (index < limit && (held[index]?.dts ?? 0) < startTicks) index += 1;
    points.push({ number, startTicks, isKey: false, index });
  };
  const pushWindow = (number: number) => {
    points.push({ number, startTicks: windowStart(run, number), isKey: true, index: 0 });
  };
  return {
    open(picture) {
      const number = numberAt(run, picture.pts);
      points = [{ number, startTicks: picture.pts, isKey: true, index: 0 }];
    },
    picture(held) {
      const newest = held.at(-1);
      if (newest === undefined) return;
      const number = numberAt(run, newest.pts);
      if (newest.isKey && number > lastNumber()) {
        const index = held.length - 1;
        while (lastNumber() + 1 < number) force(lastNumber() + 1, held, index);
        points.push({ number, startTicks: newest.pts, isKey: true, index });
        return;
      }
      // A keyframe of the next window would have been decoded before that window ends.
      while (newest.dts >= windowStart(run, lastNumber() + 2)) {
        force(lastNumber() + 1, held, held.length);
      }
    },
    sound(newestTicks) {
      const number = numberAt(run, newestTicks);
      if (points.length === 0) pushWindow(number + 1);
      while (lastNumber() < number) pushWindow(lastNumber() + 1);
    },
    first() {
      const [open, next] = points;
      return open === undefined || next === undefined ? undefined : [open, next];
    },
    shift() {
      const taken = (points[1]?.index ?? 0) - (points[0]?.index ?? 0);
      points = points.slice(1).map((point) => ({ ...point, index: point.index - taken }));
    },
  };
}
