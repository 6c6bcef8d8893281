import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSpread } from '../../src/agent/spread.ts';
import type { Now } from '../../src/core/time.ts';
import { testNow } from '../support/builders.ts';

type Offer = { readonly node: { readonly id: string; readonly weight: number } };

const openings = 10_000;
const selfId = 'node-a';
const nodeIds = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((letter) => `node-${letter}`);

/** What the first of `nodes` nodes may offer: all others. */
function others(nodes: number, weightOf: (id: string) => number = () => 1): readonly Offer[] {
  return nodeIds.slice(1, nodes).map((id) => ({ node: { id, weight: weightOf(id) } }));
}

function later(ms: number): Now {
  return { wallMs: testNow.wallMs + ms, monoMs: testNow.monoMs + ms };
}

function idsOf(picked: readonly Offer[]): readonly string[] {
  return picked.map(({ node }) => node.id);
}

function tally<T>(things: readonly T[]): ReadonlyMap<T, number> {
  const counts = new Map<T, number>();
  for (const thing of things) counts.set(thing, (counts.get(thing) ?? 0) + 1);
  return counts;
}

/** Largest share in proportion to its weight, over the mean; `of`: everything that ought to have one. */
function maxOverMean(
  counts: ReadonlyMap<string, number>,
  of: readonly string[],
  weightOf: (id: string) => number = () => 1,
): number {
  const loads = of.map((id) => (counts.get(id) ?? 0) / weightOf(id));
  const weights = of.reduce((sum, id) => sum + weightOf(id), 0);
  const total = of.reduce((sum, id) => sum + (counts.get(id) ?? 0), 0);
  return Math.max(...loads) / (total / weights);
}

/** The backups of that many different viewers, each opening once, 10 ms apart. */
function choicesOf(viewers: number, offers: readonly Offer[]): readonly (readonly string[])[] {
  const spread = createSpread(selfId);
  return Array.from({ length: viewers }, (_, index) =>
    idsOf(spread.pick(offers, { viewerKey: `viewer ${index}`, stream: 'ch1' }, later(index * 10))),
  );
}

function pairsOf(ids: readonly string[]): readonly string[] {
  return ids.flatMap((one) =>
    ids.filter((other) => other !== one).map((other) => `${one} ${other}`),
  );
}

describe.each([2, 3, 4, 5, 6, 7, 8])('10 000 viewers of one of %i nodes', (nodes) => {
  const offers = others(nodes);
  const ids = idsOf(offers);
  const choices = choicesOf(openings, offers);

  it('are spread evenly over every backup, as first choice and in all', () => {
    expect(maxOverMean(tally(choices.map(([first = '']) => first)), ids)).toBeLessThanOrEqual(1.02);
    expect(maxOverMean(tally(choices.flat()), ids)).toBeLessThanOrEqual(1.02);
    expect(choices.every(({ length }) => length === Math.min(2, nodes - 1))).toBe(true);
  });

  it('load the remaining nodes evenly when their node dies', () => {
    const moved = tally(choices.map(([first = '']) => first));
    expect(maxOverMean(moved, ids)).toBeLessThanOrEqual(1.02);
  });
});

describe.each([3, 4, 5, 6, 7, 8])('the pairs of 10 000 viewers of one of %i nodes', (nodes) => {
  const offers = others(nodes);
  const ids = idsOf(offers);
  const choices = choicesOf(openings, offers);

  it('are spread evenly over every ordered pair', () => {
    const pairs = tally(choices.map((choice) => choice.join(' ')));
    expect(maxOverMean(pairs, pairsOf(ids))).toBeLessThanOrEqual(1.05);
  });

  it('load the remaining nodes evenly when their node and any backup die', () => {
    for (const dead of ids) {
      const moved = choices.map((choice) => choice.find((id) => id !== dead) ?? 'nowhere');
      const remaining = ids.filter((id) => id !== dead);
      expect(moved).not.toContain('nowhere');
      expect(maxOverMean(tally(moved), remaining)).toBeLessThanOrEqual(1.02);
      const orphans = choices.flatMap(([first, second = 'nowhere']) =>
        first === dead ? [second] : [],
      );
      expect(maxOverMean(tally(orphans), remaining)).toBeLessThanOrEqual(1.05);
    }
  });
});

describe('viewers of nodes with different weights', () => {
  const weightOf = (id: string) => (id === 'node-b' ? 3 : id === 'node-c' ? 0.5 : 1);

  it.each([3, 4, 6, 8])('are spread by weight over the backups of one of %i nodes', (nodes) => {
    const offers = others(nodes, weightOf);
    const ids = idsOf(offers);
    const choices = choicesOf(openings, offers);
    const firsts = tally(choices.map(([first = '']) => first));
    expect(maxOverMean(firsts, ids, weightOf)).toBeLessThanOrEqual(1.02);
    for (const dead of ids) {
      const orphans = choices.flatMap(([first, second = '']) => (first === dead ? [second] : []));
      const remaining = ids.filter((id) => id !== dead);
      expect(maxOverMean(tally(orphans), remaining, weightOf)).toBeLessThanOrEqual(1.05);
    }
  });
});

