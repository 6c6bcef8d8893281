import { describe, expect, it } from 'vitest';
import { beginDrill, drillThrough, startPlaying } from '../../support/drill-rig.ts';
import { passIn, startGroup, urisOf } from '../../support/group-rig.ts';

const verdicts = (view: Awaited<ReturnType<typeof drillThrough>>) =>
  Object.fromEntries(view.families.map(({ family, verdict }) => [family, verdict]));

describe('a drill', { timeout: 60_000 }, () => {
  it('with 404 is carried by everybody who follows backups, and legacy players are sent on', async () => {
    const rig = await startGroup(3);
    const view = await drillThrough(rig, {});
    expect([view.state, view.passed]).toEqual(['done', true]);
    expect(verdicts(view)).toEqual({
      ...{ 'hls.js': 'carried', shaka: 'carried', vhs: 'carried', media3: 'carried' },
      ...{ avplayer: 'carried', legacy: 'interrupted' },
    });
    for (const family of view.families) {
      expect(family.servedAfterMs).toBeLessThanOrEqual(family.expectedWithinMs ?? 0);
      expect(['node-b', 'node-c']).toEqual(expect.arrayContaining([...family.to]));
      expect(family.missingMs).toBe(0);
    }
  });

  it('with closed connections loses Media3 and legacy players, as their rules say, and carries the others', async () => {
    const rig = await startGroup(2);
    const view = await drillThrough(rig, { failure: 'cut', durationS: 40 });
    expect(verdicts(view)).toEqual({
      ...{ 'hls.js': 'carried', shaka: 'carried', vhs: 'carried', media3: 'lost' },
      ...{ avplayer: 'carried', legacy: 'lost' },
    });
    expect(view.passed).toBe(true);
    const media3 = view.families.find(({ family }) => family === 'media3');
    expect([media3?.expected, media3?.ended]).toEqual(['ends', 1]);
    expect(media3?.withoutMediaMs).toBeGreaterThan(20_000);
  });

  it('with silence takes what players wait for an answer, and who moves later is not lost yet', async () => {
    const rig = await startGroup(2);
    const families = ['shaka', 'vhs'] as const;
    const view = await drillThrough(rig, { failure: 'silent', durationS: 30, families });
    expect(verdicts(view)).toEqual({ shaka: 'interrupted', vhs: 'waiting' });
    const [shaka] = view.families;
    expect(shaka?.movedAfterMs).toBeGreaterThanOrEqual(21_000);
  });

  it('with a frozen playlist leaves hls.js and Shaka where they are, with nothing to show', async () => {
    const rig = await startGroup(2);
    const view = await drillThrough(rig, { failure: 'frozen', durationS: 25 });
    expect(verdicts(view)).toEqual({
      ...{ 'hls.js': 'stays', shaka: 'stays', vhs: 'carried', media3: 'lost' },
      ...{ avplayer: 'carried', legacy: 'stays' },
    });
    expect(view.families[0]?.withoutMediaMs).toBeGreaterThan(10_000);
  });

  it('with late answers moves nobody who waits for longer than that', async () => {
    const rig = await startGroup(2);
    const families = ['hls.js'] as const;
    const slow = { failure: 'slow', slowMs: 1_000, families } as const;
    const view = await drillThrough(rig, slow);
    expect(verdicts(view)).toEqual({ 'hls.js': 'stays' });
    const late = await drillThrough(rig, { ...slow, slowMs: 12_000, durationS: 80 });
    expect(verdicts(late)).toEqual({ 'hls.js': 'interrupted' });
  });

  it('meets the share of its players that was asked for, and nobody else', async () => {
    const rig = await startGroup(2);
    const viewer = await startPlaying(rig.node(0));
    const running = await beginDrill(rig, { probes: 4, sharePercent: 50, families: ['vhs'] });
    await running.untilFailing();
    await rig.run(6_000);
    expect((await viewer.reload()).status).toBe(200);
    const [vhs] = running.view().families;
    expect([vhs?.probes, vhs?.chosen, vhs?.moved]).toEqual([4, 2, 2]);
    const untouched = running.view().probes.filter(({ chosen }) => !chosen);
    expect(untouched.map(({ state, movedTo }) => [state, movedTo])).toEqual([
      ['playing', undefined],
      ['playing', undefined],
    ]);
  });

  it('leaves no session of its own behind at this node', async () => {
    const rig = await startGroup(2);
    await drillThrough(rig, { families: ['vhs'] });
    expect(rig.node(0).agent.sessions.counts()).toEqual({ own: 0, backup: 0 });
  });

  it('ends when somebody says so: who was held is let go', async () => {
    const rig = await startGroup(2);
    const running = await beginDrill(rig, { failure: 'silent', families: ['vhs'], durationS: 60 });
    await running.untilFailing();
    await rig.run(3_000);
    const { agent, clock } = rig.node(0);
    expect(agent.drills.stop(running.id, clock.now())?.state).toBe('stopped');
    const { endedAt, failureAt = 0 } = running.view();
    expect(endedAt).toBeLessThan(failureAt + 60_000);
    const again = await beginDrill(rig, { families: ['vhs'] });
    expect(again.id).not.toBe(running.id);
  });

  it('is refused while another one is on, for a stream that is not here, and with nobody to take over', async () => {
    const rig = await startGroup(2);
    await expect(beginDrill(rig, { stream: 'none' })).rejects.toThrow('no stream "none"');
    rig.node(1).kill();
    await rig.run(3_000);
    await expect(beginDrill(rig, {})).rejects.toThrow(
      'nobody could take over "ch1" now: node-b (unreachable)',
    );
    const forced = await beginDrill(rig, { force: true, families: ['vhs'] });
    await expect(beginDrill(rig, { force: true })).rejects.toThrow('a drill is on already');
    await forced.untilFailing();
    await rig.run(21_000);
    expect([forced.view().state, forced.view().passed]).toEqual(['done', false]);
    expect(forced.view().families[0]?.verdict).toBe('lost');
  });
});

