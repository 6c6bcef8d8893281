import { describe, expect, it } from 'vitest';
import { LoginSlots } from '../../src/agent/login-slots.ts';
import { SessionNotes } from '../../src/agent/session-notes.ts';
import { testNow } from '../support/builders.ts';

const heldMax = 200_000;

function someSlots() {
  const slots = new LoginSlots({
    ...{ scope: 'node', notes: new SessionNotes() },
    ...{ isReachable: () => false, fingerprint: (text) => text },
  });
  const holder = (number: number) => ({
    session: `session-${number}`,
    login: `login-${number}`,
    viewerKey: `viewer-${number}`,
  });
  /** Whether the login of that number has a slot, as somebody else sees it who asks for one. */
  const isHeld = (number: number) =>
    slots.takenByOthers({ ...holder(number), session: 'mine', viewerKey: 'me' }, testNow) > 0;
  return { slots, holder, isHeld };
}

describe('slots of logins', () => {
  it('are at most 200,000: beyond that those unseen for longest are free', () => {
    const { slots, holder, isHeld } = someSlots();
    for (let number = 0; number < heldMax; number += 1) slots.take(holder(number), testNow);
    slots.take(holder(0), testNow);
    expect([0, 1].map(isHeld)).toEqual([true, true]);
    slots.take(holder(heldMax), testNow);
    expect([0, 1, heldMax - 1, heldMax].map(isHeld)).toEqual([true, false, true, true]);
  }, 30_000);

  it('of one login are counted one by one, whichever of them is freed first', () => {
    const { slots } = someSlots();
    const holder = (session: string) => ({ session, login: 'anna', viewerKey: session });
    const others = () => slots.takenByOthers(holder('mine'), testNow);
    for (const session of ['a', 'b', 'c', 'd']) slots.take(holder(session), testNow);
    const counts = ['b', 'd', 'a', 'c'].map((session) => {
      slots.free(session);
      return others();
    });
    expect(counts).toEqual([3, 2, 1, 0]);
    slots.take(holder('e'), testNow);
    expect(others()).toBe(1);
  });
});
