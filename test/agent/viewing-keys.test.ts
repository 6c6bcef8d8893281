import { describe, expect, it } from 'vitest';
import { createKeyWrap } from '../../src/adapters/jose/key-wrap.ts';
import { ViewingKeys } from '../../src/agent/viewing-keys.ts';
import type { Peer } from '../../src/core/group/node.ts';
import { aPeer } from '../support/builders.ts';
import { aKey, memoryKeyStore, plainWrap, recordingLog } from '../support/pass-fakes.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';

let made = 0;

function node(parts: { store?: ReturnType<typeof memoryKeyStore>; peersExpected?: number } = {}) {
  const clock = createVirtualClock();
  const log = recordingLog();
  const store = parts.store ?? memoryKeyStore();
  const keys = new ViewingKeys({
    clock,
    log,
    store,
    newId: () => {
      made += 1;
      return `id${made}`;
    },
    wrap: plainWrap(),
    randomBytes: (length) => new Uint8Array(length).fill(made),
    passTtlS: 60,
    peersExpected: parts.peersExpected ?? 0,
  });
  return { clock, log, store, keys };
}

function peer(keys: readonly string[], id = 'node-b'): Peer {
  return aPeer({ facts: { id, keys, passTtlS: 60 } });
}

const unheard: Peer = { url: 'http://x:8082', reachability: 'unknown', streams: new Map() };

describe('the viewing keys of a node without peers', () => {
  it('are one in force at once, kept over a restart', () => {
    const { keys, store } = node();
    const key = keys.signing();
    expect(keys.state()).toBe('in-force');
    expect(key).toMatchObject({ generation: 1 });
    expect(key?.id).toMatch(/^1-id\d+$/);
    expect(keys.ownKey()).toBe(key);
    expect(keys.heldIds()).toEqual([key?.id]);
    expect(node({ store }).keys.signing()).toEqual(key);
  });

  it('are rotated at once, and the old one verifies until its passes are over', () => {
    const { keys, clock } = node();
    const first = keys.ownKey();
    const second = keys.rotate(clock.now());
    expect(keys.signing()?.id).toBe(second.id);
    expect(second.generation).toBe(2);
    const lifeMs = (60 + 480 + 60) * 1000;
    clock.advance(lifeMs);
    keys.tick(clock.now(), []);
    expect(keys.keyOf(first.id)?.secret).toEqual(first.secret);
    clock.advance(1);
    keys.tick(clock.now(), []);
    expect(keys.keyOf(first.id)).toBeUndefined();
    expect(keys.heldIds()).toEqual([second.id]);
  });

  it('outlive a step of the wall clock', () => {
    const { keys, clock } = node();
    const first = keys.ownKey();
    keys.rotate(clock.now());
    clock.stepWall(86_400_000);
    keys.tick(clock.now(), []);
    expect(keys.keyOf(first.id)).toBeDefined();
  });
});

