import { describe, expect, it } from 'vitest';
import { createFakeAuthority } from '../support/fake-authority.ts';
import { type GroupNode, startGroup } from '../support/group-rig.ts';

const viewer = { address: '203.0.113.50', https: false } as const;

/** What is said of an opening, and what such an opening then gets. */
async function toldAndDone(node: GroupNode, stream: string) {
  const asked = { ...viewer, stream, protocol: 'hls' } as const;
  const { placement, reason } = await node.agent.explain(asked, node.clock.now());
  const { status, headers } = await node.ask(`/${stream}/index.m3u8`, {
    ...{ address: viewer.address, agent: '' },
  });
  return { placement, reason, status, done: headers.get('x-understudy-reason') };
}

describe('the explanation of an opening', { timeout: 30_000 }, () => {
  it('is that of the opening itself, also of a stream that nobody watches yet', async () => {
    const rig = await startGroup(1);
    const node = rig.node(0);
    node.configure([{ name: 'alone', origin: node.origin.entry, reserve: true }]);
    const { placement, reason, status, done } = await toldAndDone(node, 'alone');
    expect([placement, status]).toEqual(['serve', 200]);
    expect(reason).toBe(done);
  });

  it('is that of the opening itself on a node whose viewers are moved', async () => {
    const rig = await startGroup(2);
    const node = rig.node(0);
    node.agent.drain.begin(0, node.clock.now());
    const { placement, reason, status, done } = await toldAndDone(node, 'ch1');
    expect([placement, status]).toEqual(['redirect', 302]);
    expect(reason).toBe(done);
  });
});

describe('the explanation of who is let in', { timeout: 30_000 }, () => {
  const tokenOf = async (token: string | undefined, taken = 0) => {
    const authority = createFakeAuthority(({ token: asked }) =>
      asked === 'bad' ? { kind: 'denied' } : { kind: 'granted', login: asked, sessionsMax: 1 },
    );
    const rig = await startGroup(2, () => ({ authority }));
    const node = rig.node(0);
    for (let at = 0; at < taken; at += 1)
      await node.ask(`/ch1/index.m3u8?token=${token}`, { address: `203.0.113.${at + 1}` });
    const asked = { ...viewer, stream: 'ch1', protocol: 'hls', token } as const;
    return { node, told: await node.agent.explain(asked, node.clock.now()) };
  };

  it('needs nothing where viewers need no token', async () => {
    const node = (await startGroup(1)).node(0);
    const asked = { ...viewer, stream: 'ch1', protocol: 'hls', token: 'any' } as const;
    expect((await node.agent.explain(asked, node.clock.now())).access).toMatchObject({
      by: 'open',
    });
  });

  it.each([
    [undefined, 'auth-missing'],
    ['bad', 'auth-denied'],
  ])('says why token %s is not enough, and still judges every candidate', async (token, reason) => {
    const { told } = await tokenOf(token);
    expect([told.placement, told.reason, told.access.reason]).toEqual(['refused', reason, reason]);
    expect(told.candidates.map(({ node, offered }) => [node, offered])).toEqual([
      ['node-b', false],
    ]);
  });

  it('counts the sessions of the login, and takes no place', async () => {
    const free = await tokenOf('anna');
    expect(free.told.access).toMatchObject({
      by: 'token',
      login: 'anna',
      sessionsMax: 1,
      taken: 0,
    });
    expect((await free.node.ask('/ch1/index.m3u8?token=anna')).status).toBe(200);
    const full = await tokenOf('anna', 1);
    expect(full.told).toMatchObject({
      ...{ placement: 'refused', reason: 'login-limit', access: { taken: 1 } },
    });
  });

  it('tells whether a viewer of another node would be admitted, without a refusal being counted', async () => {
    const rig = await startGroup(2, () => ({ backupSessionsMax: 0 }));
    const node = rig.node(0);
    const asked = { ...viewer, stream: 'ch1', protocol: 'hls', home: 'node-b' } as const;
    const told = await node.agent.explain(asked, node.clock.now());
    expect([told.placement, told.reason, told.access.by]).toEqual([
      'not-found',
      'backup-limit',
      'pass',
    ]);
    expect(node.agent.admission.refusals().total).toBe(0);
  });
});
