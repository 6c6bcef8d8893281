import { describe, expect, it } from 'vitest';
import { realSegments } from '../support/canonical-origin.ts';
import { backupHosts, type GroupNode, type GroupRig, startGroup } from '../support/group-rig.ts';

/** Real origins on a busy machine, ms. */
const patienceMs = 60_000;
/** 1.5 target durations of 2 s from when the last movement was seen; a step of this test. */
const offMsMax = 3_000 + 250 + 100;
const rungs = ['high', 'middle', 'low'];
/** As many segments as the longest test here takes. */
const segmentsMax = 40;

/** What a player gets that reloads each rung: reason and status, once where all are the same. */
async function reloads(node: GroupNode): Promise<string> {
  const answers = await Promise.all(rungs.map((rung) => node.ask(`/ch1/${rung}/video.m3u8`)));
  const said = answers.map(
    ({ status, headers }) => `${status} ${headers.get('x-understudy-reason')}`,
  );
  return [...new Set(said)].join();
}

/** Lets time go on, up to `maxMs`, until every rung is answered so at `node`; the answer is how long it took. */
async function until(rig: GroupRig, node: GroupNode, said: string, maxMs = 20_000) {
  const seen = new Set<string>();
  for (let ms = 0; ms <= maxMs; ms += 100) {
    const now = await reloads(node);
    seen.add(now);
    if (now === said) return { ms, seen: [...seen] };
    await rig.run(100);
  }
  throw new Error(`never "${said}", but ${[...seen].join(' / ')}`);
}

function withThreeRungs(more: object = {}) {
  return {
    origin: {
      rungs: rungs.map((name, at) => ({ path: `${name}/video.m3u8`, bandwidth: 3_000_000 >> at })),
      ...more,
    },
  };
}

/** The window of a node's origin stands still for `ms`, then is where the others are: a packager that hung. */
async function hang(rig: GroupRig, node: GroupNode, ms: number): Promise<void> {
  node.origin.knobs.frozen = true;
  await rig.run(ms);
  node.origin.knobs.frozen = false;
  node.origin.advance(ms / 2_000);
}

const offAir = (node: GroupNode) =>
  node.log.flatMap(({ event, fields }) =>
    event === 'stream off air' ? [(fields as { reason: string }).reason] : [],
  );

describe('a canonical stream of three rungs whose origin stands still', {
  timeout: patienceMs,
}, () => {
  it('is 404 on all rungs at once, then held, then on all rungs again, while the other member is named alone', async () => {
    const segment = realSegments(rungs, segmentsMax);
    const rig = await startGroup(2, () => ({
      ...withThreeRungs({ segment }),
      stream: { source: undefined },
    }));
    const [a, b] = [rig.node(0), rig.node(1)];
    const named = async () => backupHosts(await (await b.ask('/ch1/index.m3u8')).text());
    await until(rig, a, '200 own-viewer');
    await rig.run(6_000);
    expect(a.agent.live.facts('ch1')?.hls?.timeline).toEqual({ state: 'anew' });
    expect(await named()).toEqual(['node-a.example.net']);

    a.origin.knobs.frozen = true;
    const off = await until(rig, a, '404 frozen');
    // Every look found one answer on all rungs; the window had moved less than a target duration before.
    expect(off.seen).toEqual(['200 own-viewer', '404 frozen']);
    expect(off.ms).toBeGreaterThan(1_000);
    expect(off.ms).toBeLessThanOrEqual(offMsMax);
    expect((await a.ask('/ch1/index.m3u8')).status).toBe(302);
    await rig.run(200);
    expect(await named()).toEqual([]);
    expect(await reloads(b)).toBe('200 own-viewer');

    a.origin.knobs.frozen = false;
    a.origin.advance(Math.ceil(off.ms / 2_000));
    const back = await until(rig, a, '404 settling');
    expect(back.seen).toEqual(['404 frozen', '404 settling']);
    const on = await until(rig, a, '200 own-viewer');
    expect(on.seen).toEqual(['404 settling', '200 own-viewer']);
    expect(on.ms).toBeGreaterThanOrEqual(5_900);
    expect(on.ms).toBeLessThanOrEqual(8_500);
    await rig.run(1_500);
    expect(await named()).toEqual(['node-a.example.net']);
  });

  it('is so as well when only the third rung does', async () => {
    const segment = realSegments(rungs, segmentsMax);
    const rig = await startGroup(2, () => ({
      ...withThreeRungs({ segment }),
      stream: { source: undefined },
    }));
    const a = rig.node(0);
    await until(rig, a, '200 own-viewer');
    await rig.run(4_000);
    const still = await (await fetch(`${a.origin.base}/live/ch1/low/video.m3u8`)).text();
    a.origin.route('/live/ch1/low/video.m3u8', (_, response) => response.end(still));
    const off = await until(rig, a, '404 frozen');
    expect(off.seen).toEqual(['200 own-viewer', '404 frozen']);
    expect(off.ms).toBeLessThanOrEqual(offMsMax);
  });
});

