// Records segment by segment and trims, without end, and prints the number of each once it is acknowledged; to be killed.
import { runnerImport } from 'vite';

const [dataDir, first, stepMs, depthMs] = process.argv.slice(2);
const load = async (path) => {
  const url = new URL(`../../src/${path}`, import.meta.url);
  return (await runnerImport(url.pathname, { configFile: false, logLevel: 'error' })).module;
};
const { openDatabase } = await load('adapters/sqlite/database.ts');
const { createCoverageStore } = await load('adapters/sqlite/coverage-store.ts');
const { Coverages } = await load('agent/archive/coverages.ts');

const coverages = new Coverages(createCoverageStore(openDatabase({ dataDir, nowMs: 0 })));
for (let at = Number(first); ; at += 1) {
  const [startMs, endMs] = [at * Number(stepMs), (at + 1) * Number(stepMs)];
  coverages.add('ch1', 'ts', [{ startMs, endMs }]);
  coverages.trim('ch1', 'ts', endMs - Number(depthMs));
  process.stdout.write(`${at}\n`);
}
