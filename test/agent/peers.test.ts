import { describe, expect, it } from 'vitest';
import { skewVerdict } from '../../src/core/group/clock-offset.ts';
import { aNode, aStreamFacts } from '../support/builders.ts';
import { createRig, type Rig, type RigNode, urlOf } from '../support/peer-rig.ts';

/** Nodes `node-a`, `node-b` ... that were started at once and have met. */
async function running(count: number, options: Parameters<typeof createRig>[1] = {}) {
  const ids = Array.from({ length: count }, (_, index) => idOf(index));
  const rig = createRig(ids, options);
  for (const node of rig.nodes) node.start();
  await rig.clock.run(100);
  return rig;
}

const idOf = (index: number) => `node-${String.fromCharCode(97 + index)}`;

function nodeOf(rig: Rig, id: string): RigNode {
  const node = rig.nodes.find(({ facts }) => facts.id === id);
  if (node === undefined) throw new Error(`no ${id} in the rig`);
  return node;
}

/** How long until `isSo`, in steps of 10 ms; fails after 10 s. */
async function msUntil({ clock }: Rig, isSo: () => boolean): Promise<number> {
  const from = clock.now().monoMs;
  while (!isSo()) {
    if (clock.now().monoMs - from > 10_000) throw new Error('did not happen within 10 s');
    await clock.run(10);
  }
  return clock.now().monoMs - from;
}

