import { describe, expect, it } from 'vitest';
import { startGroup } from '../support/group-rig.ts';

describe('a trial redirect', { timeout: 60_000 }, () => {
  it('sends one opening on, to a node that takes it in, while the node serves everybody else', async () => {
    const rig = await startGroup(2);
    const [a, b] = [rig.node(0), rig.node(1)];
    const { entry } = a.agent.beginTrial('ch1', a.clock.now());
    const answer = await a.ask(entry);
    expect([answer.status, answer.headers.get('x-understudy-reason')]).toEqual([302, 'redirected']);
    const location = answer.headers.get('location') ?? '';
    expect(location.startsWith(`${b.base}/ch1/index.m3u8?pass=`)).toBe(true);
    const followed = await b.ask(location);
    expect([followed.status, followed.headers.get('x-understudy-reason')]).toEqual([
      200,
      'backup-viewer',
    ]);
    expect((await a.ask('/ch1/index.m3u8')).status).toBe(200);
  });

  it('is over after a minute: then the node serves', async () => {
    const rig = await startGroup(2);
    const a = rig.node(0);
    const { entry, endsAt } = a.agent.beginTrial('ch1', a.clock.now());
    expect(endsAt).toBe(Math.round(a.clock.now().wallMs + 60_000));
    await rig.run(59_900);
    expect((await a.ask(entry)).status).toBe(302);
    await rig.run(100);
    expect((await a.ask(entry)).status).toBe(200);
  });

  it('is answered with the stream itself where no other node could serve it', async () => {
    const rig = await startGroup(2);
    const [a, b] = [rig.node(0), rig.node(1)];
    b.kill();
    await rig.run(5_000);
    const { entry } = a.agent.beginTrial('ch1', a.clock.now());
    expect((await a.ask(entry)).status).toBe(200);
  });

  it('of a stream that is not there is no trial', async () => {
    const rig = await startGroup(1);
    const a = rig.node(0);
    expect(() => a.agent.beginTrial('ch9', a.clock.now())).toThrow('no stream "ch9"');
  });
});

it('a node says whom it hears, and what it says changes with that', {
  timeout: 60_000,
}, async () => {
  const rig = await startGroup(3);
  const [a, b, c] = [rig.node(0), rig.node(1), rig.node(2)];
  expect(a.agent.self().hears).toEqual(['node-b', 'node-c']);
  const before = a.agent.self();
  await rig.run(2_000);
  expect(a.agent.self()).toBe(before);
  c.kill();
  await rig.run(4_000);
  expect(a.agent.self().hears).toEqual(['node-b']);
  const seen = a.agent.peers.list(a.clock.now()).find(({ facts }) => facts?.id === 'node-b')?.facts;
  expect(seen?.hears).toEqual(['node-a']);
  expect(b.agent.self().hears).toEqual(['node-a']);
});
