import { describe, expect, it } from 'vitest';
import { createTimelineRig, type TimelineRig } from '../../support/timeline-rig.ts';

const someBase = 5_000_000_000;
/** A packager whose times wrap a minute after it starts. */
const nearWrap = 2 ** 33 - 60 * 90_000;

/** Two members, settled and both offering. */
async function startPair(options: { loss?: number } = {}): Promise<TimelineRig> {
  const rig = createTimelineRig(
    [
      { packagers: [{ segmentMs: 2_000 }] },
      { packagers: [{ segmentMs: 4_000, base: someBase, latenessMs: 200 }] },
    ],
    options,
  );
  for (const member of rig.members) member.start();
  await allOffer(rig);
  await rig.run(10_000);
  return rig;
}

function allOffer(rig: TimelineRig, maxMs?: number): Promise<number> {
  return rig.until(() => rig.members.every(({ numbers }) => numbers().length > 0), maxMs);
}

/** Every member follows one run, proved, and offers as new numbers as the others, but for the four seconds of one packager. */
function expectOne(rig: TimelineRig): void {
  expect(rig.watch.faults).toEqual([]);
  expect(new Set(rig.members.map(({ timeline }) => timeline.runKey)).size).toBe(1);
  for (const own of rig.members)
    for (const other of rig.members) {
      if (own === other) continue;
      const verdict = own.verdict(other.id);
      expect(verdict).toMatchObject({ proof: { kind: 'proved' }, isSameRun: true });
      expect(verdict?.segmentsBehind).toBeLessThanOrEqual(2);
    }
}

/** Sequences of the runs that were offered so far. */
function sequences(rig: TimelineRig): ReadonlySet<number> {
  return new Set([...rig.watch.offered.values()].map(({ sequence }) => sequence));
}

describe('a member whose agent dies', { timeout: 60_000 }, () => {
  it('leaves the other one going on, and joins it when it is back, with its packager as it was', async () => {
    const rig = await startPair();
    const key = rig.member(1).timeline.runKey;
    rig.member(0).kill();
    await rig.run(20_000);
    rig.member(0).start();
    await allOffer(rig);
    await rig.run(10_000);
    expectOne(rig);
    expect(rig.member(0).timeline.runKey).toBe(key);
    expect(sequences(rig).size).toBe(1);
  });

  it('joins with a packager that began anew meanwhile', async () => {
    const rig = await startPair();
    const key = rig.member(1).timeline.runKey;
    rig.member(0).kill();
    rig.member(0).packagers[0]?.restart(rig.clock.now().monoMs, { base: 700 });
    await rig.run(20_000);
    rig.member(0).start();
    await allOffer(rig);
    await rig.run(10_000);
    expectOne(rig);
    expect(rig.member(0).timeline.runKey).toBe(key);
  });

  it.each(['kept', 'began anew'])(
    'and all others too: numbers go on with packagers that %s',
    async (how) => {
      const rig = await startPair();
      for (const member of rig.members) {
        member.kill();
        if (how !== 'kept')
          member.packagers[0]?.restart(rig.clock.now().monoMs, { base: 12_345_678 });
      }
      await rig.run(20_000);
      for (const member of rig.members) member.start();
      await allOffer(rig);
      await rig.run(10_000);
      expectOne(rig);
      expect(sequences(rig).size).toBe(how === 'kept' ? 1 : 2);
    },
  );
});

describe('a packager that is restarted', { timeout: 60_000 }, () => {
  it.each([
    ['with a new base', { base: 900_000 }],
    ['keeping its times', { afterMs: 3_000 }],
    ['keeping its times, after a long time', { afterMs: 15_000 }],
  ])('%s joins the run again, without a break for the others', async (_, how) => {
    const rig = await startPair();
    const key = rig.member(0).timeline.runKey;
    rig.member(1).packagers[0]?.restart(rig.clock.now().monoMs, how);
    await rig.run(40_000);
    expectOne(rig);
    expect(rig.member(0).timeline.runKey).toBe(key);
    expect(sequences(rig).size).toBe(1);
  });

  it.each([
    ['with new bases', (at: number) => ({ base: 1_000 * at + 77, afterMs: 4_000 })],
    ['one of them keeping its times', (at: number) => (at === 0 ? {} : { base: 5 })],
  ])('together with all others, %s: one discontinuity, the same everywhere', async (_, how) => {
    const rig = await startPair();
    const at = rig.clock.now().monoMs;
    for (const [index, { packagers }] of rig.members.entries())
      packagers[0]?.restart(at, how(index));
    await rig.run(40_000);
    expectOne(rig);
    expect(sequences(rig).size).toBeLessThanOrEqual(2);
  });

  it('every half minute for five minutes, now here, now there, makes no number fall', async () => {
    const rig = await startPair();
    for (let round = 0; round < 10; round += 1) {
      const { packagers } = rig.member(round % 2);
      packagers[0]?.restart(rig.clock.now().monoMs, { base: 1_000_000 * round });
      await rig.run(30_000);
      expectOne(rig);
    }
    expect(sequences(rig).size).toBe(1);
  });
});

describe('time stamps that wrap', { timeout: 60_000 }, () => {
  it('are nothing that a viewer or another member would notice', async () => {
    const rig = createTimelineRig([
      { packagers: [{ segmentMs: 2_000, base: nearWrap }] },
      { packagers: [{ segmentMs: 4_000, base: nearWrap - 20 * 90_000 }] },
    ]);
    for (const member of rig.members) member.start();
    await allOffer(rig);
    await rig.run(90_000);
    expectOne(rig);
    expect(sequences(rig).size).toBe(1);
  });
});

describe('members that do not hear each other', { timeout: 60_000 }, () => {
  it('go on in one run, and are one again when they do', async () => {
    const rig = await startPair();
    rig.cut(0, 1);
    await rig.run(60_000);
    expect(rig.members.map(({ numbers }) => numbers().length > 0)).toEqual([true, true]);
    rig.heal(0, 1);
    await rig.run(10_000);
    expectOne(rig);
    expect(sequences(rig).size).toBe(1);
  });

  it('when the source restarts are on one run afterwards, above all numbers of both', async () => {
    const rig = await startPair();
    rig.cut(0, 1);
    await rig.run(5_000);
    for (const { packagers } of rig.members)
      packagers[0]?.restart(rig.clock.now().monoMs, { base: 4_321 });
    await rig.run(40_000);
    expect(rig.members.map(({ numbers }) => numbers().length > 0)).toEqual([true, true]);
    // Each founded a run of its own: the same numbers name other segments here and there.
    expect(rig.watch.faults.length).toBeGreaterThan(0);
    expect(rig.watch.faults.filter((fault) => fault.includes('fell'))).toEqual([]);
    rig.heal(0, 1);
    await rig.until(() => rig.member(0).timeline.runKey === rig.member(1).timeline.runKey);
    const before = rig.watch.faults.length;
    await rig.run(30_000);
    expect(rig.watch.faults.slice(before)).toEqual([]);
    expect(rig.members.map(({ numbers }) => numbers().length > 3)).toEqual([true, true]);
    expect(rig.member(0).timeline.runKey).toBe(rig.member(1).timeline.runKey);
  });

  it('for one message in twenty publish the same', async () => {
    const rig = await startPair({ loss: 0.05 });
    await rig.run(120_000);
    expectOne(rig);
    expect(sequences(rig).size).toBe(1);
  });
});
