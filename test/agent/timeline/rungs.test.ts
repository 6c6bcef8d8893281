import { describe, expect, it } from 'vitest';
import { createTimelineRig } from '../../support/timeline-rig.ts';

const base = 3_000_000_000;

describe('a stream of several rungs', { timeout: 60_000 }, () => {
  const three = (more: object = {}) => [
    { ...more },
    { ...more },
    { ...more, kind: 'audio' as const },
  ];

  it.each([
    ['pictures first', [0, 1, 2]],
    ['sound first', [2, 0, 1]],
  ])('has equal numbers on all of them and on all members, with %s', async (_, order) => {
    const sorted = (more: object = {}) => order.flatMap((at) => three(more)[at] ?? []);
    const rig = createTimelineRig([
      { packagers: sorted() },
      { packagers: sorted({ base, segmentMs: 4_000 }) },
    ]);
    const [a, b] = rig.members;
    a?.start();
    await rig.run(60_000);
    const key = a?.timeline.runKey;
    b?.start();
    await rig.run(60_000);
    expect(rig.watch.faults).toEqual([]);
    expect(b?.timeline.runKey).toBe(key);
    for (const rung of [0, 1, 2]) {
      const [own, other] = [a?.numbers(rung) ?? [], b?.numbers(rung) ?? []];
      expect(own.length).toBeGreaterThan(5);
      expect(Math.abs((own.at(-1) ?? 0) - (other.at(-1) ?? 0))).toBeLessThanOrEqual(1);
      expect(own).toEqual(a?.numbers(0));
    }
  });

  it('one of whose packagers begins anew by itself publishes no wrong picture', async () => {
    const rig = createTimelineRig([{ packagers: three() }, { packagers: three({ base }) }]);
    for (const member of rig.members) member.start();
    await rig.run(40_000);
    rig.member(1).packagers[1]?.restart(rig.clock.now().monoMs, { base: 55_555 });
    await rig.run(40_000);
    expect(rig.watch.faults).toEqual([]);
    expect(rig.member(0).numbers().length).toBeGreaterThan(5);
  });

  it('of which another member has fewer goes on by itself, as that one does', async () => {
    const rig = createTimelineRig([{ packagers: three() }, { packagers: [{ base }] }]);
    const [a, b] = rig.members;
    a?.start();
    await rig.run(30_000);
    b?.start();
    await rig.run(40_000);
    expect(a?.numbers().length).toBeGreaterThan(5);
    expect(b?.numbers().length).toBeGreaterThan(5);
  });
});
