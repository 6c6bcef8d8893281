import { type Reading, signedTicks, ticksPerSecond } from '../media/units.ts';

/** Segments are wished to be no shorter than this, and no longer than that, ms (`docs/timeline.md`, "The run"). */
const segmentMsMin = 2_000;
const segmentMsMax = 10_000;

/** How long a segment of a packager is, from its first picture to its last, of sound where there are none; ms. */
export function packagedMsOf({ units }: Reading): number {
  const kind = units.some((unit) => unit.kind === 'video') ? 'video' : 'audio';
  const times = units.flatMap(({ pts, ...unit }) =>
    unit.kind === kind && pts !== undefined ? [pts] : [],
  );
  const [first = 0] = times;
  const ticks = times.reduce((most, time) => Math.max(most, signedTicks(time - first)), 0);
  return (ticks * 1_000) / ticksPerSecond;
}

/**
 * Segment duration that a run is wished to have, ms: that of the packager that makes the longest ones, for it would bring several
 * shorter ones at once, and viewers keep three in reserve.
 */
export function wishedSegmentMs(packagedMs: readonly number[]): number {
  return Math.min(segmentMsMax, Math.max(segmentMsMin, ...packagedMs));
}
