import { describe, expect, it } from 'vitest';
import { reportGroup } from '../../../src/core/group/group-report.ts';
import type { NodeFacts, Peer } from '../../../src/core/group/node.ts';
import { judgeCandidates } from '../../../src/core/placement/candidates.ts';
import type { StreamFacts } from '../../../src/core/stream/stream.ts';
import { aNode, aPeer, aStreamFacts, offAir, testKeyId, testNow } from '../../support/builders.ts';

type Seen = {
  readonly self?: Partial<NodeFacts>;
  readonly own?: StreamFacts;
  readonly peers: readonly Peer[];
  readonly signingKeyId?: string | undefined;
  readonly hasPublicViewers?: boolean;
  readonly losses?: readonly { node: string; text: string }[];
  readonly damagedLately?: number;
};

/** What node-a, unless `self` is another one, says of group `ch1`. */
function report(seen: Seen) {
  const own = seen.own ?? aStreamFacts();
  const common = {
    self: aNode({ id: 'node-a', ...seen.self }),
    own,
    peers: seen.peers,
    signingKeyId: 'signingKeyId' in seen ? seen.signingKeyId : testKeyId,
    now: testNow,
  };
  const candidates = judgeCandidates({ ...common, name: own.name });
  const { hasPublicViewers = false, losses = [], damagedLately } = seen;
  return reportGroup({
    ...common,
    name: 'ch1',
    candidates,
    hasPublicViewers,
    losses,
    damagedLately,
  });
}

function codesOf({ problems }: ReturnType<typeof report>) {
  return problems.map(({ node, code }) => `${node}: ${code}`);
}

const good = aPeer({ facts: { id: 'node-b' } });
const dead = aPeer({ facts: { id: 'node-c' }, reachability: 'unreachable' });

/** A peer whose clock is that many seconds ahead of ours. */
function ahead(id: string, seconds: number): Peer {
  return aPeer({ facts: { id }, clock: { offsetMs: seconds * 1000, roundTripMs: 2 } });
}

describe('the state of a group', () => {
  it('is "reserve" when somebody can stand in and nothing is wrong', () => {
    expect(report({ peers: [good] })).toMatchObject({
      name: 'ch1',
      state: 'reserve',
      problems: [],
    });
  });

  it('is "degraded" when somebody can and something is wrong, which is told of the node', () => {
    expect(report({ peers: [dead, good] })).toMatchObject({
      state: 'degraded',
      problems: [
        {
          code: 'unreachable',
          node: 'node-c',
          text: 'node-c: the node does not answer its peers',
        },
      ],
    });
  });

  it('is "degraded" while segments come incomplete to this node, with their number', () => {
    const seen = report({ peers: [good], damagedLately: 7 });
    expect(seen.state).toBe('degraded');
    expect(codesOf(seen)).toEqual(['node-a: segments-damaged']);
    expect(seen.problems[0]?.text).toContain('7 in the last minute');
  });

  it('is "none" when nobody can', () => {
    expect(report({ peers: [dead] })).toMatchObject({ state: 'none' });
    expect(codesOf(report({ peers: [dead] }))).toEqual(['node-c: unreachable']);
  });

  it('has no problem with what an operator does on purpose', () => {
    const drained = aPeer({ facts: { id: 'node-c', draining: true } });
    const kept = aPeer({ facts: { id: 'node-d' }, streams: [aStreamFacts({ reserve: false })] });
    const own = aStreamFacts({ reserve: false });
    const seen = { self: { draining: true }, own, peers: [good, drained, kept] };
    expect(report(seen)).toMatchObject({ state: 'reserve', problems: [] });
    expect(report({ ...seen, peers: [drained, kept] })).toMatchObject({
      state: 'none',
      problems: [],
      members: [
        { node: 'node-a', reasons: ['reserve-off', 'draining'] },
        { node: 'node-c', reasons: ['draining'] },
        { node: 'node-d', reasons: ['reserve-off'] },
      ],
    });
  });
});

