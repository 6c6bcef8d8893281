import { describe, expect, it } from 'vitest';
import {
  afterAttempt,
  freshMs,
  nextAttemptAt,
  type Turn,
} from '../../../src/core/group/reachability.ts';
import { createRandom } from '../../support/lossy-network.ts';

/**
 * One node asks one peer for `turns` seconds, each attempt lost by chance: how often the last answer grew too old, and
 * how many attempts were made. The schedule is the real one. Turns whose first attempt is answered are skipped in one
 * draw (their number is geometric), so that a day takes no longer than its losses.
 */
function simulate(options: { turns: number; loss: number; random: () => number }) {
  const { turns, loss, random } = options;
  const roundTripMs = 20;
  let heardAt = 0;
  let falseAlarms = 0;
  let attempts = 0;
  for (let now = 0; now < turns * 1_000; ) {
    const calm = Math.floor(Math.log(1 - random()) / Math.log(1 - loss));
    if (calm > 0) heardAt = now + (calm - 1) * 1_000 + roundTripMs;
    now += calm * 1_000;
    let turn: Turn = afterAttempt(undefined, now, 0);
    attempts += calm + 1;
    while (!turn.answered) {
      now = nextAttemptAt(turn, 'reachable');
      turn = afterAttempt(turn, now, 0);
      attempts += 1;
      if (random() < loss) continue;
      if (now + roundTripMs - heardAt > freshMs) falseAlarms += 1;
      heardAt = now + roundTripMs;
      turn = { ...turn, answered: true };
    }
    now = nextAttemptAt(turn, 'reachable');
  }
  return { falseAlarms, attempts };
}

describe('at 5 % loss of attempts', () => {
  it('16 nodes take no peer for dead in 24 hours', () => {
    const random = createRandom(16);
    const pairs = 16 * 15;
    let falseAlarms = 0;
    let attempts = 0;
    for (let pair = 0; pair < pairs; pair += 1) {
      const run = simulate({ turns: 86_400, loss: 0.05, random });
      falseAlarms += run.falseAlarms;
      attempts += run.attempts;
    }
    expect(falseAlarms).toBe(0);
    expect(attempts / (pairs * 86_400)).toBeCloseTo(1 / 0.95, 2);
  });

  it('the chance is that of losing all eight attempts of a turn', () => {
    // At 50 % loss the same law can be counted: 0.5^8 of the turns.
    const turns = 200_000;
    const { falseAlarms } = simulate({
      turns,
      loss: 0.5,
      random: createRandom(5),
    });
    const expected = turns * 0.5 ** 8;
    expect(falseAlarms).toBeGreaterThan(expected * 0.5);
    expect(falseAlarms).toBeLessThan(expected * 1.1);
    const perDayOf16Nodes = 0.05 ** 8 * 16 * 15 * 86_400;
    expect(perDayOf16Nodes).toBeLessThan(0.001);
  });
});
