import { describe, expect, it } from 'vitest';
import { type Identity, judgeIdentities } from '../../../src/core/group/identity.ts';

const self = { id: 'node-a', boot: 'a-1' };

function anIdentity(identity: Partial<Identity> = {}): Identity {
  return {
    url: 'http://b',
    id: 'node-b',
    boot: 'b-1',
    bootSeenAt: 100,
    heardAt: 900,
    isFresh: true,
    ...identity,
  };
}

const other = (identity: Partial<Identity> = {}) => anIdentity({ url: 'http://c', ...identity });

describe('who answers under the configured addresses', () => {
  it('is this node itself, by its boot', () => {
    expect(judgeIdentities([anIdentity({ id: 'node-a', boot: 'a-1' })], self)).toEqual([
      { kind: 'self' },
    ]);
  });

  it('is another agent with the id of this node', () => {
    expect(judgeIdentities([anIdentity({ id: 'node-a', boot: 'a-2' })], self)).toEqual([
      { kind: 'double', fault: 'node id "node-a" is also the id of this node' },
    ]);
  });

  it('is the same process under two addresses: the second one is not used', () => {
    expect(judgeIdentities([anIdentity(), other()], self)).toEqual([
      { kind: 'peer' },
      { kind: 'double', fault: 'the same node as http://b', sameAs: 0 },
    ]);
  });

  it('are two agents with one id: both show it, the second one is not used', () => {
    expect(judgeIdentities([anIdentity(), other({ boot: 'c-1' })], self)).toEqual([
      { kind: 'peer', fault: 'node id "node-b" is also used by http://c' },
      { kind: 'double', fault: 'node id "node-b" is also used by http://b' },
    ]);
  });

  it.each([
    [
      'moved to another address',
      { isFresh: false },
      { boot: 'b-2', bootSeenAt: 5_000, heardAt: 6_000 },
    ],
    ['moved without a restart', { isFresh: false }, {}],
    [
      'restarted, and one of its addresses still shows its earlier life',
      {},
      { boot: 'b-2', bootSeenAt: 901, heardAt: 950 },
    ],
    ['never answered', { id: undefined, boot: undefined }, { id: undefined, boot: undefined }],
    ['of another id', {}, { id: 'node-c', boot: 'c-1' }],
  ])('is no double when a node %s', (_, first, second) => {
    expect(judgeIdentities([anIdentity(first), other(second)], self)).toEqual([
      { kind: 'peer' },
      { kind: 'peer' },
    ]);
  });
});
