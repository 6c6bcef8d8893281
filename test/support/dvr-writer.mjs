// Records segments without end, trims now and then, and prints what it did once it is acknowledged; to be killed.
import { runnerImport } from 'vite';

const [folder, first, trimEvery] = process.argv.slice(2);
const module = new URL('../../src/adapters/dvr/open-dvr.ts', import.meta.url).pathname;
const { createOpenDvr } = (await runnerImport(module, { configFile: false, logLevel: 'error' }))
  .module;

const dvr = await createOpenDvr({ defaultFolder: folder, reserveBytes: 0 })('ch1', undefined);
const say = (line) => process.stdout.write(`${line}\n`);
const fromMs = Date.UTC(2026, 10, 30, 12);
const startOf = (number) => fromMs + number * 60_000;
// Counted from the first number so that trims come at any moment of a killed run.
for (let number = Number(first); ; number += 1) {
  const fault = await dvr.keep(
    { container: 'ts', rung: '~live.m3u8' },
    {
      ending: 'ts',
      number,
      startMs: startOf(number),
      durationMs: 60_000,
      run: `run-${first}`,
      content: new Uint8Array(50_000).fill(number % 251),
    },
  );
  if (fault !== undefined) say(`fault ${fault.reason} ${fault.cause}`);
  if (fault !== undefined) break;
  say(`kept ${number}`);
  if (number % Number(trimEvery) === 0) {
    const beforeMs = startOf(number - 90);
    say(`trimming ${number - 90}`);
    await dvr.trim(beforeMs, Number.POSITIVE_INFINITY);
  }
}