describe('a stream that comes back', { timeout: patienceMs }, () => {
  it('is offered at once when the member dies that served meanwhile', async () => {
    const rig = await startGroup(2, () => withThreeRungs());
    const [a, b] = [rig.node(0), rig.node(1)];
    await hang(rig, a, 4_000);
    await until(rig, a, '404 settling');
    b.kill();
    const on = await until(rig, a, '200 own-viewer');
    expect(on.ms).toBeLessThanOrEqual(2_000);
  });

  it('is offered at once when the other member stands still as well', async () => {
    const rig = await startGroup(2, () => withThreeRungs());
    const [a, b] = [rig.node(0), rig.node(1)];
    a.origin.knobs.frozen = true;
    b.origin.knobs.frozen = true;
    // Whoever leaves the air tells the other one at once: never do both say 404 for longer than that takes.
    let looksWithout200 = 0;
    for (let ms = 0; ms < 6_000; ms += 100) {
      await rig.run(100);
      const said = [await reloads(a), await reloads(b)];
      if (said.every((one) => one.startsWith('404'))) looksWithout200 += 1;
    }
    expect(looksWithout200).toBeLessThanOrEqual(1);
    expect([await reloads(a), await reloads(b)]).toEqual(['200 last-resort', '200 last-resort']);
    a.origin.knobs.frozen = false;
    b.origin.knobs.frozen = false;
    await until(rig, a, '200 own-viewer', 2_500);
    await until(rig, b, '200 own-viewer', 2_500);
    expect([...offAir(a), ...offAir(b)]).not.toContain('settling');
  });

  it('is held again, longer, when it fails again', async () => {
    const rig = await startGroup(2, () => withThreeRungs());
    const a = rig.node(0);
    for (const holdMs of [6_000, 12_000]) {
      await hang(rig, a, 4_000);
      await until(rig, a, '404 settling');
      const on = await until(rig, a, '200 own-viewer');
      expect(on.ms).toBeGreaterThanOrEqual(holdMs - 100);
      expect(on.ms).toBeLessThanOrEqual(holdMs + 600);
    }
  });

  it('is not held because its agent was restarted, nor because it was configured anew', async () => {
    const rig = await startGroup(2, () => withThreeRungs());
    const a = rig.node(0);
    a.kill();
    await rig.run(3_000);
    a.start();
    await until(rig, a, '200 own-viewer', 3_000);
    const { origin } = a;
    const config = { name: 'ch1', origin: origin.entry, group: 'ch1', reserve: true };
    a.configure([{ ...config, source: 'studio', canonical: false }]);
    await rig.run(1_000);
    a.configure([{ ...config, source: 'another' }]);
    await rig.run(6_000);
    expect(await reloads(a)).toBe('200 own-viewer');
    expect(offAir(a)).not.toContain('settling');
  });

  it('is held as long by the monotonic clock, whatever the wall clock does', async () => {
    const rig = await startGroup(2, () => withThreeRungs());
    const a = rig.node(0);
    await hang(rig, a, 4_000);
    await until(rig, a, '404 settling');
    a.clock.stepWall(60_000);
    await rig.run(2_000);
    a.clock.stepWall(-100_000);
    const on = await until(rig, a, '200 own-viewer');
    expect(on.ms).toBeGreaterThanOrEqual(3_900);
    expect(on.ms).toBeLessThanOrEqual(4_600);
  });
});

describe('a step of a wall clock', { timeout: patienceMs }, () => {
  it.each([
    ['back', -3_600_000],
    ['on', 3_600_000],
  ])('by an hour %s takes nothing off air, canonical or not', async (_, stepMs) => {
    const segment = realSegments(rungs, segmentsMax);
    const rig = await startGroup(2, () => ({
      ...withThreeRungs({ segment }),
      stream: { source: undefined },
    }));
    const [a, b] = [rig.node(0), rig.node(1)];
    const config = { origin: a.origin.entry, reserve: true };
    a.configure([
      { ...config, name: 'ch1', group: 'ch1' },
      { ...config, name: 'plain', group: 'plain', canonical: false },
    ]);
    await until(rig, a, '200 own-viewer');
    await rig.run(4_000);
    const before = [offAir(a), offAir(b)];
    a.clock.stepWall(stepMs);
    await rig.run(8_000);
    expect(await reloads(a)).toBe('200 own-viewer');
    expect((await a.ask('/plain/high/video.m3u8')).status).toBe(200);
    expect([offAir(a), offAir(b)]).toEqual(before);
  });
});

describe('an MPD that stands still', { timeout: patienceMs }, () => {
  it('sends its viewers on, also while it settles, then is served again', async () => {
    const rig = await startGroup(2);
    const a = { node: rig.node(0), number: 1 };
    const b = { node: rig.node(1), number: 1 };
    for (const mpd of [a, b]) {
      const { origin } = mpd.node;
      origin.route('/live/ch1/manifest.mpd', (_, response) => response.end(mpdOf(mpd)));
      const dash = origin.entry.replace('index.m3u8', 'manifest.mpd');
      mpd.node.configure([{ name: 'ch1', dash, group: 'ch1', reserve: true }]);
    }
    const watch = (changes: number, moving: readonly Mpd[]) => watchMpd(rig, changes, moving);
    expect(await watch(4, [a, b])).toEqual([200]);
    expect(await watch(4, [b])).toEqual([200, 302]);
    expect(offAir(a.node).at(-1)).toBe('frozen');
    expect(await watch(2, [a, b])).toEqual([302]);
    expect(offAir(a.node).at(-1)).toBe('settling');
    expect(await watch(3, [a, b])).toEqual([302, 200]);
  });
});

type Mpd = { number: number };

/** The MPDs `moving` change each 2 s, so many times; the answer is what viewers got at node-a, changes only. */
async function watchMpd(rig: GroupRig, changes: number, moving: readonly Mpd[]) {
  const seen: number[] = [];
  for (let looks = 0; looks < 4 * changes; looks += 1) {
    if (looks % 4 === 0) for (const mpd of moving) mpd.number += 1;
    await rig.run(500);
    const { status } = await rig.node(0).ask('/ch1/manifest.mpd');
    if (status !== seen.at(-1)) seen.push(status);
  }
  return seen;
}

function mpdOf({ number }: Mpd): string {
  return `<MPD type="dynamic" maxSegmentDuration="PT2S"><Period><SegmentTimeline><S t="${number}"/></SegmentTimeline></Period></MPD>`;
}
