import { expect, it } from 'vitest';
import { createSegmentJobs, type SegmentJob } from '../../../src/agent/archive/segment-jobs.ts';
import type { DvrStream, SegmentToKeep } from '../../../src/agent/archive-ports.ts';
import { testNow } from '../../support/builders.ts';

const jobOf = (rung: string, path = `${rung}.ts`): SegmentJob => ({
  ...{ number: 1, startMs: testNow.wallMs, durationMs: 4_000, ending: 'ts', run: 'a' },
  segment: { path, query: '' },
  rung: { container: 'ts', rung },
});

function createRig() {
  const pauses: (() => void)[] = [];
  const runJob = createSegmentJobs({
    after: (_, run) => {
      pauses.push(run);
      return () => {};
    },
  });
  const kept: SegmentToKeep[] = [];
  const keep: DvrStream['keep'] = async (_, segment) => {
    kept.push(segment);
    return undefined;
  };
  return { pauses, runJob, kept, dvr: { keep } as DvrStream };
}

it('records a segment while eight others that cannot be read wait to be tried again', async () => {
  const { pauses, runJob, dvr, kept } = createRig();
  const failing = Array.from({ length: 8 }, (_, at) =>
    runJob(dvr, jobOf(`rung ${at}`), async () => ({ kind: 'fault', reason: 'origin-timeout' })),
  );
  const good = await runJob(dvr, jobOf('good'), async () => ({
    ...{ kind: 'stored', status: 200, headers: {}, bytes: new Uint8Array(5) },
  }));
  expect(good).toEqual({ kind: 'kept' });
  expect(kept).toHaveLength(1);
  for (let tries = 1; tries < 3; tries += 1) {
    expect(pauses).toHaveLength(8 * tries);
    for (const go of pauses.slice(-8)) go();
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  for (const outcome of await Promise.all(failing))
    expect(outcome).toEqual({ kind: 'unread', cause: 'origin-timeout' });
  expect(pauses).toHaveLength(16);
});

it('holds at most eight segments in memory, those that wait for the disk included', async () => {
  const { runJob } = createRig();
  let opened = 0;
  const writes: (() => void)[] = [];
  const keep: DvrStream['keep'] = () =>
    new Promise((resolve) => void writes.push(() => resolve(undefined)));
  const dvr = { keep } as DvrStream;
  const jobs = Array.from({ length: 12 }, (_, at) =>
    runJob(dvr, jobOf(`rung ${at}`), async () => {
      opened += 1;
      return { kind: 'stored', status: 200, headers: {}, bytes: new Uint8Array(5) };
    }),
  );
  await new Promise<void>((resolve) => setImmediate(resolve));
  expect([opened, writes.length]).toEqual([8, 2]);
  for (let done = 0; done < jobs.length; done += 1) {
    writes[done]?.();
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  expect(opened).toBe(12);
  await Promise.all(jobs);
});
