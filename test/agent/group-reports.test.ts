import { expect, it } from 'vitest';
import { createGroupReports } from '../../src/agent/group-reports.ts';
import { judgeCandidates } from '../../src/core/placement/candidates.ts';
import { aNode, aStreamFacts, testNow } from '../support/builders.ts';

/** Reports on two groups, and how often streams were looked at. */
function twoGroups() {
  const looked: string[] = [];
  const self = aNode({ id: 'node-a' });
  const streams = ['b', 'a'].map((name) => aStreamFacts({ name, group: name }));
  const groups = createGroupReports({
    ...{ self: () => self, facts: () => streams, peers: () => [], losses: () => [] },
    ...{ signingKeyId: () => undefined, hasPublicViewers: () => false, damagedLately: () => 0 },
    outlook: {
      candidates: (name, now) => {
        looked.push(name);
        const own = streams.find((stream) => stream.name === name);
        return judgeCandidates({ self, name, own, peers: [], signingKeyId: undefined, now });
      },
    },
  });
  const after = (ms: number) => ({ ...testNow, monoMs: testNow.monoMs + ms });
  return { groups, looked, after };
}

it('all groups are looked at once a second, however often they are asked for', () => {
  const { groups, looked, after } = twoGroups();
  expect(groups(after(0)).map(({ name }) => name)).toEqual(['a', 'b']);
  expect(groups(after(999))).toBe(groups(after(0)));
  expect(looked).toEqual(['a', 'b']);
  groups(after(1_000));
  expect(looked).toEqual(['a', 'b', 'a', 'b']);
});

it('one group is looked at each time, and alone', () => {
  const { groups, looked, after } = twoGroups();
  for (const ms of [0, 1]) expect(groups(after(ms), (name) => name === 'b')).toHaveLength(1);
  expect(looked).toEqual(['b', 'b']);
});
