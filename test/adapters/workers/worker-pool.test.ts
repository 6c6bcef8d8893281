import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createWorkerPool } from '../../../src/adapters/workers/worker-pool.ts';
import type { Ask, Reply } from '../../../src/agent/worker-ports.ts';
import { createFakeLog } from '../../support/fake-log.ts';

const program = fileURLToPath(new URL('../../support/fake-worker.mjs', import.meta.url));
const waitMsMax = 30_000;
const word = { seq: 7, over: { all: false, what: [], who: [] } };

/** Two workers that do as they are told; `clock` is what the pool goes by. */
function createPool(does: 'serves' | 'asks' | 'fails' | 'ends' | 'hangs' = 'serves') {
  const log = createFakeLog();
  const clock = { ms: 0 };
  const restarted: number[] = [];
  const reports: number[] = [];
  const asked: { asks: readonly Ask[]; tell: (replies: readonly Reply[]) => void }[] = [];
  const pool = createWorkerPool({
    ...{ count: 2, program, log, sharedMs: () => clock.ms },
    settings: () => ({
      ...{ seq: 7, socketPath: does, listen: { host: '127.0.0.1', port: 0 } },
      ...{ bytesMax: 0, isBehindProxy: false },
    }),
    onAsks: (asks, tell) => void asked.push({ asks, tell }),
    onReport: (_, worker) => void reports.push(worker),
    onExpiry: () => undefined,
    onRestart: (worker) => void restarted.push(worker),
  });
  onTestFinished(() => pool.stop());
  const said = (event: string) => log.lines.filter((line) => line.event === event);
  const pids = () => said('worker serves').map(({ fields }) => Number(Object(fields).pid));
  return { pool, log, clock, restarted, reports, asked, said, pids };
}

const isRunning = (pid: number) => existsSync(`/proc/${pid}`);

it('is there when all workers listen, tells them where they begin and none of the settings of the node, and ends with them', async () => {
  vi.stubEnv('UNDERSTUDY_CLUSTER_SECRET', 'a secret of the node');
  onTestFinished(() => void vi.unstubAllEnvs());
  const { pool, said, pids, reports } = createPool();
  expect(pool.serving()).toBe(0);
  expect(await pool.start()).toBe(4711);
  expect(pool.serving()).toBe(2);
  await vi.waitFor(() => expect(new Set(reports)).toEqual(new Set([1, 2])), waitMsMax);
  expect(said('begun').map(({ fields }) => fields)).toEqual([
    expect.objectContaining({ seq: 7, settings: [] }),
    expect.objectContaining({ seq: 7, settings: [] }),
  ]);
  const all = pids();
  await pool.stop();
  expect(all.filter(isRunning)).toEqual([]);
  expect(said('worker ended')).toEqual([]);
});

it.each([
  ['fails', 'the port is taken'],
  ['ends', 'a worker ended before it served'],
] as const)('does not start with workers of which one %s: %s', async (does, cause) => {
  const { pool } = createPool(does);
  await expect(pool.start()).rejects.toThrow(cause);
});

it('starts a worker again that has ended, later each time', async () => {
  const { pool, said, pids, restarted } = createPool();
  await pool.start();
  for (const count of [1, 2, 3]) {
    const victim = said('worker serves').findLast(({ fields }) => Object(fields).worker === 1);
    process.kill(Number(Object(victim?.fields).pid), 'SIGKILL');
    await vi.waitFor(() => expect(pids()).toHaveLength(2 + count), waitMsMax);
    expect(pool.serving()).toBe(2);
  }
  const delays = said('worker ended').map(({ fields }) => Object(fields).restartInMs);
  expect(delays).toEqual([100, 200, 400]);
  expect(restarted).toEqual([1, 1, 1]);
});

it('gives replies to the process that asked, and to no other that has taken its place', async () => {
  const { pool, said, pids, asked } = createPool('asks');
  await pool.start();
  const replied = () => said('replied').map(({ fields }) => Object(fields).ids);
  const reply = (at: number) =>
    asked[at]?.tell(asked[at]?.asks.map(({ id }) => ({ id, kind: 'cut' as const })) ?? []);
  await vi.waitFor(() => expect(asked).toHaveLength(2), waitMsMax);
  const [pid = 0] = pids();
  process.kill(pid, 'SIGKILL');
  await vi.waitFor(() => expect(asked).toHaveLength(3), waitMsMax);
  for (const at of [0, 1, 2]) reply(at);
  await vi.waitFor(() => expect(replied()).toHaveLength(2), waitMsMax);
  const others = asked.flatMap(({ asks }) => asks.map(({ id }) => id)).filter((id) => id !== pid);
  expect(replied().flat().sort()).toEqual(others.sort());
});

it('takes one that ends after a minute of service for one that has not failed before', async () => {
  const { pool, said, pids, clock } = createPool();
  await pool.start();
  for (const at of [0, 59_999, 120_000]) {
    const [pid] = pids().slice(-1);
    clock.ms = at;
    process.kill(pid ?? 0, 'SIGKILL');
    const before = pids().length;
    await vi.waitFor(() => expect(pids()).toHaveLength(before + 1), waitMsMax);
  }
  const delays = said('worker ended').map(({ fields }) => Object(fields).restartInMs);
  expect(delays).toEqual([100, 200, 100]);
});

it.each([
  [5_000, 0],
  [5_001, 2],
])('kills workers that have said nothing for %s ms: %s of them', async (silentMs, killed) => {
  const { pool, said, clock } = createPool('hangs');
  await pool.start();
  await vi.waitFor(() => expect(said('begun')).toHaveLength(2), waitMsMax);
  for (; clock.ms < silentMs; clock.ms = Math.min(clock.ms + 1_000, silentMs)) pool.say(word);
  pool.say(word);
  expect(said('worker hangs')).toHaveLength(killed);
  if (killed > 0) await vi.waitFor(() => expect(said('worker serves')).toHaveLength(4), waitMsMax);
});

it('takes nobody for hanging when it has stood still itself', async () => {
  const { pool, said, clock } = createPool('hangs');
  await pool.start();
  await vi.waitFor(() => expect(said('begun')).toHaveLength(2), waitMsMax);
  clock.ms = 60_000;
  pool.say(word);
  expect(said('worker hangs')).toEqual([]);
});