describe('peers', () => {
  it('that start at once know each other at once, with facts and streams, themselves left out', async () => {
    const rig = createRig(['node-a', 'node-b', 'node-c']);
    for (const node of rig.nodes) node.streams = [aStreamFacts({ name: `${node.facts.id}/ch1` })];
    for (const node of rig.nodes) node.start();
    await rig.clock.run(100);
    const a = nodeOf(rig, 'node-a');
    const list = a.peers.list(a.clock.now());
    expect(list.map(({ url, reachability }) => [url, reachability])).toEqual([
      [urlOf('node-b'), 'reachable'],
      [urlOf('node-c'), 'reachable'],
    ]);
    expect(list[0]?.facts).toEqual(aNode({ id: 'node-b' }));
    expect([...(list[1]?.streams.keys() ?? [])]).toEqual(['node-c/ch1']);
  });

  it('are unknown for 3 s when they never answered, then unreachable with the cause', async () => {
    const rig = createRig(['node-a', 'node-b']);
    const a = nodeOf(rig, 'node-a');
    a.start();
    await rig.clock.run(3_000);
    expect(a.sees('node-b')?.reachability).toBe('unknown');
    await rig.clock.run(1);
    expect(a.sees('node-b')).toMatchObject({
      reachability: 'unreachable',
      fault: 'refuses connections',
    });
  });

  it.each([0, 300, 700, 990])(
    'are known to be dead within 2 s (%i ms into a turn)',
    async (phaseMs) => {
      const rig = await running(3);
      await rig.clock.run(5_000 + phaseMs);
      nodeOf(rig, 'node-b').kill();
      const seen = await Promise.all([
        msUntil(rig, () => nodeOf(rig, 'node-a').sees('node-b')?.reachability === 'unreachable'),
      ]);
      expect(seen[0]).toBeLessThanOrEqual(2_000);
      expect(nodeOf(rig, 'node-c').sees('node-b')?.reachability).toBe('unreachable');
      expect(nodeOf(rig, 'node-a').sees('node-c')?.reachability).toBe('reachable');
      expect(nodeOf(rig, 'node-a').sees('node-b')?.facts?.id).toBe('node-b');
    },
  );

  it('are known to be dead within 2 s when they hang instead of refusing', async () => {
    const rig = await running(3);
    rig.network.cut(urlOf('node-b'));
    const a = nodeOf(rig, 'node-a');
    expect(
      await msUntil(rig, () => a.sees('node-b')?.reachability === 'unreachable'),
    ).toBeLessThanOrEqual(2_000);
  });

  it('become unknown, not unreachable, to a node that hears none of them', async () => {
    const rig = await running(3);
    rig.network.cut(urlOf('node-a'));
    const a = nodeOf(rig, 'node-a');
    const seen = new Set<string | undefined>();
    for (let step = 0; step < 600; step += 1) {
      await rig.clock.run(10);
      seen.add(a.sees('node-b')?.reachability).add(a.sees('node-c')?.reachability);
    }
    expect([...seen]).toEqual(['reachable', 'unknown']);
    expect(nodeOf(rig, 'node-b').sees('node-a')?.reachability).toBe('unreachable');
    rig.network.heal(urlOf('node-a'));
    expect(
      await msUntil(rig, () => a.sees('node-b')?.reachability === 'reachable'),
    ).toBeLessThanOrEqual(1_100);
  });

  it('survive 5 % loss without a false alarm, at few questions more', async () => {
    const rig = await running(5, { loss: 0.05, delayMs: 20 });
    await rig.clock.run(5_000);
    const verdicts = new Set<string>();
    for (const { peers, clock } of rig.nodes) {
      peers.onChange(() => {
        for (const { reachability } of peers.list(clock.now())) verdicts.add(reachability);
      });
    }
    const before = rig.network.asked;
    await rig.clock.run(300_000);
    expect([...verdicts]).toEqual([]);
    expect((rig.network.asked - before) / (300 * 25)).toBeLessThan(1.1);
  });

  it('are not blamed for a pause of this process', async () => {
    const rig = await running(3);
    const a = nodeOf(rig, 'node-a');
    await rig.clock.run(2_000);
    rig.clock.pause(30_000);
    expect(a.sees('node-b')?.reachability).toBe('reachable');
    await rig.clock.run(1_000);
    expect(a.sees('node-b')?.reachability).toBe('reachable');
    expect(a.log.map(({ event }) => event)).toContain('agent was paused');
  });

  it('keep the list the same object while nothing changes, and facts and streams beyond', async () => {
    const rig = await running(2);
    const a = nodeOf(rig, 'node-a');
    const list = a.peers.list(a.clock.now());
    await rig.clock.run(500);
    expect(a.peers.list(a.clock.now())).toBe(list);
    await rig.clock.run(1_000);
    const later = a.peers.list(a.clock.now());
    expect(later).not.toBe(list);
    expect(later[0]?.heardAt).toBeGreaterThan(list[0]?.heardAt ?? 0);
    expect(later[0]?.facts).toBe(list[0]?.facts);
    expect(later[0]?.streams).toBe(list[0]?.streams);
  });

  it('tell listeners what changed, not that time went by', async () => {
    const rig = await running(3);
    const [a, b] = [nodeOf(rig, 'node-a'), nodeOf(rig, 'node-b')];
    let calls = 0;
    const end = a.peers.onChange(() => {
      calls += 1;
    });
    await rig.clock.run(3_000);
    expect(calls).toBe(0);
    b.facts = aNode({ id: 'node-b', draining: true });
    b.streams = [aStreamFacts({ name: 'ch1' })];
    await rig.clock.run(1_000);
    expect(calls).toBe(1);
    expect(a.sees('node-b')?.facts?.draining).toBe(true);
    expect(a.sees('node-b')?.streams.get('ch1')).toEqual(aStreamFacts({ name: 'ch1' }));
    b.streams = [];
    await rig.clock.run(1_000);
    expect(a.sees('node-b')?.streams.size).toBe(0);
    end();
    b.kill();
    await rig.clock.run(3_000);
    expect(calls).toBe(2);
  });

  it('with thousands of streams are known whole within a second', async () => {
    const rig = createRig(['node-a', 'node-b']);
    const [a, b] = [nodeOf(rig, 'node-a'), nodeOf(rig, 'node-b')];
    b.streams = Array.from({ length: 2_300 }, (_, index) => aStreamFacts({ name: `s${index}` }));
    a.start();
    b.start();
    await rig.clock.run(900);
    expect(a.sees('node-b')?.streams.size).toBeLessThanOrEqual(2_300);
    await rig.clock.run(200);
    expect(a.sees('node-b')?.streams.size).toBe(2_300);
  });

  it('are asked for viewing keys as long as some of theirs are missing here', async () => {
    const held = new Set<string>();
    const rig = await running(2, {
      deps: (id) =>
        id === 'node-a'
          ? {
              lacksKeys: (ids) => ids.some((key) => !held.has(key)),
              absorbKeys: async (wrapped) => held.add(wrapped),
            }
          : { wrappedKeys: async () => 'key-7' },
    });
    expect([...held]).toEqual([]);
    nodeOf(rig, 'node-b').facts = aNode({ id: 'node-b', keys: ['key-7'] });
    await rig.clock.run(3_000);
    expect([...held]).toEqual(['key-7']);
  });

  it('whose keys cannot be taken are no fault of the exchange', async () => {
    const rig = await running(2, {
      deps: () => ({
        lacksKeys: () => true,
        wrappedKeys: async () => 'wrapped',
        absorbKeys: () => Promise.reject(new Error('no such wrap')),
      }),
    });
    const a = nodeOf(rig, 'node-a');
    expect(a.sees('node-b')?.reachability).toBe('reachable');
    expect(a.log.map(({ event }) => event)).toContain('viewing keys of a peer not taken');
  });

  it('stop asking and calling when stopped', async () => {
    const rig = await running(2);
    for (const node of rig.nodes) node.kill();
    const { asked } = rig.network;
    await rig.clock.run(10_000);
    expect(rig.network.asked).toBe(asked);
  });
});

