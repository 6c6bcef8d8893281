import { describe, expect, it } from 'vitest';
import { createTimelineRig, type TimelineRig } from '../support/timeline-rig.ts';

const base = 7_000_000_000;

/** Two nodes of one channel; the second one's packager counts another time and started much later. */
async function startPair(): Promise<TimelineRig> {
  const rig = createTimelineRig([{}, { packagers: [{ base, latenessMs: 300 }] }]);
  rig.member(0).start();
  await rig.run(30_000);
  rig.member(1).start();
  await rig.until(() => rig.member(1).numbers().length > 0);
  await rig.run(20_000);
  return rig;
}

function playlist(rig: TimelineRig, at: number): string {
  return new TextDecoder().decode(rig.member(at).timeline.window(0)?.playlist);
}

/** The lines of each segment that both list, by its name. */
function common(rig: TimelineRig): ReadonlyMap<string, readonly string[]> {
  const blocks = [0, 1].map((at) => {
    const [, ...segments] = playlist(rig, at).split('#EXT-X-PROGRAM-DATE-TIME');
    return new Map(segments.map((text) => [/\d+\.ts/.exec(text)?.[0] ?? '', text]));
  });
  const [own, other] = blocks;
  return new Map(
    [...(own ?? [])].flatMap(([name, text]) => {
      const theirs = other?.get(name);
      return theirs === undefined ? [] : [[name, [text.trim(), theirs.trim()]] as const];
    }),
  );
}

describe('timelines of two nodes', { timeout: 60_000 }, () => {
  it('players report 1, 2: a backup whose packager numbers otherwise lists the same segments, one behind at most', async () => {
    const rig = await startPair();
    const shared = common(rig);
    expect(shared.size).toBeGreaterThan(5);
    for (const [name, [own, other]] of shared) {
      // The line that follows may be a discontinuity of the next segment.
      expect(`${name} ${own}`).toBe(`${name} ${other}`);
    }
    expect(rig.member(0).verdict('node-b')?.segmentsBehind).toBeLessThanOrEqual(1);
  });

  it('players report 3, report 29: a node that comes back offers nothing before its window is whole and aligned', async () => {
    const rig = await startPair();
    const key = rig.member(1).timeline.runKey;
    rig.member(0).kill();
    rig.member(0).packagers[0]?.restart(rig.clock.now().monoMs, { base: 99 });
    await rig.run(10_000);
    rig.member(0).start();
    await rig.until(() => rig.member(0).numbers().length > 0);
    expect(rig.member(0).timeline.runKey).toBe(key);
    expect(rig.member(0).numbers().length).toBeGreaterThanOrEqual(3);
    expect(rig.watch.faults).toEqual([]);
  });

  it('players report 8: a source that restarts is one discontinuity, with the same number on both', async () => {
    const rig = await startPair();
    for (const { packagers } of rig.members)
      packagers[0]?.restart(rig.clock.now().monoMs, { base: 5, afterMs: 2_000 });
    const isListed = (at: number) => playlist(rig, at).includes('#EXT-X-DISCONTINUITY\n');
    await rig.until(() => isListed(0) && isListed(1));
    const [own, other] = [0, 1].map((at) =>
      /#EXT-X-DISCONTINUITY\n(?:#.*\n)*(\d+)\.ts/.exec(playlist(rig, at)),
    );
    expect(own?.[0]).toBe(other?.[0]);
    const heads = [0, 1].map((at) => /DISCONTINUITY-SEQUENCE:(\d+)/.exec(playlist(rig, at))?.[1]);
    expect(heads[0]).toBe(heads[1]);
    expect(rig.watch.faults).toEqual([]);
  });

  it("players report 9, 10: what both packagers miss is a gap, or the other node's bytes, and never a hole in the numbers", async () => {
    const rig = await startPair();
    const from = Math.floor(rig.clock.now().monoMs / 100) + 500;
    for (const { packagers } of rig.members)
      packagers[0]?.set({ isMissing: (picture) => picture > from && picture < from + 60 });
    await rig.run(40_000);
    for (const { numbers } of rig.members) {
      const listed = numbers();
      expect(listed.length).toBeGreaterThan(5);
      expect(listed.map((number) => number - (listed[0] ?? 0))).toEqual([...listed.keys()]);
    }
    expect(rig.watch.faults).toEqual([]);
  });

  it('report 9: a packager that begins at its first number again changes no number of the viewers', async () => {
    const rig = await startPair();
    const before = rig.member(0).numbers().at(-1) ?? 0;
    rig.member(0).packagers[0]?.restart(rig.clock.now().monoMs, { base: 0 });
    await rig.run(30_000);
    expect(rig.member(0).numbers().at(-1)).toBeGreaterThan(before);
    expect(rig.watch.faults).toEqual([]);
  });

  it('report 10: a node whose packager stands still is behind, and the other one goes on', async () => {
    const rig = await startPair();
    rig.member(0).packagers[0]?.freeze();
    await rig.until(() => (rig.member(1).verdict('node-a')?.segmentsBehind ?? 0) > 1, 16_000);
    const before = rig.member(1).numbers().at(-1) ?? 0;
    await rig.run(10_000);
    expect(rig.member(1).numbers().at(-1)).toBeGreaterThanOrEqual(before + 4);
  });
});
