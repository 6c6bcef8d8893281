import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { openDatabase } from '../../../src/adapters/sqlite/database.ts';
import { createKeyStore } from '../../../src/adapters/sqlite/key-store.ts';
import { createStreamStore } from '../../../src/adapters/sqlite/stream-store.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const kills = 12;

/** Lets a process write from number `first` on, kills it after `writes` acknowledged ones; the last one it acknowledged. */
async function writeAndKill(dataDir: string, first: number, writes: number): Promise<number> {
  const script = new URL('../../support/sqlite-writer.mjs', import.meta.url).pathname;
  const writer = spawn(process.execPath, [script, dataDir, String(first)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exit = once(writer, 'exit');
  let acknowledged = Number.NaN;
  for await (const line of createInterface({ input: writer.stdout })) {
    acknowledged = Number(line);
    if (acknowledged === first + writes - 1) writer.kill('SIGKILL');
  }
  expect(await exit).toEqual([null, 'SIGKILL']);
  return acknowledged;
}

it('keeps every acknowledged write and whole key rings through kill -9 at any moment', async () => {
  const dataDir = tempFolder();
  let next = 0;
  for (let kill = 0; kill < kills; kill += 1) {
    const acknowledged = await writeAndKill(dataDir, next, 5 + 7 * kill);
    const database = openDatabase({ dataDir, nowMs: 0 });
    const stream = createStreamStore(database).list()[0];
    const ring = createKeyStore(database).list();
    database.close();
    const written = Number(stream?.origin?.split('/').at(-1));
    expect(written).toBeGreaterThanOrEqual(acknowledged);
    expect(ring).toHaveLength(3);
    expect(ring.map((key) => key.generation)).toEqual(Array(3).fill(ring[0]?.generation));
    expect(ring[0]?.generation).toBeGreaterThanOrEqual(acknowledged);
    next = written + 1;
  }
}, 60_000);