describe('report 14: a step of the wall clock', () => {
  it.each([300_000, -300_000])(
    'of %i ms makes nobody look dead, and is seen on both sides',
    async (stepMs) => {
      const rig = await running(3);
      await rig.clock.run(10_000);
      const [a, b] = [nodeOf(rig, 'node-a'), nodeOf(rig, 'node-b')];
      a.clock.stepWall(stepMs);
      expect(a.sees('node-b')?.clock?.offsetMs).toBe(-stepMs);
      for (let step = 0; step < 500; step += 1) {
        await rig.clock.run(10);
        for (const node of rig.nodes) {
          const list = node.peers.list(node.clock.now());
          expect(list.map(({ reachability }) => reachability)).toEqual(['reachable', 'reachable']);
        }
        if (step > 110) expect(b.sees('node-a')?.clock?.offsetMs).toBe(stepMs);
      }
      expect(skewVerdict(a.sees('node-b')?.clock)).toBe('clock-skew');
      expect(skewVerdict(b.sees('node-a')?.clock)).toBe('clock-skew');
      expect(skewVerdict(b.sees('node-c')?.clock)).toBeUndefined();
    },
  );

  it.each([312_000, -312_000, 259_200_000])(
    'clocks %i ms apart exchange and are measured',
    async (offsetMs) => {
      const rig = await running(3, { wallOffsetsMs: { 'node-b': offsetMs }, delayMs: 40 });
      await rig.clock.run(5_000);
      expect(nodeOf(rig, 'node-a').sees('node-b')).toMatchObject({
        reachability: 'reachable',
        clock: { offsetMs, roundTripMs: 80 },
      });
      expect(nodeOf(rig, 'node-b').sees('node-a')?.clock?.offsetMs).toBe(-offsetMs);
    },
  );
});

describe('report 33: an agent that is restarted', () => {
  it('is alive again within 3 s, twenty times, and what it says is new', async () => {
    const rig = await running(3);
    const [a, b] = [nodeOf(rig, 'node-a'), nodeOf(rig, 'node-b')];
    for (let restart = 0; restart < 20; restart += 1) {
      b.kill();
      await msUntil(rig, () => a.sees('node-b')?.reachability === 'unreachable');
      await rig.clock.run(restart * 170);
      b.streams = [aStreamFacts({ name: `life-${restart}` })];
      b.start();
      const isBack = () =>
        a.sees('node-b')?.reachability === 'reachable' &&
        a.sees('node-b')?.streams.has(`life-${restart}`) === true;
      expect(await msUntil(rig, isBack)).toBeLessThanOrEqual(3_000);
      expect(a.sees('node-b')?.streams.size).toBe(1);
    }
  });

  it('and comes back before anybody missed it is never lost from sight', async () => {
    const rig = await running(3);
    const [a, b] = [nodeOf(rig, 'node-a'), nodeOf(rig, 'node-b')];
    const verdicts = new Set<string | undefined>();
    a.peers.onChange(() => verdicts.add(a.sees('node-b')?.reachability));
    b.kill();
    await rig.clock.run(600);
    b.facts = aNode({ id: 'node-b', version: '0.2.0' });
    b.start();
    await rig.clock.run(5_000);
    expect(a.sees('node-b')?.facts?.version).toBe('0.2.0');
    expect([...verdicts]).toEqual(['reachable']);
  });
});

