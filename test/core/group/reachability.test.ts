import { describe, expect, it } from 'vitest';
import type { Reachability } from '../../../src/core/group/node.ts';
import {
  afterAttempt,
  excusedMs,
  judgeReachability,
  nextAttemptAt,
  type Turn,
  verdictsStandUntil,
} from '../../../src/core/group/reachability.ts';

const now = 1_000_000;

/** Verdicts on peers given as [age of the last answer or never, verdict before]. */
function judge(
  peers: readonly (readonly [number | 'never', Reachability])[],
  sinceStartMs = 60_000,
): readonly Reachability[] {
  return judgeReachability(peers.map(hearing), { now, startedAt: now - sinceStartMs });
}

function hearing([age, reachability]: readonly [number | 'never', Reachability]) {
  return { reachability, ...(age !== 'never' && { heardAt: now - age }) };
}

describe('whether a peer is reachable', () => {
  it.each([
    [1_899, 'reachable'],
    [1_900, 'reachable'],
    [1_901, 'unreachable'],
  ])('when its last answer is %i ms old: %s', (age, verdict) => {
    expect(judge([[age, 'reachable']])).toEqual([verdict]);
    expect(judge([[age, 'reachable'], [10, 'reachable']])).toEqual([verdict, 'reachable']); // biome-ignore format: one row
  });

  it.each([
    [2_999, 'unknown'],
    [3_000, 'unknown'],
    [3_001, 'unreachable'],
  ])('when it never answered, %i ms after start: %s', (sinceStartMs, verdict) => {
    expect(judge([['never', 'unknown']], sinceStartMs)).toEqual([verdict]);
  });

  it('is not known when none of several peers is heard any more', () => {
    expect(
      judge([
        [1_901, 'reachable'],
        [5_000, 'unreachable'],
        ['never', 'unreachable'],
      ]),
    ).toEqual(['unknown', 'unknown', 'unreachable']);
  });

  it('is denied when the only peer ever heard falls silent', () => {
    const verdicts = judge([
      [1_901, 'reachable'],
      ['never', 'unreachable'],
    ]);
    expect(verdicts).toEqual(['unreachable', 'unreachable']);
  });

  it.each([
    [1_250, 'unreachable'],
    [1_251, 'unknown'],
  ])('of one silent peer is judged by whether another one was heard %i ms ago', (age, verdict) => {
    expect(judge([[1_901, 'reachable'], [age, 'reachable']])[0]).toBe(verdict); // biome-ignore format: one row
  });

  it('does not come back into doubt because another peer misses a turn', () => {
    expect(judge([[9_000, 'unreachable'], [1_600, 'reachable']])[0]).toBe('unreachable'); // biome-ignore format: one row
  });

  it('stands until the next peer grows silent or its grace after start ends', () => {
    const until = (
      peers: readonly (readonly [number | 'never', Reachability])[],
      startedAt: number,
    ) => verdictsStandUntil(peers.map(hearing), { now, startedAt });
    expect(until([[100, 'reachable'], [700, 'reachable'], [9_000, 'unreachable']], 0)).toBe(now + 1_200); // biome-ignore format: one row
    expect(until([['never', 'unknown']], now - 1_000)).toBe(now + 2_000);
    expect(until([['never', 'unreachable']], now - 4_000)).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('a late timer', () => {
  it.each([
    [499, 0],
    [500, 0],
    [501, 501],
    [60_000, 60_000],
  ])('of %i ms excuses %i ms of silence', (late, excused) => {
    expect(excusedMs(now, now + late)).toBe(excused);
  });
});

describe('the questions of a turn', () => {
  const due = (turn: Turn, reachability: Reachability) =>
    nextAttemptAt(turn, reachability) - turn.beganAt;

  it('are hedged while a reachable peer does not answer', () => {
    const offsets = [1, 2, 3, 4, 5, 6, 7, 8].map((attempts) =>
      due({ beganAt: now, attempts, answered: false }, 'reachable'),
    );
    expect(offsets).toEqual([250, 350, 450, 550, 650, 750, 850, 1_000]);
  });

  it.each(['unknown', 'unreachable'] as const)(
    'come once a second to a peer that is %s',
    (reachability) => {
      expect(due({ beganAt: now, attempts: 1, answered: false }, reachability)).toBe(1_000);
    },
  );

  it('end with the answer', () => {
    expect(due({ beganAt: now, attempts: 3, answered: true }, 'reachable')).toBe(1_000);
  });

  it('begin on one grid, however late the attempt was', () => {
    const first = afterAttempt(undefined, now + 70, now);
    expect(first).toEqual({ beganAt: now, attempts: 1, answered: false });
    expect(afterAttempt(first, now + 260, now)).toEqual({ ...first, attempts: 2 });
    expect(afterAttempt(first, now + 2_130, now).beganAt).toBe(now + 2_000);
    expect(afterAttempt({ ...first, answered: true }, now + 1_000, now).beganAt).toBe(now + 1_000);
  });
});
