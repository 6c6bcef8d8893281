import { describe, expect, it } from 'vitest';
import { createSharedSource } from '../../support/shared-source.ts';
import {
  createTimelineRig,
  type MemberOptions,
  type TimelineRig,
} from '../../support/timeline-rig.ts';

const base = 3_000_000_000;

async function startAll(
  members: readonly MemberOptions[],
  options: Parameters<typeof createTimelineRig>[1] = {},
  ms = 40_000,
): Promise<TimelineRig> {
  const rig = createTimelineRig(members, options);
  for (const member of rig.members) member.start();
  await rig.run(ms);
  return rig;
}

/** Whether a member takes another one for a place where its viewers could go on. */
function isBackup(rig: TimelineRig, own: number, other: number): boolean {
  const verdict = rig.member(own).verdict(rig.member(other).id);
  return verdict?.proof.kind === 'proved' && verdict.isSameRun && verdict.segmentsBehind <= 1;
}

describe('a member that loses pictures', { timeout: 60_000 }, () => {
  it.each([
    ['and knows it', { isDamaged: (picture: number) => picture % 30 === 3 }],
    ['and does not know it', { isMissing: (picture: number) => picture % 30 === 3 }],
    ['keyframes too', { isMissing: (picture: number) => picture % 50 === 0 }],
  ])('%s publishes what the other one has', async (_, loss) => {
    const rig = await startAll([{}, { packagers: [{ base, ...loss }] }], {}, 60_000);
    expect(rig.watch.faults).toEqual([]);
    expect(rig.member(1).timeline.damage(0).replaced).toBeGreaterThan(5);
    expect(rig.member(0).timeline.damage(0).replaced).toBe(0);
    expect(isBackup(rig, 0, 1) && isBackup(rig, 1, 0)).toBe(true);
  });

  it.each([390, 400, 410, 1_000, 1_400])(
    'and does not know it, %i ms before the other one, learns to wait for it',
    async (latenessMs) => {
      const isMissing = (picture: number) => picture % 30 === 3;
      const packagers = [{ base, isMissing }];
      const rig = await startAll([{ packagers: [{ latenessMs }] }, { packagers }], {}, 60_000);
      const before = rig.member(1).timeline.damage(0).replaced;
      await rig.run(60_000);
      expect(rig.watch.faults).toEqual([]);
      // Every third segment has none of the missing pictures.
      expect(rig.member(1).timeline.damage(0).replaced - before).toBeGreaterThanOrEqual(18);
      expect(isBackup(rig, 0, 1) && isBackup(rig, 1, 0)).toBe(true);
    },
  );

  it('once waits for the other one for a minute, and is as fast as before then', async () => {
    const slow = { packagers: [{ latenessMs: 1_000 }] };
    const rig = await startAll([slow, { packagers: [{ base }] }], {}, 60_000);
    const { timeline, packagers } = rig.member(1);
    // Messages take some ms.
    const phase = () =>
      Math.round(((timeline.window(0)?.newest?.publishedAt ?? 0) % 2_000) / 100) * 100;
    const usual = phase();
    packagers[0]?.set({ isMissing: (picture) => picture % 10 === 3 });
    await rig.run(4_000);
    packagers[0]?.set({ isMissing: () => false });
    await rig.run(40_000);
    expect(phase()).toBe((usual + 1_000) % 2_000);
    await rig.run(30_000);
    expect(phase()).toBe(usual);
    expect(rig.watch.faults).toEqual([]);
  });

  it('more than half of them is no other source', async () => {
    const isMissing = (picture: number) => picture % 10 !== 0 && picture % 3 !== 0;
    const rig = await startAll([{}, { packagers: [{ base, isMissing }] }], {}, 60_000);
    expect(rig.watch.faults).toEqual([]);
    expect(isBackup(rig, 0, 1) && isBackup(rig, 1, 0)).toBe(true);
  });
});

describe('members that carry something else', { timeout: 60_000 }, () => {
  it('are different, and each goes on by itself', async () => {
    const encoder = { id: 7, keys: true };
    const rig = await startAll([{}, { packagers: [{ base, encoder }] }]);
    for (const [own, other] of [
      [0, 1],
      [1, 0],
    ] as const) {
      expect(rig.member(own).verdict(rig.member(other).id)?.proof.kind).toBe('different');
      expect(rig.member(own).numbers().length).toBeGreaterThan(3);
    }
  });

  it('with equal keyframes and other pictures between are different for both', async () => {
    const encoder = { id: 7, keys: false };
    const rig = await startAll([{}, { packagers: [{ base, encoder }] }], {}, 60_000);
    expect(rig.member(0).verdict('node-b')?.proof.kind).toBe('different');
    expect(rig.member(1).verdict('node-a')?.proof.kind).toBe('different');
    for (const { numbers } of rig.members) expect(numbers().length).toBeGreaterThan(3);
  });

  it('the same film later are different, with the shift', async () => {
    const film = createSharedSource();
    const later = createSharedSource({ shows: (picture) => picture - 200 });
    const rig = await startAll([{ source: film }, { source: later, packagers: [{ base }] }]);
    expect(rig.member(0).verdict('node-b')?.proof).toEqual({ kind: 'different', shift: 1_800_000 });
    for (const { numbers } of rig.members) expect(numbers().length).toBeGreaterThan(3);
  });
});

