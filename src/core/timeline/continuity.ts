import type { Reading } from '../media/units.ts';
import { signedTicks, ticksPerSecond } from '../media/units.ts';

/** Times that go on by more than this, or back by more than that, have jumped (as in the cutter). */
const aheadTicksMax = 10 * ticksPerSecond;
const backTicksMax = 2 * ticksPerSecond;

/** Follows the times of one packager's output. */
export type Continuity = {
  /** Whether `reading` goes on from what came before; false when its times jumped. A first reading goes on. */
  follows(reading: Reading): boolean;
  /** Newest time, ticks modulo 2^33; undefined before the first. */
  newest(): number | undefined;
};

/** Looks at decoding times of pictures, or times of sound where there are none. */
export function createContinuity(): Continuity {
  let newest: number | undefined;
  return {
    follows(reading) {
      const hasVideo = reading.tracks.some((track) => track.kind === 'video');
      let isGood = true;
      for (const unit of reading.units) {
        const time = timeOf(unit, hasVideo);
        if (time === undefined) continue;
        if (newest !== undefined) {
          const step = signedTicks(time - newest);
          if (step < -backTicksMax || step > aheadTicksMax) isGood = false;
        }
        newest = time;
      }
      return isGood;
    },
    newest: () => newest,
  };
}

function timeOf(unit: Reading['units'][number], hasVideo: boolean): number | undefined {
  if (unit.kind === 'video') return unit.dts;
  return unit.kind === 'audio' && !hasVideo ? unit.pts : undefined;
}
