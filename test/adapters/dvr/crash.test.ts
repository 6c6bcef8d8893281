import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statfsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { allOf, aSegmentToKeep, openDvr, someRung } from '../../support/recordings-on-disk.ts';
import { smallDisk } from '../../support/small-disk.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const kills = 6;

type Written = { readonly kept: number; readonly trimmed: number; readonly isTrimming: boolean };

/** Lets a process record from number `first` on and kills it `afterLines` lines later, or while it trims. */
async function recordAndKill(
  folder: string,
  options: { first: number; afterLines: number; killTrimming: boolean },
): Promise<Written> {
  const script = fileURLToPath(new URL('../../support/dvr-writer.mjs', import.meta.url));
  const writer = spawn(process.execPath, [script, folder, String(options.first), '20'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exit = once(writer, 'exit');
  let written: Written = { kept: options.first - 1, trimmed: 0, isTrimming: false };
  let lines = 0;
  for await (const line of createInterface({ input: writer.stdout })) {
    const [what, number = ''] = line.split(' ');
    if (what === 'kept') written = { ...written, kept: Number(number), isTrimming: false };
    else written = { ...written, trimmed: Number(number), isTrimming: true };
    lines += 1;
    if (lines >= options.afterLines && written.isTrimming === options.killTrimming)
      writer.kill('SIGKILL');
  }
  expect(await exit).toEqual([null, 'SIGKILL']);
  return written;
}

it('keeps every acknowledged segment through kill -9 while recording and while trimming', async () => {
  const folder = tempFolder();
  let first = 0;
  let trimmed = 0;
  for (let kill = 0; kill < kills; kill += 1) {
    const killTrimming = kill % 2 === 1;
    const written = await recordAndKill(folder, { first, afterLines: 7 + 23 * kill, killTrimming });
    trimmed = Math.max(trimmed, written.trimmed);
    const dvr = await openDvr(folder);
    const segments = await allOf(dvr);
    const numbers = segments.map(({ number }) => number);
    const newest = numbers.at(-1) ?? -1;
    expect(newest).toBeGreaterThanOrEqual(written.kept);
    const oldest = numbers[0] ?? 0;
    expect(oldest).toBeLessThanOrEqual(Math.max(0, trimmed));
    expect(numbers).toEqual(Array.from({ length: newest - oldest + 1 }, (_, at) => oldest + at));
    for (const { name, number } of segments) {
      const bytes = readFileSync(fileURLToPath(dvr.urlOf(someRung, name) ?? ''));
      expect([bytes.length, bytes[0], bytes.at(-1)]).toEqual([50_000, number % 251, number % 251]);
    }
    expect(await dvr.verify(kill)).toBe(false);
    await dvr.close();
    first = newest + 1;
  }
  expect(trimmed).toBeGreaterThan(0);
}, 180_000);

it('says that the disk is full, loses nothing that was acknowledged, and goes on when there is room', async (test) => {
  const folder = smallDisk();
  if (folder === undefined) return test.skip('no file system may be mounted here');
  const dvr = await openDvr(folder);
  const large = (number: number) => aSegmentToKeep(number, { content: new Uint8Array(90_000) });
  let kept = 0;
  let answer = await dvr.keep(someRung, large(kept));
  while (answer === undefined) {
    kept += 1;
    answer = await dvr.keep(someRung, large(kept));
  }
  expect(answer).toEqual({ kind: 'fault', reason: 'recorder-disk-full', cause: 'ENOSPC' });
  // Smaller ones go on until there is no room for a record of the index.
  let small = 1_000;
  while ((await dvr.keep(someRung, aSegmentToKeep(small))) === undefined) small += 1;
  expect(await dvr.keep(someRung, large(kept))).toMatchObject({ reason: 'recorder-disk-full' });
  const { bavail, bsize } = statfsSync(folder);
  expect(bavail * bsize).toBeLessThan(90_000);
  const numbers = async (of = dvr) => (await allOf(of)).map(({ number }) => number);
  const all = [
    ...Array.from({ length: kept }, (_, at) => at),
    ...Array.from({ length: small - 1_000 }, (_, at) => 1_000 + at),
  ];
  expect(await numbers()).toEqual(all);
  expect(await numbers(await openDvr(folder))).toEqual(all);
  await dvr.trim(large(5).startMs, Number.POSITIVE_INFINITY);
  expect(await dvr.keep(someRung, large(kept))).toBeUndefined();
  const left = [...all.slice(5, kept), kept, ...all.slice(kept)];
  expect(await numbers(await openDvr(folder))).toEqual(left);
}, 20_000);