describe('viewers while one of the nodes has only a part of its weight', () => {
  it.each([0.1, 0.25, 0.5, 0.75])('give it %d of what the others get each', (share) => {
    const weightOf = (id: string) => (id === 'node-b' ? share : 1);
    const offers = others(4).map((one) => (one.node.id === 'node-b' ? { ...one, share } : one));
    const choices = choicesOf(openings, offers);
    const ids = idsOf(offers);
    const firsts = tally(choices.map(([first = '']) => first));
    expect(maxOverMean(firsts, ids, weightOf)).toBeLessThanOrEqual(1.02);
    expect((firsts.get('node-b') ?? 0) / openings).toBeCloseTo(share / (2 + share), 2);
  });
});

describe('many streams', () => {
  it('with one viewer each are spread as one stream with many viewers', () => {
    const spread = createSpread(selfId);
    const offers = others(5);
    const ids = idsOf(offers);
    const choices = Array.from({ length: 1_200 }, (_, index) => {
      const asker = { viewerKey: `viewer ${index}`, stream: `ch${index}` };
      return idsOf(spread.pick(offers, asker, later(index)));
    });
    expect(maxOverMean(tally(choices.map(([first = '']) => first)), ids)).toBeLessThanOrEqual(1.02);
    const pairs = tally(choices.map((choice) => choice.join(' ')));
    expect(maxOverMean(pairs, pairsOf(ids))).toBeLessThanOrEqual(1.05);
  });

  it('watched by one viewer have each their own choice', () => {
    const spread = createSpread(selfId);
    const choices = ['ch1', 'ch2', 'ch3'].map((stream) =>
      idsOf(spread.pick(others(4), { viewerKey: 'one', stream }, testNow)),
    );
    expect(new Set(choices.map(([first]) => first)).size).toBe(3);
  });
});

describe('the first viewers of nodes that have counted nothing yet', () => {
  it('are given backups that differ from node to node', () => {
    const all = nodeIds.map((id) => ({ node: { id, weight: 1 } }));
    const firsts = nodeIds.map((self) => {
      const offers = all.filter(({ node }) => node.id !== self);
      return idsOf(
        createSpread(self).pick(offers, { viewerKey: 'one', stream: 'ch1' }, testNow),
      )[0];
    });
    expect(firsts).toEqual([...nodeIds.slice(1), 'node-a']);
  });
});

describe('a viewer who opens again', () => {
  const asker = { viewerKey: 'one', stream: 'ch1' };
  const offers = others(5);

  /** A spread in which one viewer has opened among others, and what it was given. */
  function opened(who: { viewerKey: string; stream: string; session?: string }) {
    const spread = createSpread(selfId);
    spread.pick(offers, { viewerKey: 'before', stream: 'ch1' }, testNow);
    const choice = idsOf(spread.pick(offers, who, testNow));
    spread.pick(offers, { viewerKey: 'after', stream: 'ch1' }, testNow);
    return { spread, choice };
  }

  it('keeps its backups, in their order, as long as they are eligible', () => {
    const { spread, choice } = opened(asker);
    for (const hours of [1, 2, 30]) {
      expect(idsOf(spread.pick(offers, asker, later(hours * 3_600_000)))).toEqual(choice);
    }
  });

  it.each([0, 1])('keeps the other one and is given a new one when number %i is gone', (place) => {
    const { spread, choice } = opened(asker);
    const gone = choice[place];
    const kept = choice[1 - place];
    const left = offers.filter(({ node }) => node.id !== gone);
    const refilled = idsOf(spread.pick(left, asker, later(60_000)));
    expect(refilled).toHaveLength(2);
    expect(refilled[0]).toBe(kept);
    expect(refilled).not.toContain(gone);
    // The one that comes back is not taken up again: the viewer keeps what it has now.
    expect(idsOf(spread.pick(offers, asker, later(120_000)))).toEqual(refilled);
  });

  it('is given new ones when both are gone', () => {
    const { spread, choice } = opened(asker);
    const left = offers.filter(({ node }) => !choice.includes(node.id));
    expect([...idsOf(spread.pick(left, asker, later(60_000)))].sort()).toEqual(idsOf(left));
  });

  it('is still given nothing when nobody is left', () => {
    const { spread } = opened(asker);
    expect(spread.pick([], asker, later(60_000))).toEqual([]);
  });

  it('is always one viewer by its session, however often and from wherever it opens', () => {
    const { spread, choice } = opened({ ...asker, session: 's1' });
    for (let index = 0; index < 50; index += 1) {
      const again = { viewerKey: `address ${index}`, stream: 'ch1', session: 's1' };
      expect(idsOf(spread.pick(offers, again, later(index)))).toEqual(choice);
    }
  });
});

