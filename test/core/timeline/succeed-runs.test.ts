import { describe, expect, it } from 'vitest';
import { numberAt, type TimelineRun, windowStart } from '../../../src/core/timeline/run.ts';
import { succeedRuns } from '../../../src/core/timeline/succeed-runs.ts';

const run: TimelineRun = {
  ...{ sequence: 5, foundedAt: 1_000, foundedBy: 'node-b', firstNumber: 100, originTicks: 90_000 },
  ...{ segmentTicks: 180_000, targetDurationS: 2, soundGrids: [] },
  layout: { video: 'h264', audio: [], others: [] },
};

describe('a run that goes on from one that clashed', () => {
  const previous = { sequence: 6, lastNumber: 400 };
  const newestTicks = windowStart(run, 207) + 5;
  const facts = { nodeId: 'node-a', at: 2_000, newestTicks, previous };

  it('has a sequence of its own, and numbers above all others', () => {
    const [next] = succeedRuns([run], facts);
    expect(next).toMatchObject({ sequence: 7, succeeds: 6, firstNumber: 401 });
    expect(next).toMatchObject({ foundedBy: 'node-a', foundedAt: 2_000 });
  });

  it('keeps the windows, and begins with one that is still to come', () => {
    const [next = run, second = run] = succeedRuns([run, { ...run, targetDurationS: 3 }], facts);
    expect(next.originTicks).toBe(windowStart(run, 209));
    expect(numberAt(next, windowStart(run, 209))).toBe(401);
    expect(numberAt(next, newestTicks)).toBeLessThan(401);
    expect(second.originTicks).toBe(next.originTicks);
    expect(second.targetDurationS).toBe(3);
  });
});
