import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Peer } from '../../../src/core/group/node.ts';
import {
  isFirstKeyDue,
  keyState,
  mergeKeys,
  type RingKey,
  ringSizeMax,
  settleRing,
  signingAtStart,
  signingKey,
} from '../../../src/core/pass/key-ring.ts';
import { aPeer } from '../../support/builders.ts';

const at = 1_800_000_000_000;
const ttlS = 60;
/** Life of a superseded key: pass life, the tolerance at both ends, a minute for the news. */
const lifeMs = (ttlS + 480 + 60) * 1000;

function key(id: string, more: Partial<RingKey> = {}): RingKey {
  return { id, generation: Number(id.split('-')[0]), createdAt: 5, ...more };
}

function peer(
  id: string,
  keys: readonly string[],
  more: Partial<Pick<Peer, 'reachability'>> = {},
): Peer {
  return aPeer({ facts: { id, keys, passTtlS: ttlS }, ...more });
}

const unheard: Peer = { url: 'http://x:8082', reachability: 'unknown', streams: new Map() };

function domain(...peers: readonly Peer[]) {
  return { peers, peersExpected: peers.length };
}

describe('the order of keys', () => {
  it('puts the higher generation first, then the later time, then the greater id', () => {
    const keys = [
      key('2-a', { createdAt: 1 }),
      key('1-b', { createdAt: 9 }),
      key('1-c', { createdAt: 8 }),
      key('1-a', { createdAt: 8 }),
    ];
    expect(mergeKeys([], keys.toReversed())).toEqual(keys);
  });

  it('is the same whatever the order in which rings are merged', () => {
    const rings = fc.array(fc.array(fc.tuple(fc.nat(3), fc.nat(3), fc.nat(3)), { maxLength: 6 }));
    fc.assert(
      fc.property(rings, (lists) => {
        const made = lists.map((list) =>
          list.map(([generation, createdAt, random]) =>
            key(`${generation}-${createdAt}${random}`, { createdAt }),
          ),
        );
        const merge = (of: readonly RingKey[][]) =>
          of.reduce<readonly RingKey[]>(mergeKeys, []).map(({ id }) => id);
        expect(merge(made)).toEqual(merge(made.toReversed()));
      }),
    );
  });

  it('leaves a ring as it is when it is given nothing new', () => {
    const ring = [key('2-a'), key('1-a', { supersededAt: at })];
    expect(mergeKeys(ring, [key('1-a')])).toBe(ring);
  });
});

describe('the key that signs', () => {
  const ring = [key('3-a'), key('2-a'), key('1-a'), key('0-a')];
  const [newest, middle, oldest] = ring;

  it('is the newest as soon as every reachable peer holds it', () => {
    const everybody = domain(peer('b', ['3-a', '2-a']), peer('c', ['2-a', '3-a', '1-a']));
    expect(signingKey(ring, oldest, everybody)).toBe(newest);
  });

  it('is the newest that all hold while a reachable peer still lacks a newer one', () => {
    expect(signingKey(ring, oldest, domain(peer('b', ['3-a', '2-a']), peer('c', ['2-a'])))).toBe(
      middle,
    );
  });

  it('does not wait for peers that are unreachable, unheard or of another protocol version', () => {
    const others = [
      peer('c', [], { reachability: 'unreachable' }),
      peer('d', [], { reachability: 'unknown' }),
      aPeer({ facts: { id: 'e', keys: [], protocol: 2 } }),
      unheard,
    ];
    expect(signingKey(ring, oldest, domain(peer('b', ['3-a']), ...others))).toBe(newest);
  });

  it('stays when a peer joins without it, and never goes back to an older one', () => {
    expect(signingKey(ring, middle, domain(peer('b', ['2-a']), peer('c', [])))).toBe(middle);
    expect(signingKey(ring, middle, domain(peer('b', ['1-a'])))).toBe(middle);
  });

  it('stays while no peer is reachable', () => {
    expect(signingKey(ring, middle, domain(unheard))).toBe(middle);
  });

  it('waits for a first confirmation, and is there at once without peers', () => {
    expect(signingKey(ring, undefined, domain(unheard))).toBeUndefined();
    expect(signingKey(ring, undefined, domain(peer('b', [])))).toBeUndefined();
    expect(signingKey(ring, undefined, domain(peer('b', ['3-a'])))).toBe(newest);
    expect(signingKey(ring, undefined, domain())).toBe(newest);
  });

  it('is never the one that is good on this node only', () => {
    expect(signingKey([key('0-a')], undefined, domain(peer('b', ['0-a'])))).toBeUndefined();
    expect(signingKey([key('0-a')], undefined, domain())).toBeUndefined();
  });

  it('is after a restart the oldest that nothing had superseded', () => {
    const kept = [newest, middle, key('1-a', { supersededAt: at }), key('0-a')] as RingKey[];
    expect(signingAtStart(kept)).toBe(middle);
    expect(signingAtStart([key('0-a')])).toBeUndefined();
    const allSuperseded = [key('2-a', { supersededAt: 2 }), key('1-a', { supersededAt: 1 })];
    expect(signingAtStart(allSuperseded)).toBe(allSuperseded[0]);
  });

  it('makes the state', () => {
    expect(keyState([key('0-a')], undefined)).toBe('missing');
    expect(keyState(ring, undefined)).toBe('spreading');
    expect(keyState(ring, middle)).toBe('spreading');
    expect(keyState(ring, newest)).toBe('in-force');
  });
});