describe('a drill whose players cannot open the stream', { timeout: 60_000 }, () => {
  it('does not come to the failure, and says why', async () => {
    // Where its viewers find it, nobody is: a name that this machine cannot reach.
    const rig = await startGroup(2, (at) =>
      at === 0 ? { publicUrl: 'http://elsewhere.example.net' } : {},
    );
    const running = await beginDrill(rig, {});
    await running.untilFailing();
    const { state, passed, failureAt, families, probes } = running.view();
    expect([state, passed, failureAt]).toEqual(['done', undefined, undefined]);
    expect(new Set(families.map(({ verdict }) => verdict))).toEqual(new Set(['unproved']));
    expect(probes[0]?.note).toBe('could not open: cut');
  });
});

describe('a drill that real viewers take part in', { timeout: 60_000 }, () => {
  it('meets those with a backup, tells how long they tried, and is over by itself', async () => {
    const rig = await startGroup(2);
    const viewer = await startPlaying(rig.node(0));
    const lonely = await startPlaying(rig.node(0), 'VLC/3.0.20 LibVLC/3.0.20');
    const running = await beginDrill(rig, { viewersPercent: 100, families: ['vhs'] });
    await running.untilFailing();
    const refused = await viewer.reload();
    expect([refused.status, refused.headers.get('x-understudy-reason')]).toEqual([404, 'drill']);
    expect((await lonely.reload()).status).toBe(200);
    await rig.run(9_000);
    expect(running.view().viewers).toMatchObject([
      { family: 'browser', met: 1, left: 1, leftAfterMs: 0, arrived: 0 },
    ]);
    await rig.run(12_000);
    expect((await viewer.reload()).status).toBe(200);
  });

  it('finds them where they have gone to, and tells how long that took', async () => {
    const rig = await startGroup(2);
    const [a, b] = [rig.node(0), rig.node(1)];
    const viewers = [await startPlaying(a), await startPlaying(a), await startPlaying(a)];
    const running = await beginDrill(rig, { viewersPercent: 100, families: ['vhs'] });
    await running.untilFailing();
    for (const viewer of viewers) expect((await viewer.reload()).status).toBe(404);
    await rig.run(3_000);
    for (const viewer of viewers.slice(0, 2)) expect((await viewer.moveTo(b)).status).toBe(200);
    await rig.run(2_000);
    const [found] = running.view().viewers;
    expect(found).toMatchObject({ family: 'browser', met: 3, arrived: 2, to: ['node-b'] });
    expect(found?.arrivedAfterMs).toBeGreaterThanOrEqual(2_000);
    expect(found?.arrivedAfterMs).toBeLessThanOrEqual(3_000);
  });

  it('ends in time also when nobody is there to end it', async () => {
    const rig = await startGroup(2);
    const node = rig.node(0);
    const viewer = await startPlaying(node);
    const running = await beginDrill(rig, { viewersPercent: 100, durationS: 5 });
    await running.untilFailing();
    expect((await viewer.reload()).status).toBe(404);
    // Timers do not fire: only the clock goes on.
    node.clock.pause(5_001);
    expect((await viewer.reload()).status).toBe(200);
  });

  it('cannot be entered by who only names a session', async () => {
    const rig = await startGroup(2);
    const node = rig.node(0);
    const running = await beginDrill(rig, { families: ['vhs'] });
    await running.untilFailing();
    const opened = await (await node.ask('/ch1/index.m3u8')).text();
    const [variant = ''] = urisOf(opened);
    const forged = variant.replace(passIn(opened), `${passIn(opened).slice(0, -4)}AAAA`);
    expect((await node.ask(`/ch1/${variant}`)).status).toBe(200);
    expect((await node.ask(`/ch1/${forged}`)).status).toBe(403);
  });
});
