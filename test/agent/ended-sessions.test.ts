import { describe, expect, it } from 'vitest';
import { type GroupNode, passIn, startGroup, urisOf } from '../support/group-rig.ts';

/** Ends the session of a pass as the API does. */
function endSessionOf(node: GroupNode, pass: string) {
  const { sub } = JSON.parse(Buffer.from(pass.split('.')[1] ?? '', 'base64url').toString());
  node.agent.notes.end({ id: sub, untilS: Math.ceil(node.clock.now().wallMs / 1000) + 43_200 });
  node.agent.sessions.end(sub);
}

const saidBy = (answer: Response) => [answer.status, answer.headers.get('x-understudy-reason')];

describe('a session that an operator ended', { timeout: 30_000 }, () => {
  it('is refused at once here and within a second everywhere, with its pass of before', async () => {
    const rig = await startGroup(3);
    const [a, b, c] = [rig.node(0), rig.node(1), rig.node(2)];
    const playlist = await (await a.ask('/ch1/index.m3u8')).text();
    const other = await (await a.ask('/ch1/index.m3u8', { address: '203.0.113.51' })).text();
    endSessionOf(a, passIn(playlist));
    const [own = '', ...rest] = urisOf(playlist);
    expect(saidBy(await a.ask(`/ch1/${own}`))).toEqual([403, 'session-ended']);
    await rig.run(1_000);
    for (const node of [b, c]) {
      const uri = rest.find((one) => one.startsWith(node.base)) ?? '';
      expect(saidBy(await node.ask(uri))).toEqual([403, 'session-ended']);
      const others = urisOf(other).find((one) => one.startsWith(node.base)) ?? '';
      expect((await node.ask(others)).status).toBe(200);
    }
    expect(saidBy(await a.ask(`/ch1/index.m3u8?pass=${passIn(playlist)}`))).toEqual([
      403,
      'session-ended',
    ]);
  });

  it('stays ended when the node that ended it starts anew', async () => {
    const rig = await startGroup(2);
    const a = rig.node(0);
    const playlist = await (await a.ask('/ch1/index.m3u8')).text();
    await a.ask(`/ch1/${urisOf(playlist)[0]}`);
    endSessionOf(a, passIn(playlist));
    await rig.run(2_000);
    a.kill();
    await rig.run(3_000);
    a.start();
    await rig.run(6_000);
    expect(saidBy(await a.ask(`/ch1/${urisOf(playlist)[0]}`))).toEqual([403, 'session-ended']);
  });

  it('is remembered until its pass has run out, and no longer', async () => {
    const rig = await startGroup(1);
    const { notes } = rig.node(0).agent;
    const nowS = rig.node(0).clock.now().wallMs / 1000;
    notes.end({ id: 'one', untilS: nowS + 10 });
    await rig.run(9_000);
    expect(notes.isEnded('one')).toBe(true);
    await rig.run(3_000);
    expect(notes.isEnded('one')).toBe(false);
  });
});