describe('the first key of a domain', () => {
  it('is made at once when every configured peer was heard and none has a key', () => {
    expect(isFirstKeyDue([], domain(peer('b', []), peer('c', [])), 0)).toBe(true);
    expect(isFirstKeyDue([key('0-a')], domain(), 0)).toBe(true);
  });

  it('waits 3 s for peers that are not heard', () => {
    const some = domain(peer('b', []), unheard);
    expect(isFirstKeyDue([], some, 2_999)).toBe(false);
    expect(isFirstKeyDue([], some, 3_000)).toBe(true);
  });

  it('is not made while a reachable peer has a key or when one is held', () => {
    expect(isFirstKeyDue([], domain(peer('b', ['4-x']), peer('c', [])), 60_000)).toBe(false);
    expect(isFirstKeyDue([key('1-a')], domain(), 60_000)).toBe(false);
  });
});

describe('a superseded key', () => {
  const settle = (
    ring: readonly RingKey[],
    more: { signing?: RingKey; peers?: readonly Peer[]; at?: number; ttlS?: number } = {},
  ) =>
    settleRing(ring, {
      signing: 'signing' in more ? more.signing : ring[0],
      domain: domain(...(more.peers ?? [])),
      longestPassTtlS: more.ttlS ?? ttlS,
      at: more.at ?? at,
    });

  it('is marked when a newer one signs, and not before', () => {
    const ring = [key('2-a'), key('1-a')];
    expect(settle(ring, { signing: key('1-a') })).toBe(ring);
    expect(settle(ring)).toEqual([key('2-a'), key('1-a', { supersededAt: at })]);
  });

  it('verifies until the last pass it can have signed is over', () => {
    const ring = [key('2-a'), key('1-a', { supersededAt: at })];
    expect(settle(ring, { at: at + lifeMs - 1 })).toBe(ring);
    expect(settle(ring, { at: at + lifeMs })).toBe(ring);
    expect(settle(ring, { at: at + lifeMs + 1 })).toEqual([key('2-a')]);
    expect(settle(ring, { at: at + lifeMs + 1, ttlS: ttlS + 1 })).toBe(ring);
  });

  it('verifies for the passes of a day while a peer was not heard since the start', () => {
    const ring = [key('2-a'), key('1-a', { supersededAt: at })];
    const peers = [unheard];
    expect(settle(ring, { peers, at: at + (86_400 + 540) * 1000 })).toBe(ring);
    expect(settle(ring, { peers, at: at + (86_400 + 540) * 1000 + 1 })).toHaveLength(1);
  });

  it('lives on while a reachable peer still signs with it', () => {
    const peers = [aPeer({ facts: { id: 'b', keys: ['1-a'], signingKey: '1-a', passTtlS: ttlS } })];
    const ring = [key('2-a'), key('1-a', { supersededAt: at })];
    expect(settle(ring, { peers, at: at + 29_999 })).toBe(ring);
    expect(settle(ring, { peers, at: at + 30_000 })[1]?.supersededAt).toBe(at + 30_000);
  });

  it('counts from now when the clock that marked it was ahead', () => {
    const ring = [key('2-a'), key('1-a', { supersededAt: at + 3_600_000 })];
    expect(settle(ring)[1]?.supersededAt).toBe(at);
  });

  it('is not superseded any more when it turns out to be the one that signs', () => {
    const ring = [key('2-a'), key('1-a', { supersededAt: at - lifeMs * 2 })];
    expect(settle(ring, { signing: key('1-a') })[1]?.supersededAt).toBeUndefined();
  });
});

describe('a full ring', () => {
  const keys = (count: number) =>
    Array.from({ length: count }, (_, index) => key(`${count - index}-a`));
  const settle = (ring: readonly RingKey[], signing: RingKey | undefined) =>
    settleRing(ring, { signing, domain: domain(), longestPassTtlS: ttlS, at });

  it.each([ringSizeMax - 1, ringSizeMax])('keeps all of %i keys', (count) => {
    expect(settle(keys(count), undefined)).toHaveLength(count);
  });

  it('drops the oldest of one more', () => {
    const kept = settle(keys(ringSizeMax + 1), undefined);
    expect(kept.map(({ id }) => id)).toEqual(
      keys(ringSizeMax + 1)
        .slice(0, -1)
        .map(({ id }) => id),
    );
  });

  it('never drops the key that signs, however old', () => {
    const ring = keys(ringSizeMax + 5);
    const signing = ring.at(-2);
    const kept = settle(ring, signing);
    expect(kept).toHaveLength(ringSizeMax);
    expect(kept.at(-1)).toBe(signing);
    expect(kept[0]).toBe(ring[0]);
  });
});