describe('the viewing keys of a node with peers', () => {
  it('begin with one that is good here only and never leaves, also over a restart', async () => {
    const { keys, store } = node({ peersExpected: 2 });
    expect(keys.state()).toBe('missing');
    expect(keys.signing()).toBeUndefined();
    expect(keys.heldIds()).toEqual([]);
    expect(await keys.wrapped()).not.toContain(keys.ownKey().id);
    expect(keys.view().keys).toEqual([]);
    expect(node({ store, peersExpected: 2 }).keys.ownKey()).toEqual(keys.ownKey());
  });

  it('go on verifying what the key of the beginning signed when a shared one is there', () => {
    const { keys, clock } = node({ peersExpected: 1 });
    const beginning = keys.ownKey();
    keys.tick(clock.now(), [peer([])]);
    expect(keys.state()).toBe('spreading');
    expect(keys.ownKey().generation).toBe(1);
    expect(keys.keyOf(beginning.id)).toBe(beginning);
  });

  it('are in force when the peers hold the first one, made after all were heard or 3 s', () => {
    const { keys, clock } = node({ peersExpected: 2 });
    keys.tick(clock.now(), [peer([]), unheard]);
    expect(keys.heldIds()).toEqual([]);
    clock.advance(3_000);
    keys.tick(clock.now(), [peer([]), unheard]);
    expect(keys.heldIds()).toHaveLength(1);
    expect(keys.signing()).toBeUndefined();
    keys.tick(clock.now(), [peer(keys.heldIds()), unheard]);
    expect(keys.state()).toBe('in-force');
  });

  it('after a restart sign with the key that signed before, peers heard or not', () => {
    const superseded = { supersededAt: createVirtualClock().now().wallMs };
    const waiting = aKey({ id: '3-c' });
    const store = memoryKeyStore([
      aKey({ id: '1-a', ...superseded }),
      waiting,
      aKey({ id: '2-b' }),
    ]);
    const { keys, clock } = node({ store, peersExpected: 1 });
    expect(keys.signing()?.id).toBe('2-b');
    expect(keys.ownKey().id).toBe('2-b');
    keys.tick(clock.now(), [unheard]);
    expect(keys.signing()?.id).toBe('2-b');
    expect(keys.state()).toBe('spreading');
  });

  it('show which peers lack one, and no secret', () => {
    const { keys, clock } = node({ peersExpected: 2 });
    const peers = () => [peer(keys.heldIds(), 'node-b'), peer([], 'node-c')];
    keys.tick(clock.now(), [peer([]), peer([], 'node-c')]);
    keys.tick(clock.now(), peers());
    const { state, keys: shown } = keys.view();
    expect(state).toBe('spreading');
    expect(shown).toEqual([
      {
        id: keys.heldIds()[0],
        generation: 1,
        createdAt: clock.now().wallMs,
        supersededAt: undefined,
        signs: false,
        lackedBy: ['node-c'],
      },
    ]);
  });

  it('are taken from a peer of the domain only, and asked for when one announces others', async () => {
    const a = node({ peersExpected: 1 });
    const b = node({ peersExpected: 1 });
    a.keys.tick(a.clock.now(), [peer([])]);
    expect(b.keys.lacks(a.keys.heldIds())).toBe(true);
    const text = await a.keys.wrapped();
    expect(await b.keys.absorb(text, b.clock.now())).toBe('changed');
    expect(await b.keys.absorb(text, b.clock.now())).toBe('same');
    expect(b.keys.lacks(a.keys.heldIds())).toBe(false);
    expect(b.store.kept.map(({ id }) => id)).toEqual(expect.arrayContaining([...b.keys.heldIds()]));
    const foreign = await plainWrap('elsewhere').wrap([aKey({ id: '9-x' })]);
    expect(await b.keys.absorb(foreign, b.clock.now())).toBe('refused');
    expect(b.keys.keyOf('9-x')).toBeUndefined();
  });

  it('never take a key from a peer that claims to be good on one node only', async () => {
    const { keys, clock } = node({ peersExpected: 1 });
    const text = await plainWrap().wrap([aKey({ id: '0-x', generation: 0 })]);
    expect(await keys.absorb(text, clock.now())).toBe('same');
  });

  it('are wrapped once until they change', async () => {
    const { keys, clock } = node({ peersExpected: 1 });
    const first = keys.wrapped();
    keys.tick(clock.now(), [unheard]);
    expect(keys.wrapped()).toBe(first);
    keys.rotate(clock.now());
    expect(keys.wrapped()).not.toBe(first);
    expect(await keys.wrapped()).toContain(keys.heldIds()[0]);
  });

  it('that ran out are not taken again from a peer that still holds them', async () => {
    const { keys, clock } = node({ peersExpected: 1 });
    const first = keys.rotate(clock.now());
    keys.tick(clock.now(), [peer([first.id])]);
    const second = keys.rotate(clock.now());
    const both = [peer([second.id, first.id])];
    const text = await keys.wrapped();
    keys.tick(clock.now(), both);
    clock.advance(3_600_000);
    keys.tick(clock.now(), both);
    expect(keys.heldIds()).toEqual([second.id]);
    expect(keys.lacks([second.id, first.id])).toBe(false);
    expect(await keys.absorb(text, clock.now())).toBe('same');
  });

  it('that a wrong clock ended at start are taken from a peer again', () => {
    const clock = createVirtualClock();
    const superseded = { supersededAt: clock.now().wallMs - 1e10 };
    const store = memoryKeyStore([aKey({ id: '2-a' }), aKey({ id: '1-a', ...superseded })]);
    const { keys } = node({ store, peersExpected: 1 });
    expect(keys.heldIds()).toEqual(['2-a']);
    expect(keys.lacks(['1-a'])).toBe(true);
  });

  it('are not rotated again while the newest still waits for a peer', () => {
    const { keys, clock } = node({ peersExpected: 1 });
    const first = keys.rotate(clock.now());
    expect(keys.rotate(clock.now()).id).toBe(first.id);
    keys.tick(clock.now(), [peer([first.id])]);
    expect(keys.rotate(clock.now()).generation).toBe(2);
    expect(keys.signing()?.id).toBe(first.id);
  });
});

