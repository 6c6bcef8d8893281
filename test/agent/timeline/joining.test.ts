import { describe, expect, it } from 'vitest';
import { createTimelineRig } from '../../support/timeline-rig.ts';

/** Base of a packager that wraps within the first minute. */
const someBase = 5_000_000_000;

describe('members that start', { timeout: 60_000 }, () => {
  it('together settle on one run before either offers it', async () => {
    const rig = createTimelineRig([
      { packagers: [{ segmentMs: 2_000 }] },
      { packagers: [{ segmentMs: 4_000, base: someBase, latenessMs: 300 }] },
    ]);
    for (const member of rig.members) member.start();
    await rig.until(() => rig.members.every(({ numbers }) => numbers().length > 0));
    await rig.run(30_000);
    expect(rig.watch.faults).toEqual([]);
    const [a, b] = rig.members;
    expect(a?.verdict('node-b')).toMatchObject({ proof: { kind: 'proved' }, isSameRun: true });
    expect(b?.verdict('node-a')).toMatchObject({ proof: { kind: 'proved' }, isSameRun: true });
  });

  it('alone offer at once, and a second joins unnoticed', async () => {
    const rig = createTimelineRig([
      { packagers: [{ segmentMs: 2_000 }] },
      { packagers: [{ segmentMs: 4_000, base: someBase }] },
    ]);
    const [a, b] = rig.members;
    a?.start();
    await rig.until(() => (a?.numbers().length ?? 0) > 0, 20_000);
    await rig.run(20_000);
    const key = a?.timeline.runKey;
    b?.start();
    await rig.until(() => (b?.numbers().length ?? 0) > 0, 20_000);
    await rig.run(30_000);
    expect(rig.watch.faults).toEqual([]);
    expect([a, b].map((member) => member?.timeline.runKey)).toEqual([key, key]);
  });
});
