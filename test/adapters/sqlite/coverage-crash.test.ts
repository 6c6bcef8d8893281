import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { createCoverageStore } from '../../../src/adapters/sqlite/coverage-store.ts';
import { openDatabase } from '../../../src/adapters/sqlite/database.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const kills = 8;
const stepMs = 6_000;
const depthMs = 20 * stepMs;

/** Lets a process record and trim from segment `first` on, kills it after `writes`; the last one it acknowledged. */
async function recordAndKill(dataDir: string, first: number, writes: number): Promise<number> {
  const script = new URL('../../support/coverage-writer.mjs', import.meta.url).pathname;
  const args = [script, dataDir, first, stepMs, depthMs].map(String);
  const writer = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const exit = once(writer, 'exit');
  let acknowledged = Number.NaN;
  for await (const line of createInterface({ input: writer.stdout })) {
    acknowledged = Number(line);
    if (acknowledged === first + writes - 1) writer.kill('SIGKILL');
  }
  expect(await exit).toEqual([null, 'SIGKILL']);
  return acknowledged;
}

it('loses nothing that was acknowledged through kill -9 while it records and trims', async () => {
  const dataDir = tempFolder();
  let next = 0;
  for (let kill = 0; kill < kills; kill += 1) {
    const acknowledged = await recordAndKill(dataDir, next, 5 + 7 * kill);
    const database = openDatabase({ dataDir, nowMs: 0 });
    const [coverage, ...others] = createCoverageStore(database).list();
    database.close();
    expect(others).toEqual([]);
    expect(coverage?.ranges).toHaveLength(1);
    const [range = { startMs: 0, endMs: 0 }] = coverage?.ranges ?? [];
    expect(range.endMs).toBeGreaterThanOrEqual((acknowledged + 1) * stepMs);
    // Trimmed to the depth, or not yet for the last segment.
    expect(range.startMs).toBeLessThanOrEqual(Math.max(0, range.endMs - depthMs));
    expect(range.startMs).toBeGreaterThanOrEqual(Math.max(0, range.endMs - depthMs - stepMs));
    next = range.endMs / stepMs;
  }
}, 60_000);
