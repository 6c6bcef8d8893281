import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { switchFaults } from '../../../src/core/alert/carried.ts';
import { groupFaults, keyFaults } from '../../../src/core/alert/degraded.ts';
import { overloadFaults } from '../../../src/core/alert/overload.ts';
import { remedyOf } from '../../../src/core/alert/remedies.ts';
import type { GroupReport } from '../../../src/core/group/group-report.ts';
import { type ReasonCode, reasonTexts } from '../../../src/core/reasons.ts';
import { aPeer, aStreamFacts, offAir } from '../../support/builders.ts';

const carried = [{ group: 'ch1', home: 'node-b', sessions: 12 }];
const told70 = [{ code: 70, group: 'ch1', node: 'node-b' }] as const;

describe('viewers of another node who watch here', () => {
  it.each([
    ['died', aPeer({ reachability: 'unreachable' }), 'unreachable'],
    [
      'has its stream off air',
      aPeer({ streams: [aStreamFacts({ hls: { air: offAir() } })] }),
      'frozen',
    ],
  ] as const)('are a switch when their node %s', (_, peer, cause) => {
    const [fault] = switchFaults(carried, [], [peer]);
    expect(fault).toMatchObject({ code: 70, group: 'ch1', node: 'node-b', cause });
    expect(fault?.onlyKeeps).toBeUndefined();
    expect(fault?.text).toBe(
      `viewers of node-b watch group ch1 at other nodes: ${reasonTexts[cause]}`,
    );
  });

  it.each([
    ['serves', aPeer()],
    ['is drained', aPeer({ facts: { draining: true }, reachability: 'unreachable' })],
    ['does not carry the group', aPeer({ streams: [] })],
    ['is not among the peers', aPeer({ facts: { id: 'node-x' } })],
    [
      'serves it under another name',
      aPeer({
        streams: [aStreamFacts({ hls: { air: offAir() } }), aStreamFacts({ name: 'ch1-b' })],
      }),
    ],
  ])('are none when their node %s', (_, peer) => {
    expect(switchFaults(carried, told70, [peer])).toEqual([]);
  });

  it('are no proof while nobody is heard, but none of the contrary either', () => {
    const peer = aPeer({ reachability: 'unknown' });
    expect(switchFaults(carried, [], [peer])).toMatchObject([{ onlyKeeps: true }]);
  });

  it('may all have left: what was told stands until their own node serves again', () => {
    const dead = aPeer({ reachability: 'unreachable' });
    expect(switchFaults([], told70, [dead])).toMatchObject([{ node: 'node-b', onlyKeeps: true }]);
    expect(switchFaults([], [], [dead])).toEqual([]);
  });
});

function aReport(
  state: GroupReport['state'],
  problems: readonly [ReasonCode, string?][],
): GroupReport {
  const member = (node: string) => ({
    source: 'declared' as const,
    node,
    stream: 'ch1',
    eligible: true,
    reasons: [],
    onAir: true,
  });
  return {
    name: 'ch1',
    state,
    problems: problems.map(([code, node]) => ({
      code,
      text: `${node}: ${reasonTexts[code]}`,
      node,
    })),
    members: ['node-a', 'node-b', 'node-c'].map(member),
  };
}

const degraded = (report: GroupReport) => groupFaults('node-a', report);

describe('a group', () => {
  it('without a problem is no fault', () => {
    expect(degraded(aReport('reserve', []))).toEqual([]);
  });

  it('is one fault for each node that has to be mended, with all that is wrong there', () => {
    const faults = degraded(
      aReport('degraded', [
        ['overloaded', 'node-a'],
        ['unreachable', 'node-b'],
        ['frozen', 'node-b'],
      ]),
    );
    expect(faults.map(({ node, cause }) => [node, cause])).toEqual([
      ['node-a', 'overloaded'],
      ['node-b', 'unreachable'],
    ]);
    expect(faults[1]?.text).toBe(
      'group ch1: node-b: the node does not answer its peers; node-b: the live window does not move',
    );
  });

  it('in which nobody can stand in is a fault of this node, or said with what is wrong', () => {
    expect(degraded(aReport('none', []))).toMatchObject([
      {
        node: 'node-a',
        cause: 'no-eligible-backup',
        text: 'nobody can stand in for node-a in group ch1',
      },
    ]);
    const [fault, more] = degraded(aReport('none', [['unreachable', 'node-b']]));
    expect(more).toBeUndefined();
    expect(fault?.text).toMatch(/peers; nobody can stand in for node-a in group ch1$/);
  });

  it('from which this node differs as from every other is a fault of this node', () => {
    const all = aReport('none', [
      ['source-differs', 'node-b'],
      ['source-differs', 'node-c'],
    ]);
    expect(degraded(all).map(({ node }) => node)).toEqual(['node-a']);
    const one = aReport('degraded', [['source-differs', 'node-b']]);
    expect(degraded(one).map(({ node }) => node)).toEqual(['node-b']);
  });

  it('of which nobody is heard is a fault of this node', () => {
    const report = aReport('none', [
      ['reachability-unknown', 'node-b'],
      ['reachability-unknown', 'node-c'],
    ]);
    expect(degraded(report).map(({ node }) => node)).toEqual(['node-a']);
  });

  it('with clocks apart and nobody to blame is a fault of this node', () => {
    expect(degraded(aReport('none', [['clock-skew']]))).toMatchObject([{ node: 'node-a' }]);
  });
});

describe('a viewing key that is not in force', () => {
  it('is one fault, not one of each group', () => {
    expect(degraded(aReport('none', [['key-not-in-force', 'node-a']]))).toEqual([]);
    expect(keyFaults('node-a', { state: 'missing', lackedBy: [] })).toEqual([
      {
        ...{ code: 78, node: 'node-a', cause: 'key-not-in-force' },
        text: 'node-a: the viewing key is not in force',
      },
    ]);
  });

  it('is a fault of the nodes that do not take the newest one', () => {
    const faults = keyFaults('node-a', { state: 'spreading', lackedBy: ['node-c'] });
    expect(faults).toMatchObject([{ code: 78, node: 'node-c', cause: 'key-not-in-force' }]);
  });

  it('is none when it is', () => {
    expect(keyFaults('node-a', { state: 'in-force', lackedBy: [] })).toEqual([]);
  });
});

describe('refusals', () => {
  it('are a fault of this node, as of the last one', () => {
    expect(overloadFaults('node-a', undefined)).toEqual([]);
    expect(overloadFaults('node-a', { at: 7, reason: 'backup-limit' })).toMatchObject([
      { code: 79, node: 'node-a', cause: 'backup-limit', seenAt: 7 },
    ]);
  });
});

describe('what to do', () => {
  const page = readFileSync(new URL('../../../docs/reasons.md', import.meta.url), 'utf8');

  it('is said in the alert as on the page of reasons', () => {
    const rows = [...page.matchAll(/^\| `([^`]+)` \| (.*) \|$/gm)].map(
      ([, code, cells = '']) => [code as ReasonCode, cells.split(' | ')[2] ?? ''] as const,
    );
    const own = rows.filter(([code]) => !remedyOf(code).includes('docs/reasons.md'));
    expect(own.length).toBeGreaterThan(30);
    for (const [code, text] of own) expect(remedyOf(code), code).toBe(text.replaceAll('`', ''));
  });
});
