import { describe, expect, it } from 'vitest';
import { createVirtualClock } from './virtual-clock.ts';

describe('virtual clock', () => {
  it('moves both clocks together and steps only the wall', () => {
    const clock = createVirtualClock({ wallMs: 5_000, monoMs: 100 });
    clock.advance(50);
    clock.stepWall(-300);
    expect(clock.now()).toEqual({ wallMs: 4_750, monoMs: 150 });
    clock.setWall(9_000);
    clock.advance(1);
    expect(clock.now()).toEqual({ wallMs: 9_001, monoMs: 151 });
  });

  it('calls what falls due in order, at its own time, also what is set on the way', () => {
    const clock = createVirtualClock({ monoMs: 0 });
    const calls: string[] = [];
    const note = (name: string) => () => calls.push(`${name}@${clock.now().monoMs}`);
    clock.after(20, note('b'));
    clock.after(10, () => {
      note('a')();
      clock.after(10, note('c'));
      clock.after(91, note('late'));
    });
    const takeBack = clock.after(15, note('taken back'));
    takeBack();
    clock.advance(100);
    expect(calls).toEqual(['a@10', 'b@20', 'c@20']);
  });

  it('lets promises settle before the next timer and waits for what is held', async () => {
    const clock = createVirtualClock({ monoMs: 0 });
    const calls: string[] = [];
    clock.after(10, () => {
      clock.hold(new Promise((resolve) => setTimeout(resolve, 5)).then(() => calls.push('slow')));
      queueMicrotask(() => calls.push('quick'));
    });
    clock.after(11, () => calls.push('next'));
    await clock.run(11);
    expect(calls).toEqual(['quick', 'slow', 'next']);
  });

  it('keeps siblings in one time with wall clocks of their own', () => {
    const clock = createVirtualClock({ wallMs: 1_000, monoMs: 0 });
    const other = clock.sibling({ wallOffsetMs: 312_000 });
    clock.stepWall(-10);
    other.advance(5);
    expect([clock.now().wallMs, other.now().wallMs]).toEqual([995, 313_005]);
  });

  it('runs what fell due in a pause late', () => {
    const clock = createVirtualClock({ monoMs: 0 });
    const calledAt: number[] = [];
    clock.after(10, () => calledAt.push(clock.now().monoMs));
    clock.pause(700);
    expect(calledAt).toEqual([]);
    clock.advance(0);
    expect(calledAt).toEqual([700]);
  });
});
