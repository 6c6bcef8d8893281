import { expect, it } from 'vitest';
import { createLiveCycle } from '../../src/agent/live-cycle.ts';

it('a look at the live streams that comes late is told to them as a pause, before they are judged', async () => {
  const told: string[] = [];
  const { everyMs, run } = createLiveCycle({
    excusePause: (ms) => void told.push(`paused ${ms}`),
    tick: async ({ monoMs }) => void told.push(`tick ${monoMs}`),
  });
  // Planned for 1,100, 1,200, 1,500 and 1,801: 200 late is no pause, 201 is one.
  for (const monoMs of [1_000, 1_000 + everyMs, 1_400, 1_701, 2_501])
    await run({ monoMs, wallMs: 0 });
  expect(told).toEqual([
    ...['tick 1000', 'tick 1100', 'tick 1400', 'paused 201', 'tick 1701'],
    ...['paused 700', 'tick 2501'],
  ]);
});
