import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Announcement } from '../../src/agent/announcement.ts';
import type { StreamFacts } from '../../src/core/stream/stream.ts';
import { aNode, aStreamFacts } from '../support/builders.ts';

const node = aNode();

/** An announcement and a way to replace all streams by ones of these names. */
function announce(...names: string[]) {
  const announcement = new Announcement();
  let version = 0;
  const set = (facts: readonly StreamFacts[]) => {
    version += 1;
    announcement.update(node, { version, facts });
  };
  set(names.map((name) => aStreamFacts({ name })));
  return { announcement, set };
}

/** Asks and takes in what is told, as a peer does. */
function learn(asker: { since: number; known: Map<string, boolean> }, announcement: Announcement) {
  const { full, removed, streams, version } = announcement.since(asker.since);
  if (full) asker.known.clear();
  for (const name of removed) asker.known.delete(name);
  for (const { name, reserve } of streams) asker.known.set(name, reserve);
  asker.since = version;
}

const namesOf = (facts: readonly StreamFacts[]) => facts.map(({ name }) => name);

describe('what a peer is told', () => {
  it('is everything when it knows nothing', () => {
    const { announcement } = announce('a', 'b');
    expect(announcement.since(0)).toEqual({
      version: 3,
      facts: node,
      full: true,
      more: false,
      streams: [aStreamFacts({ name: 'a' }), aStreamFacts({ name: 'b' })],
      removed: [],
    });
  });

  it('is nothing when nothing changed, also if the streams were listed anew', () => {
    const { announcement, set } = announce('a');
    set([aStreamFacts({ name: 'a' })]);
    announcement.update(aNode(), { version: 1, facts: [] });
    set([aStreamFacts({ name: 'a' })]);
    const { version } = announcement.since(0);
    expect(announcement.since(version)).toEqual({
      version,
      full: false,
      more: false,
      streams: [],
      removed: [],
    });
  });

  it('is what changed and what was removed since', () => {
    const { announcement, set } = announce('a', 'b', 'c');
    const { version } = announcement.since(0);
    set([aStreamFacts({ name: 'a' }), aStreamFacts({ name: 'b', reserve: false })]);
    const delta = announcement.since(version);
    expect(delta.full).toBe(false);
    expect(delta.facts).toBeUndefined();
    expect(delta.streams).toEqual([aStreamFacts({ name: 'b', reserve: false })]);
    expect(delta.removed).toEqual(['c']);
    expect(announcement.since(delta.version).removed).toEqual([]);
    expect(announcement.since(0).removed).toEqual([]);
  });

  it('are the facts of the node when they changed', () => {
    const { announcement } = announce('a');
    const { version } = announcement.since(0);
    announcement.update(aNode({ draining: true }), { version: 1, facts: [] });
    expect(announcement.since(version).facts).toEqual(aNode({ draining: true }));
  });

  it.each([
    [500, [500]],
    [501, [500, 1]],
    [1_200, [500, 500, 200]],
  ])('of %i streams comes in answers of 500 at most', (count, sizes) => {
    const { announcement } = announce(...Array.from({ length: count }, (_, index) => `s${index}`));
    const told: number[] = [];
    let since = 0;
    for (let more = true; more; ) {
      const delta = announcement.since(since);
      expect(delta.full).toBe(since === 0);
      told.push(delta.streams.length);
      ({ version: since, more } = delta);
    }
    expect(told).toEqual(sizes);
  });

  it('is everything again when it missed a removal that is no longer remembered', () => {
    const names = Array.from({ length: 1_001 }, (_, index) => `s${index}`);
    const { announcement, set } = announce(...names);
    const known = 1 + names.length;
    set([aStreamFacts({ name: 's0' })]);
    expect(announcement.since(known).full).toBe(false);
    set([]);
    expect(announcement.since(known).full).toBe(true);
    expect(announcement.since(known + 1).full).toBe(false);
  });

  it('is everything when it claims to know what was never said', () => {
    const { announcement } = announce('a');
    expect(announcement.since(99).full).toBe(true);
  });

  it('makes every peer know the same in the end, whenever it asked', () => {
    const stream = fc.record({ name: fc.constantFrom('a', 'b', 'c', 'd'), reserve: fc.boolean() });
    const streams = fc.uniqueArray(stream, { selector: ({ name }) => name });
    const change = fc.record({ streams, asks: fc.boolean() });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 12 }), (changes) => {
        const { announcement, set } = announce();
        const asker = { since: 0, known: new Map<string, boolean>() };
        for (const { streams, asks } of [...changes, { streams: [], asks: true }]) {
          set(streams.map((facts) => aStreamFacts(facts)));
          if (!asks) continue;
          learn(asker, announcement);
          expect(new Map([...asker.known].sort())).toEqual(
            new Map(streams.map(({ name, reserve }) => [name, reserve] as const).sort()),
          );
        }
      }),
    );
  });

  it('names streams in the order they changed', () => {
    const { announcement, set } = announce('a', 'b');
    set([aStreamFacts({ name: 'a', reserve: false }), aStreamFacts({ name: 'b' })]);
    expect(namesOf(announcement.since(0).streams)).toEqual(['b', 'a']);
  });

  it('is told in parts where recordings make it long, each stream once, until all is told', () => {
    const { announcement, set } = announce();
    const ts = [1e12, ...Array.from({ length: 1_999 }, (_, at) => 1e5 + at)];
    const archive = { depthMs: 1e8, hls: true, dash: false, lists: true, ts };
    const names = Array.from({ length: 400 }, (_, at) => `ch${at}`);
    set(names.map((name) => aStreamFacts({ name, archive })));
    const told: string[] = [];
    let since = 0;
    for (let more = true; more; ) {
      const part = announcement.since(since);
      expect(JSON.stringify(part.streams).length).toBeLessThan(2_100_000);
      told.push(...namesOf(part.streams));
      since = part.version;
      more = part.more;
    }
    expect(told).toEqual(names);
  });
});