describe('rotation', () => {
  it('stops, with a warning, before it would drop a key whose passes may live', () => {
    const { keys, clock, log } = node();
    const first = keys.ownKey();
    for (let generation = 2; generation <= 16; generation += 1) {
      expect(keys.rotate(clock.now()).generation).toBe(generation);
    }
    expect(keys.rotate(clock.now()).generation).toBe(16);
    expect(log.lines.at(-1)?.event).toContain('not rotated');
    expect(keys.keyOf(first.id)).toBeDefined();
  });

  it('by schedule comes within 20 s, and not when another node did it just now', async () => {
    const { keys, clock } = node();
    clock.advance(480_000);
    keys.scheduleRotation(clock.now());
    clock.advance(20_000);
    keys.tick(clock.now(), []);
    expect(keys.heldIds()).toHaveLength(2);
    clock.advance(459_999);
    keys.scheduleRotation(clock.now());
    clock.advance(20_000);
    keys.tick(clock.now(), []);
    expect(keys.heldIds()).toHaveLength(2);
    clock.advance(1);
    keys.scheduleRotation(clock.now());
    clock.advance(20_000);
    keys.tick(clock.now(), []);
    expect(keys.heldIds()[0]).toMatch(/^3-/);
  });
});

describe('a key store that fails', () => {
  it('does not stop the keys, and gets them as soon as it works again', () => {
    const store = memoryKeyStore();
    const { keys, clock, log } = node({ store });
    store.fails = true;
    const second = keys.rotate(clock.now());
    expect(keys.signing()?.id).toBe(second.id);
    expect(log.lines.some(({ event }) => event.includes('not kept'))).toBe(true);
    store.fails = false;
    keys.tick(clock.now(), []);
    expect(store.kept.map(({ id }) => id)).toEqual(keys.heldIds());
  });

  it('at start is read later, and nothing that it holds is overwritten before', () => {
    const store = memoryKeyStore([aKey({ id: '7-kept' })]);
    store.fails = true;
    const { keys, clock } = node({ store });
    expect(keys.signing()).toBeDefined();
    keys.tick(clock.now(), []);
    store.fails = false;
    expect(store.writes).toBe(0);
    keys.tick(clock.now(), []);
    expect(keys.signing()?.id).toBe('7-kept');
    expect(store.kept[0]?.id).toBe('7-kept');
    expect(store.kept).toHaveLength(2);
  });

  it('holds times by the wall clock, so that one set right after start ends no key at the next', () => {
    const { keys, clock, store } = node();
    const first = keys.ownKey();
    keys.rotate(clock.now());
    for (const { hours, writes } of [
      { hours: 5, writes: 3 },
      { hours: 0, writes: 3 },
    ]) {
      clock.stepWall(hours * 3_600_000);
      keys.tick(clock.now(), []);
      const kept = store.kept.find(({ id }) => id === first.id);
      expect(kept?.supersededAt).toBe(clock.now().wallMs);
      expect(store.writes).toBe(writes);
    }
    expect(keys.keyOf(first.id)).toBeDefined();
  });

  it('is not written to while nothing changes', () => {
    const store = memoryKeyStore();
    const { keys, clock } = node({ store });
    for (let second = 0; second < 10; second += 1) {
      clock.advance(1_000);
      keys.tick(clock.now(), []);
    }
    expect(store.writes).toBe(1);
  });
});

describe('what is logged', () => {
  it('never holds a secret or a wrapped key', async () => {
    const { keys, clock, log } = node({ peersExpected: 1 });
    keys.rotate(clock.now());
    keys.tick(clock.now(), [peer(keys.heldIds())]);
    const lines = JSON.stringify(log.lines);
    expect(lines).toContain(keys.heldIds()[0]);
    expect(lines).not.toContain('secret');
    expect(lines).not.toContain(await keys.wrapped());
  });
});

describe('a node without cluster secret', () => {
  it('has no keys for others and takes none', async () => {
    const clock = createVirtualClock();
    const keys = new ViewingKeys({
      clock,
      log: recordingLog(),
      store: memoryKeyStore(),
      newId: () => 'x',
      randomBytes: (length) => new Uint8Array(length),
      passTtlS: 60,
      peersExpected: 0,
    });
    const text = await createKeyWrap('some cluster secret').wrap([aKey()]);
    expect(await keys.wrapped()).toBe('');
    expect(await keys.absorb(text, clock.now())).toBe('refused');
  });
});