describe('one address with one kind of player', () => {
  const asker = { viewerKey: 'a whole house', stream: 'ch1' };
  const offers = others(5);

  it('is one viewer up to the fourth opening within a minute, and many from the fifth on', () => {
    const spread = createSpread(selfId);
    const choices = Array.from({ length: 5 }, (_, index) =>
      idsOf(spread.pick(offers, asker, later(index * 15_000))),
    );
    expect(new Set(choices.slice(0, 4).map(String)).size).toBe(1);
    expect(choices[4]).not.toEqual(choices[0]);
  });

  it('is one viewer when the five openings take a little more than a minute', () => {
    const spread = createSpread(selfId);
    const choices = Array.from({ length: 40 }, (_, index) =>
      idsOf(spread.pick(offers, asker, later(index * 15_001))),
    );
    expect(new Set(choices.map(String)).size).toBe(1);
  });

  it('is balanced like many viewers when many are behind it', () => {
    const spread = createSpread(selfId);
    const ids = idsOf(offers);
    const choices = Array.from({ length: openings }, (_, index) =>
      idsOf(spread.pick(offers, asker, later(index * 100))),
    );
    expect(maxOverMean(tally(choices.map(([first = '']) => first)), ids)).toBeLessThanOrEqual(1.02);
    const pairs = tally(choices.map((choice) => choice.join(' ')));
    expect(maxOverMean(pairs, pairsOf(ids))).toBeLessThanOrEqual(1.05);
  });
});

describe('any history of openings', () => {
  const opening = fc.record({
    offered: fc.subarray([...others(8)]),
    viewer: fc.nat(5),
    session: fc.constantFrom(undefined, 's1', 's2'),
    afterMs: fc.nat(40_000),
  });

  it('names as many as there are up to two, none twice, and only what is offered', () => {
    fc.assert(
      fc.property(fc.array(opening, { maxLength: 60 }), (history) => {
        const spread = createSpread(selfId);
        let atMs = 0;
        for (const { offered, viewer, session, afterMs } of history) {
          atMs += afterMs;
          const asker = { viewerKey: `viewer ${viewer}`, stream: 'ch1', session };
          const ids = idsOf(spread.pick(offered, asker, later(atMs)));
          expect(ids).toHaveLength(Math.min(2, offered.length));
          expect(new Set(ids).size).toBe(ids.length);
          expect(idsOf(offered)).toEqual(expect.arrayContaining([...ids]));
        }
      }),
      { numRuns: 200 },
    );
  });
});

describe('the loss of nodes that were not named to a viewer', () => {
  it('changes nothing for it when it opens again, whoever opens meanwhile', () => {
    const lost = fc.record({
      nodes: fc.integer({ min: 3, max: 8 }),
      gone: fc.subarray(nodeIds.slice(1)),
      before: fc.nat(20),
      between: fc.nat(20),
      session: fc.constantFrom(undefined, 's1'),
    });
    fc.assert(
      fc.property(lost, ({ nodes, gone, before, between, session }) => {
        const spread = createSpread(selfId);
        const asker = { viewerKey: 'one', stream: 'ch1', session };
        const offers = others(nodes);
        const openAll = (count: number, from: readonly Offer[], who: string) => {
          for (let index = 0; index < count; index += 1)
            spread.pick(from, { viewerKey: `${who} ${index}`, stream: 'ch1' }, testNow);
        };
        openAll(before, offers, 'before');
        const choice = idsOf(spread.pick(offers, asker, testNow));
        const left = offers.filter(({ node: { id } }) => choice.includes(id) || !gone.includes(id));
        openAll(between, left, 'between');
        expect(idsOf(spread.pick(left, asker, later(1_000)))).toEqual(choice);
      }),
      { numRuns: 200 },
    );
  });
});

describe('viewers who were sent to a node', () => {
  it('count for it during this second and the next, each node by itself', () => {
    const spread = createSpread(selfId);
    spread.noteSent('node-b', later(0));
    spread.noteSent('node-b', later(999));
    spread.noteSent('node-c', later(1_000));
    expect(Object.fromEntries(spread.sentLately(later(1_999)))).toEqual({
      'node-b': 2,
      'node-c': 1,
    });
    spread.noteSent('node-b', later(1_999));
    expect(spread.sentLately(later(1_999)).get('node-b')).toBe(3);
    expect(spread.sentLately(later(2_000)).get('node-b')).toBe(1);
    expect(spread.sentLately(later(3_000)).get('node-b')).toBe(0);
  });
});
