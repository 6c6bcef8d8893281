import { describe, expect, it } from 'vitest';
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
