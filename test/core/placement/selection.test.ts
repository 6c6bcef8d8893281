import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backupsMax, chooseBackups } from '../../../src/core/placement/selection.ts';

type Counted = { readonly first: number[]; readonly pairs: number[][] };

function nothingYet(candidates: number): Counted {
  const row = () => Array.from({ length: candidates }, () => 0);
  return { first: row(), pairs: row().map(row) };
}

function note(usage: Counted, [first, second]: readonly number[]): void {
  if (first === undefined) return;
  usage.first[first] = (usage.first[first] ?? 0) + 1;
  const row = usage.pairs[first];
  if (row !== undefined && second !== undefined) row[second] = (row[second] ?? 0) + 1;
}

/** What was chosen for `openings` viewers, one after the other. */
function choicesFor(openings: number, weights: readonly number[], start = 0) {
  const usage = nothingYet(weights.length);
  return Array.from({ length: openings }, () => {
    const choice = chooseBackups({ weights, usage, start });
    note(usage, choice);
    return choice;
  });
}

/** Most viewers by which a candidate was ahead of its share of first choices, or behind it, at any moment. */
function furthestFromShare(given: readonly number[], openings: number): number {
  const weights = given.map((weight) => Math.max(weight, 1e-6));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  const counts = weights.map(() => 0);
  let furthest = 0;
  for (const [index, [first = 0]] of choicesFor(openings, weights).entries()) {
    counts[first] = (counts[first] ?? 0) + 1;
    for (const [place, weight] of weights.entries()) {
      const share = (weight / sum) * (index + 1);
      furthest = Math.max(furthest, Math.abs((counts[place] ?? 0) - share));
    }
  }
  return furthest;
}

const weightsArbitrary = fc.array(fc.double({ min: 0, max: 100, noNaN: true }), {
  minLength: 1,
  maxLength: 8,
});

describe('the choice of backups', () => {
  it('is empty where there is no candidate, and the only one where there is one', () => {
    expect(choicesFor(1, [])).toEqual([[]]);
    expect(choicesFor(3, [1])).toEqual([[0], [0], [0]]);
  });

  it('is two of two, and two of three', () => {
    expect(backupsMax).toBe(2);
    expect(choicesFor(2, [1, 1])).toEqual([
      [0, 1],
      [1, 0],
    ]);
    expect(choicesFor(3, [1, 1, 1]).every(({ length }) => length === 2)).toBe(true);
  });

  it('begins behind the place it is told to begin at, when nothing is counted', () => {
    expect(choicesFor(1, [1, 1, 1, 1], 2)).toEqual([[2, 3]]);
    expect(choicesFor(1, [1, 1, 1, 1], 3)).toEqual([[3, 0]]);
  });

  it('keeps what is to be kept, in its order, and fills up with another one', () => {
    const usage = nothingYet(3);
    const weights = [1, 1, 1];
    expect(chooseBackups({ weights, usage, start: 0, keep: [2, 1] })).toEqual([2, 1]);
    const [kept, other] = chooseBackups({ weights, usage, start: 0, keep: [1] });
    expect(kept).toBe(1);
    expect([0, 2]).toContain(other);
  });

  it('fills up with whoever is furthest behind among those with the same first', () => {
    const usage = nothingYet(3);
    note(usage, [1, 2]);
    const choice = chooseBackups({ weights: [1, 1, 1], usage, start: 0, keep: [1] });
    expect(choice).toEqual([1, 0]);
  });

  it('is within one viewer of the share at any moment where weights are equal', () => {
    for (let candidates = 2; candidates <= 8; candidates += 1) {
      const equal = Array.from({ length: candidates }, () => 1);
      expect(furthestFromShare(equal, 300)).toBeLessThanOrEqual(1.001);
    }
  });

  it('is within two viewers of the share at any moment whatever the weights', () => {
    fc.assert(
      fc.property(weightsArbitrary, (weights) => furthestFromShare(weights, 200) < 2),
      { numRuns: 200 },
    );
  });

  it('still names candidates whose weights are nothing', () => {
    expect(choicesFor(2, [0, 0])).toEqual([
      [0, 1],
      [1, 0],
    ]);
    expect(choicesFor(1, [-1, Number.MIN_VALUE])[0]).toHaveLength(2);
  });

  it('never names one candidate twice nor a place that is not there, and as many as it can', () => {
    fc.assert(
      fc.property(weightsArbitrary, fc.nat(7), fc.integer({ min: 1, max: 60 }), (weights, at, n) =>
        choicesFor(n, weights, at % weights.length).every(
          (choice) =>
            choice.length === Math.min(backupsMax, weights.length) &&
            new Set(choice).size === choice.length &&
            choice.every((place) => place >= 0 && place < weights.length),
        ),
      ),
      { numRuns: 200 },
    );
  });
});