describe('the members of a group', () => {
  it('are this node first, then the others by node, each with its own stream', () => {
    const frozen = aStreamFacts({ name: 'kanal', source: 'other', hls: { air: offAir() } });
    const peers = [aPeer({ facts: { id: 'node-c' }, streams: [frozen] }), ahead('node-b', 1.0006)];
    expect(report({ peers }).members).toEqual([
      {
        node: 'node-a',
        stream: 'ch1',
        eligible: true,
        reasons: [],
        onAir: true,
        source: 'declared',
        sourceLabel: 'studio',
        clockOffsetMs: 0,
      },
      {
        node: 'node-b',
        stream: 'ch1',
        eligible: true,
        reasons: [],
        onAir: true,
        source: 'declared',
        sourceLabel: 'studio',
        clockOffsetMs: 1001,
      },
      {
        node: 'node-c',
        stream: 'kanal',
        eligible: false,
        reasons: ['frozen', 'source-differs'],
        onAir: false,
        source: 'unknown',
        sourceLabel: 'other',
        clockOffsetMs: 0,
      },
    ]);
  });

  it('have no clock offset while none is measured, which is a problem', () => {
    const unmeasured = report({ peers: [aPeer({ clock: undefined })] });
    expect(unmeasured.members[1]?.clockOffsetMs).toBeUndefined();
    expect(codesOf(unmeasured)).toEqual(['node-b: clock-unknown']);
  });
});

describe('clocks that are too far apart', () => {
  it('are those beyond 240 s, ahead or behind', () => {
    for (const seconds of [239.9, -239.9, 240, -240]) {
      expect(report({ peers: [ahead('node-b', seconds)] }).state).toBe('reserve');
    }
    for (const seconds of [240.1, -240.1]) {
      expect(codesOf(report({ peers: [ahead('node-b', seconds)] }))).toEqual([
        'undefined: clock-skew',
      ]);
    }
  });

  it('are told of on both of two nodes, of which nobody can say whose is wrong', () => {
    expect(report({ peers: [ahead('node-b', 300)] }).problems).toEqual([
      {
        code: 'clock-skew',
        text: 'the clock of node-b is 300.0 s ahead of that of node-a: one of them is wrong',
        node: undefined,
      },
    ]);
    expect(report({ self: { id: 'node-b' }, peers: [ahead('node-a', -300)] }).problems).toEqual([
      {
        code: 'clock-skew',
        text: 'the clock of node-a is 300.0 s behind that of node-b: one of them is wrong',
        node: undefined,
      },
    ]);
  });

  it('are blamed by every one of three nodes on the one that is wrong', () => {
    const wrong = { code: 'clock-skew', node: 'node-b' };
    const fromA = report({ peers: [ahead('node-b', 300), ahead('node-c', 1)] });
    expect(fromA).toMatchObject({ state: 'degraded', problems: [wrong] });
    expect(fromA.problems[0]?.text).toBe(
      'the clock of node-b is 300.0 s ahead of that of node-a: that of node-b is wrong',
    );
    const fromC = report({
      self: { id: 'node-c' },
      peers: [ahead('node-a', -1), ahead('node-b', 299)],
    });
    expect(fromC).toMatchObject({ state: 'degraded', problems: [wrong] });
    const fromB = report({
      self: { id: 'node-b' },
      peers: [ahead('node-a', -300), ahead('node-c', -299)],
    });
    expect(fromB).toMatchObject({ state: 'none', problems: [wrong, wrong] });
    expect(fromB.problems[1]?.text).toBe(
      'the clock of node-c is 299.0 s behind that of node-b: that of node-b is wrong',
    );
  });
});

