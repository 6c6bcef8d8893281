import { describe, expect, it } from 'vitest';
import { createRandom } from '../../support/lossy-network.ts';
import { createSharedSource } from '../../support/shared-source.ts';
import { createTimelineRig, type TimelineRig } from '../../support/timeline-rig.ts';

const hourMs = 3_600_000;
/** Something happens this often, on the average. */
const eventEveryMs = 240_000;
const stepMs = 2_000;

/** A cheap source: one picture a second, a keyframe each four seconds, no sound. */
const source = createSharedSource({ fps: 1, keyEvery: 4, soundRate: 'none', pictureBytes: 24 });

/** What comes over the members: `restarts` of packagers, agents, the source and everything; or lost pictures and cut ways, too. */
type Misfortunes = 'restarts' | 'all';

/** Three members, on which random misfortunes come for so many hours. */
async function live(
  hours: number,
  seed: number,
  misfortunes: Misfortunes,
): Promise<{ rig: TimelineRig; events: number }> {
  const random = createRandom(seed);
  const pick = (below: number) => Math.floor(random() * below);
  const rig = createTimelineRig(
    [
      { packagers: [{ segmentMs: 4_000 }] },
      { packagers: [{ segmentMs: 4_000, base: pick(2 ** 33), latenessMs: 400 }] },
      { packagers: [{ segmentMs: 8_000, base: pick(2 ** 33), latenessMs: 1_100 }] },
    ],
    { source, seed, isInstant: true },
  );
  const restart = (at: number, afterMs: number) =>
    rig
      .member(at)
      .packagers[0]?.restart(
        rig.clock.now().monoMs,
        random() < 0.3 ? { afterMs } : { afterMs, base: pick(2 ** 33) },
      );
  const restarts: readonly (() => Promise<void>)[] = [
    async () => restart(pick(3), pick(30_000)),
    async () => {
      const at = pick(3);
      rig.member(at).packagers[0]?.freeze();
      await rig.run(pick(60_000), stepMs);
      restart(at, 0);
    },
    async () => {
      const at = pick(3);
      rig.member(at).kill();
      if (random() < 0.5) restart(at, 1_000);
      await rig.run(1_000 + pick(60_000), stepMs);
      rig.member(at).start();
    },
    // The source itself begins anew: all packagers at nearly the same time.
    async () => {
      const afterMs = pick(20_000);
      for (const at of [0, 1, 2]) restart(at, afterMs + pick(2_000));
    },
    async () => {
      for (const member of rig.members) member.kill();
      await rig.run(pick(20_000), stepMs);
      for (const member of rig.members) member.start();
    },
  ];
  const others: readonly (() => Promise<void>)[] = [
    async () => {
      const at = pick(3);
      const lost = 2 + pick(9);
      rig.member(at).packagers[0]?.set({ isMissing: (picture) => picture % lost === 1 });
      await rig.run(30_000, stepMs);
      rig.member(at).packagers[0]?.set({ isMissing: () => false });
    },
    async () => {
      const [a, b] = [pick(3), pick(3)];
      if (a === b) return;
      rig.cut(a, b);
      await rig.run(pick(90_000), stepMs);
      rig.heal(a, b);
    },
  ];
  const events = misfortunes === 'all' ? [...restarts, ...others] : restarts;
  for (const member of rig.members) member.start();
  await rig.run(60_000, stepMs);
  const endAt = rig.clock.now().monoMs + hours * hourMs;
  let count = 0;
  while (rig.clock.now().monoMs < endAt && rig.watch.faults.length === 0) {
    await rig.run(pick(2 * eventEveryMs), stepMs);
    await events[pick(events.length)]?.();
    count += 1;
  }
  await rig.run(120_000, stepMs);
  return { rig, events: count };
}

describe('hours with restarts of packagers and agents', { timeout: 1_200_000 }, () => {
  it.each([
    ['a day of restarts of packagers, agents, the source and everything', 24, 'restarts'],
    ['two hours of lost pictures and cut ways besides', 2, 'all'],
  ] as const)('%s lets no number fall or differ between members', async (_, hours, misfortunes) => {
    const { rig, events } = await live(hours, 1, misfortunes);
    expect(rig.watch.faults).toEqual([]);
    expect(events).toBeGreaterThan(7 * hours);
    expect(rig.watch.offered.size).toBeGreaterThan(500 * hours);
    expect(new Set(rig.members.map(({ timeline }) => timeline.runKey)).size).toBe(1);
    for (const { numbers } of rig.members) expect(numbers().length).toBeGreaterThan(3);
  });
});