describe('who is who', () => {
  it('a node that is asked by one that is not among its peers can name it', async () => {
    const rig = await running(2, {
      urls: (id) => (id === 'node-b' ? [urlOf('node-a')] : []),
    });
    const [a, b] = [nodeOf(rig, 'node-a'), nodeOf(rig, 'node-b')];
    expect(b.sees('node-a')?.reachability).toBe('reachable');
    expect(a.peers.list(a.clock.now())).toEqual([]);
    expect(a.peers.strangers()).toEqual([{ id: 'node-b', lastAskedAt: expect.any(Number) }]);
    expect(b.peers.strangers()).toEqual([]);
  });

  it('two agents with one node id see each other as a fault, and others use one of them', async () => {
    const rig = createRig(['node-a', 'node-b', 'node-c']);
    const [a, b, c] = rig.nodes as [RigNode, RigNode, RigNode];
    c.facts = aNode({ id: 'node-b' });
    for (const node of rig.nodes) {
      node.streams = [aStreamFacts({ name: 'ch1' })];
      node.start();
      await rig.clock.run(10);
    }
    await rig.clock.run(5_000);
    expect(a.sees('node-b')?.fault).toContain('node id "node-b" is also used by');
    expect(a.sees('node-c')?.fault).toContain('node id "node-b" is also used by');
    expect([a.sees('node-b')?.streams.size, a.sees('node-c')?.streams.size]).toEqual([1, 0]);
    expect(b.sees('node-c')?.fault).toContain('same node id');
    expect(c.sees('node-b')?.fault).toContain('same node id');
    expect(b.sees('node-a')?.fault).toContain('another agent with the node id of this one');
    c.kill();
    await rig.clock.run(70_000);
    expect(b.sees('node-a')).toMatchObject({ reachability: 'reachable' });
    expect(b.sees('node-a')?.fault).toBeUndefined();
    expect(a.sees('node-b')?.fault).toBeUndefined();
  });

  it('two processes that answer in turn under one address are asked no more often for that', async () => {
    const rig = createRig(['node-a', 'node-b']);
    const a = nodeOf(rig, 'node-a');
    let asked = 0;
    rig.network.attach(
      urlOf('node-b'),
      async () => {
        asked += 1;
        const boot = `boot-${asked}`;
        return { kind: 'refusal', reason: 'boot', protocol: 1, id: 'node-b', boot, version: '1' };
      },
      rig.clock,
    );
    a.start();
    await rig.clock.run(9_500);
    expect(asked).toBe(20);
    expect(a.sees('node-b')?.reachability).toBe('unreachable');
  });

  it('a node of another protocol version is shown with its version and not used', async () => {
    const rig = createRig(['node-a', 'node-b']);
    const a = nodeOf(rig, 'node-a');
    rig.network.attach(
      urlOf('node-b'),
      async () => ({
        kind: 'refusal',
        reason: 'protocol',
        protocol: 2,
        id: 'node-b',
        boot: 'b',
        version: '9.0.0',
      }),
      rig.clock,
    );
    a.start();
    await rig.clock.run(2_000);
    expect(a.sees('node-b')).toMatchObject({
      reachability: 'reachable',
      fault: 'speaks version 2 of the peer protocol, this node 1',
      facts: { id: 'node-b', protocol: 2, version: '9.0.0', keys: [], addresses: [] },
    });
    expect(a.sees('node-b')?.streams.size).toBe(0);
  });

  it('forged answers are counted, told once a minute, and never make a peer reachable', async () => {
    const rig = createRig(['node-a', 'node-b'], {
      deps: () => ({
        link: {
          ask: async () => ({
            kind: 'fault',
            cause: 'unauthenticated',
            text: 'authentication failed: cluster secrets differ?',
          }),
          close: () => {},
        },
      }),
    });
    const a = nodeOf(rig, 'node-a');
    a.start();
    await rig.clock.run(50_000);
    expect(a.sees('node-b')).toMatchObject({
      reachability: 'unreachable',
      fault: 'authentication failed: cluster secrets differ?',
    });
    const told = a.log.filter(({ event }) => event === 'peer answer not authentic');
    expect(told).toEqual([
      {
        level: 'warn',
        event: 'peer answer not authentic',
        fields: { peer: urlOf('node-a'), count: 1 },
      },
    ]);
  });
});