describe('a death that could not be borne', () => {
  it('is a problem of the groups that the node is a member of', () => {
    const losses = ['node-a', 'node-b', 'node-x'].map((node) => ({
      node,
      text: `if ${node} died`,
    }));
    const seen = report({ peers: [good], losses });
    expect(codesOf(seen)).toEqual(['node-a: not-survivable', 'node-b: not-survivable']);
    expect(seen.problems[0]?.text).toBe('if node-a died');
    expect(seen.state).toBe('degraded');
  });
});

describe('addresses', () => {
  const inside = { publicUrl: undefined, addresses: ['10.0.0.1:8080'] };

  it('are a problem of a node that has only private ones, be it this or another one', () => {
    const peer = aPeer({ facts: { id: 'node-b', ...inside } });
    const self = { ...inside, addresses: ['10.0.0.2:8080'] };
    const seen = report({ self, peers: [peer], hasPublicViewers: true });
    expect(codesOf(seen)).toEqual(['node-a: address-private', 'node-b: address-private']);
    expect(seen.state).toBe('degraded');
  });

  it('that are private everywhere are no problem while no public viewer was seen', () => {
    const peer = aPeer({ facts: { id: 'node-b', ...inside } });
    const self = { ...inside, addresses: ['10.0.0.2:8080'] };
    expect(report({ self, peers: [peer] })).toMatchObject({ state: 'reserve', problems: [] });
  });

  it('that are private on one node only are a problem of that node', () => {
    const peer = aPeer({ facts: { id: 'node-b', ...inside } });
    expect(codesOf(report({ peers: [peer] }))).toEqual(['node-b: address-private']);
  });

  it('are none of a node that has a public one beside, or a name', () => {
    const addresses = ['10.0.0.1:8080', '198.51.100.7:8080'];
    const peer = aPeer({ facts: { id: 'node-b', publicUrl: undefined, addresses } });
    expect(codesOf(report({ self: { addresses: ['10.0.0.2:8080'] }, peers: [peer] }))).toEqual([]);
  });

  it('are a problem of a node that announces none', () => {
    const nowhere = { publicUrl: undefined, addresses: [] };
    const peer = aPeer({ facts: { id: 'node-b', ...nowhere } });
    expect(codesOf(report({ self: nowhere, peers: [peer] }))).toEqual([
      'node-a: address-missing',
      'node-b: address-missing',
    ]);
  });
});

describe('what is wrong with this node itself', () => {
  it('is told: no other member', () => {
    expect(report({ peers: [] })).toMatchObject({
      state: 'none',
      problems: [
        {
          code: 'no-other-member',
          node: 'node-a',
          text: 'node-a: no other node carries the group',
        },
      ],
    });
  });

  it('is told: a key that is not in force, once for the whole domain', () => {
    const other = aPeer({ facts: { id: 'node-c' } });
    const seen = report({ peers: [good, other], signingKeyId: undefined });
    expect(seen.state).toBe('none');
    expect(codesOf(seen)).toEqual(['node-a: key-not-in-force']);
    expect(seen.members.map(({ reasons }) => reasons)).toEqual([
      ['key-not-in-force'],
      ['key-not-in-force'],
      ['key-not-in-force'],
    ]);
  });

  it('is told: its own stream is off air, which others cover', () => {
    const own = aStreamFacts({ hls: { air: offAir('frozen') } });
    const seen = report({ own, peers: [good] });
    expect(seen.state).toBe('degraded');
    expect(codesOf(seen)).toEqual(['node-a: frozen']);
    expect(seen.members[0]).toMatchObject({ eligible: false, onAir: false, reasons: ['frozen'] });
  });

  it('is told: no source, so that nobody is eligible', () => {
    const seen = report({ own: aStreamFacts({ source: undefined }), peers: [good] });
    expect(seen.state).toBe('none');
    expect(codesOf(seen)).toEqual(['node-a: source-undeclared', 'node-b: source-undeclared']);
  });

  it('comes before what is wrong with others', () => {
    expect(codesOf(report({ self: { overloaded: true }, peers: [dead, good] }))).toEqual([
      'node-a: overloaded',
      'node-c: unreachable',
    ]);
  });
});
