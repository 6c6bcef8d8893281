import { describe, expect, it } from 'vitest';
import { Drain } from '../../src/agent/drain.ts';
import { leave } from '../../src/agent/leave.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';

/** How long leaving takes with so many viewers and peers, ms; undefined: longer than a minute. */
async function leavingMs(parts: { own: number; told: readonly string[]; overS: number }) {
  const clock = createVirtualClock();
  const drain = new Drain();
  const before = clock.now().monoMs;
  let tookMs: number | undefined;
  void leave(
    {
      ...{ drain, clock, timers: clock },
      tell: async () => parts.told,
      sessions: { counts: () => ({ own: parts.own, backup: 0 }) },
    },
    parts.overS,
  ).then(() => {
    tookMs = clock.now().monoMs - before;
  });
  await clock.run(60_000);
  return { tookMs, ...drain.view() };
}

describe('leaving before the process ends', () => {
  it('moves the viewers in the first half of the time, and waits for all of it', async () => {
    expect(await leavingMs({ own: 1, told: ['node-b'], overS: 6 })).toMatchObject({
      tookMs: 6_000,
      draining: true,
      moveOverS: 3,
    });
  });

  it.each([
    ['nobody watches', { own: 0, told: ['node-b'], overS: 6 }],
    ['no peer is there', { own: 1, told: [], overS: 6 }],
    ['no time is given', { own: 1, told: ['node-b'], overS: 0 }],
  ])('takes no time when %s', async (_, parts) => {
    expect((await leavingMs(parts)).tookMs).toBe(0);
  });
});
