import { expect, it } from 'vitest';
import { signedTicks, ticksPerSecond } from '../../../src/core/media/units.ts';
import { createSharedSource } from '../../support/shared-source.ts';
import { createTimelineRig, type TimelineRig } from '../../support/timeline-rig.ts';

const source = createSharedSource();
/** Muxers write sound later than the pictures of the same time. */
const soundLate = 0.7 * ticksPerSecond;
/** The other member has everything so much later. */
const latenessMs = 400;
/** What sound may need beside one canonical segment (`docs/timeline.md`). */
const soundTicks = 0.7 * ticksPerSecond;

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
    const segmentTicks = (segmentMs * ticksPerSecond) / 1_000;
    expect(Math.max(...behind)).toBeLessThanOrEqual(segmentTicks + soundTicks);
  },
  60_000,
);

it.each([
  [[2_000, 2_000], 2],
  [[4_000, 2_000], 4],
  [[2_000, 6_000], 6],
  [[6_000, 6_000], 6],
  [[10_000, 10_000], 10],
  [[12_000, 12_000], 10],
])(
  'packagers of %j ms, whichever founds the run, have segments of %i s, which come one at a time unless their own are longer',
  async (segmentMs, targetS) => {
    const [first = 0, second = 0] = segmentMs;
    const rig = createTimelineRig(
      [
        { packagers: [{ segmentMs: first }] },
        { packagers: [{ segmentMs: second, base: 77_777, latenessMs }] },
      ],
      { source },
    );
    for (const member of rig.members) member.start();
    await rig.run(60_000);
    const newest = rig.members.map((_, at) => rig.member(at).numbers().at(-1) ?? 0);
    let most = 0;
    for (let passed = 0; passed < 30_000; passed += 100) {
      await rig.run(100);
      for (const [at, member] of rig.members.entries()) {
        const now = member.numbers().at(-1) ?? 0;
        most = Math.max(most, now - (newest[at] ?? 0));
        newest[at] = now;
      }
    }
    expect(rig.watch.faults).toEqual([]);
    expect(rig.member(0).timeline.window(0)?.targetDurationS).toBe(targetS);
    expect(most).toBeLessThanOrEqual(Math.max(...segmentMs) > targetS * 1_000 ? 2 : 1);
  },
  60_000,
);
