import { expect, it } from 'vitest';
import { signedTicks, ticksPerSecond } from '../../../src/core/media/units.ts';
import { createSharedSource } from '../../support/shared-source.ts';
import { createTimelineRig, type TimelineRig } from '../../support/timeline-rig.ts';

const source = createSharedSource();
/** Muxers write sound later than the pictures of the same time. */
const soundLate = 0.7 * ticksPerSecond;
/** The other member has everything so much later. */
const latenessMs = 400;
/** One canonical segment, and what sound may need (`docs/timeline.md`). */
const addedMax = (2 + 0.7) * ticksPerSecond;

/** Where the playlist of a member ends, and that of its packager, in the group's time; undefined while it is not offered. */
function ends({ timeline, packagers }: ReturnType<TimelineRig['member']>, nowMs: number) {
  const newest = timeline.window(0)?.listed.at(-1);
  const units = packagers[0]?.listed(nowMs).at(-1)?.reading.units ?? [];
  const last = units.findLast(({ kind }) => kind === 'video')?.pts;
  if (!timeline.isOffered || newest === undefined || last === undefined) return undefined;
  const packaged = last + source.periodTicks + (timeline.offsetTicks ?? 0);
  return { published: newest.startTicks + newest.durationTicks, packaged };
}

it.each([
  [2_000, 0],
  [2_000, soundLate],
  [4_000, soundLate],
  [6_000, soundLate],
])(
  'segments of %i ms, with sound %i ticks late, are written anew less than a segment and 0.7 s behind the packager',
  async (segmentMs, late) => {
    const rig = createTimelineRig(
      [
        { packagers: [{ segmentMs, soundLate: late }] },
        { packagers: [{ segmentMs: 2_000, base: 77_777, latenessMs, soundLate: late }] },
      ],
      { source },
    );
    for (const member of rig.members) member.start();
    await rig.run(40_000);
    const behind: number[] = [];
    for (let [passed, packaged, since] = [0, 0, 0]; passed < 15_000; passed += 100) {
      await rig.run(100);
      const seen = ends(rig.member(0), rig.clock.now().monoMs);
      if (seen?.packaged !== packaged) since = passed;
      packaged = seen?.packaged ?? 0;
      // What is just there is compared first.
      if (passed - since > latenessMs)
        behind.push(seen === undefined ? Number.NaN : signedTicks(packaged - seen.published));
    }
    expect(behind).not.toContain(Number.NaN);
    expect(behind.length).toBeGreaterThan(80);
    expect(Math.min(...behind)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...behind)).toBeLessThanOrEqual(addedMax);
  },
  60_000,
);