describe('pictures that repeat', { timeout: 60_000 }, () => {
  /** What a wrong proof would do: two members offer other pictures under one number. */
  async function neverWrong(shows: (picture: number) => number): Promise<TimelineRig> {
    const source = createSharedSource({ shows });
    const rig = await startAll(
      [{}, { packagers: [{ base, latenessMs: 700 }] }],
      { source },
      60_000,
    );
    for (const own of [0, 1]) {
      const proof = rig.member(own).verdict(rig.member(1 - own).id)?.proof;
      if (proof?.kind !== 'proved') continue;
      const start = 30 * 90_000;
      const right = own === 0 ? base - start : start - base;
      expect(proof.difference).toBe(right);
    }
    for (const { numbers } of rig.members) expect(numbers().length).toBeGreaterThan(3);
    return rig;
  }

  it.each([1, 2])('each %i keyframes, as black does, are refused', async (keys) => {
    const rig = await neverWrong((picture) => picture % (10 * keys));
    expect(isBackup(rig, 0, 1)).toBe(false);
    expect(rig.member(0).verdict('node-b')?.proof).toEqual({ kind: 'unknown', why: 'ambiguous' });
  });

  it('in a loop of ten seconds are refused, or placed right', async () => {
    await neverWrong((picture) => picture % 100);
  });

  it('in a loop of a minute are placed right', async () => {
    const rig = await neverWrong((picture) => picture % 600);
    expect(rig.watch.faults).toEqual([]);
    expect(isBackup(rig, 0, 1) && isBackup(rig, 1, 0)).toBe(true);
  });

  it('for a while after a proof change nothing', async () => {
    const source = createSharedSource({
      shows: (picture) => (picture > 1_000 ? picture % 10 : picture),
    });
    const rig = await startAll([{}, { packagers: [{ base }] }], { source }, 120_000);
    expect(rig.watch.faults).toEqual([]);
    expect(isBackup(rig, 0, 1) && isBackup(rig, 1, 0)).toBe(true);
  });
});

describe('a member that lags', { timeout: 60_000 }, () => {
  it.each([
    [1_500, true],
    [3_900, true],
  ])('by %i ms is a backup: %s', async (latenessMs, expected) => {
    const rig = await startAll([{}, { packagers: [{ base, latenessMs }] }], {}, 60_000);
    expect(rig.watch.faults).toEqual([]);
    let worst = 0;
    for (let step = 0; step < 100; step += 1) {
      await rig.run(100);
      worst = Math.max(worst, rig.member(0).verdict('node-b')?.segmentsBehind ?? 9);
    }
    expect(worst <= 1).toBe(expected);
  });

  it('does not make others wait', async () => {
    const rig = await startAll([{}, { packagers: [{ base, latenessMs: 2_000 }] }], {}, 60_000);
    const window = rig.member(0).timeline.window(0);
    const newest = window?.newest;
    await rig.until(() => window?.newest !== newest);
    const second = window?.newest?.publishedAt ?? 0;
    const third = window?.newest;
    await rig.until(() => window?.newest !== third);
    expect((window?.newest?.publishedAt ?? 0) - second).toBe(2_000);
  });

  it('because its packager stands still is behind, though not for the two segments that a long one may bring at once', async () => {
    const rig = await startAll([{}, { packagers: [{ base }] }]);
    rig.member(1).packagers[0]?.freeze();
    await rig.until(() => (rig.member(0).verdict('node-b')?.segmentsBehind ?? 0) >= 2, 16_000);
    rig.member(1).packagers[0]?.restart(rig.clock.now().monoMs);
    await rig.until(() => isBackup(rig, 0, 1), 20_000);
    await rig.run(20_000);
    expect(rig.watch.faults).toEqual([]);
  });
});

describe('keyframes', { timeout: 60_000 }, () => {
  it.each([
    ['ten seconds apart', 100],
    ['four seconds apart', 40],
  ])('%s make a stream that is offered', async (_, keyEvery) => {
    const source = createSharedSource({ keyEvery });
    const rig = await startAll([{}, { packagers: [{ base }] }], { source }, 120_000);
    expect(rig.watch.faults).toEqual([]);
    for (const { numbers } of rig.members) expect(numbers().length).toBeGreaterThan(3);
    expect(isBackup(rig, 0, 1)).toBe(true);
  });

  it('that stay away for a while leave numbers consecutive, the same everywhere', async () => {
    const isKey = (picture: number) => picture % 10 === 0 && (picture < 800 || picture > 900);
    const source = createSharedSource({ isKey });
    const rig = await startAll([{}, { packagers: [{ base }] }], { source }, 60_000);
    expect(rig.watch.faults).toEqual([]);
    expect(rig.watch.offered.size).toBeGreaterThan(20);
    expect(isBackup(rig, 0, 1) && isBackup(rig, 1, 0)).toBe(true);
  });

  it('of two pictures a second make a stream that is offered', async () => {
    const source = createSharedSource({ fps: 2, keyEvery: 4 });
    const rig = await startAll([{}, { packagers: [{ base }] }], { source }, 120_000);
    expect(rig.watch.faults).toEqual([]);
    for (const { numbers } of rig.members) expect(numbers().length).toBeGreaterThan(3);
  });
});
