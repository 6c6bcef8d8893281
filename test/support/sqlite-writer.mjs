// Writes streams and key rings without end and prints the number of each write once it is acknowledged; to be killed.
import { runnerImport } from 'vite';

const [dataDir, first] = process.argv.slice(2);
const load = async (path) => {
  const url = new URL(`../../src/adapters/sqlite/${path}`, import.meta.url);
  return (await runnerImport(url.pathname, { configFile: false, logLevel: 'error' })).module;
};
const { openDatabase } = await load('database.ts');
const { createStreamStore } = await load('stream-store.ts');
const { createKeyStore } = await load('key-store.ts');

const database = openDatabase({ dataDir, nowMs: 0 });
const streams = createStreamStore(database);
const keys = createKeyStore(database);
for (let at = Number(first); ; at += 1) {
  streams.put({ name: 'counter', origin: `http://127.0.0.1/${at}`, reserve: true });
  const secret = new Uint8Array(32).fill(at % 256);
  keys.replace(
    [0, 1, 2].map((of) => ({ id: `${at}-${of}`, generation: at, createdAt: at, secret })),
  );
  process.stdout.write(`${at}\n`);
}
