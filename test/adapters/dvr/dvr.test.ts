import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { DvrStream, RungName } from '../../../src/agent/archive-ports.ts';
import {
  allOf,
  aSegmentToKeep,
  hourMs,
  openDvr,
  recordedFromMs,
  someRung,
} from '../../support/recordings-on-disk.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const unbounded = Number.POSITIVE_INFINITY;
const rungFolder = (folder: string) => join(folder, 'ch1', 'ts.~live.m3u8');
const hourFolder = (folder: string, hour = '2026113012') => join(rungFolder(folder), hour);

async function keepAll(dvr: DvrStream, numbers: readonly number[], rung: RungName = someRung) {
  for (const number of numbers)
    expect(await dvr.keep(rung, aSegmentToKeep(number))).toBeUndefined();
}

const numbersOf = async (dvr: DvrStream, rung?: RungName) =>
  (await allOf(dvr, rung)).map(({ number }) => number);

/** Numbers from `first` to `last`, `step` apart. */
const range = (first: number, last: number, step = 1) =>
  Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, at) => first + at * step);

describe('recordings on disk', () => {
  it('give back what was kept, over a restart too', async () => {
    const folder = tempFolder();
    const dvr = await openDvr(folder);
    await keepAll(dvr, range(0, 9));
    const before = await allOf(dvr);
    await dvr.close();
    const again = await openDvr(folder);
    expect(again.rungs()).toEqual([{ stream: 'ch1', ...someRung }]);
    expect(await allOf(again)).toEqual(before);
    expect(before[3]).toEqual({
      name: `${recordedFromMs + 12_000}-3.ts`,
      startMs: recordedFromMs + 12_000,
      durationMs: 4_000,
      bytes: 1_000,
      run: 'a',
      number: 3,
    });
    const url = again.urlOf(someRung, before[3]?.name ?? '');
    expect(readFileSync(fileURLToPath(url ?? ''))).toEqual(Buffer.alloc(1_000, 3));
    expect((await again.newest(someRung))?.number).toBe(9);
  });

  it('list the blocks of the hours that a period touches, one that reaches over into it included', async () => {
    const dvr = await openDvr(tempFolder());
    // 12:59:58 to 13:00:02, and on.
    const acrossAt = recordedFromMs + 50 * 60_000 - 2_000;
    for (const [at, startMs] of [acrossAt - 4_000, acrossAt, acrossAt + 4_000].entries())
      await dvr.keep(someRung, aSegmentToKeep(at, { startMs }));
    const list = async (startMs: number, endMs: number) =>
      (await dvr.list(someRung, { startMs, endMs })).map((block) => block.map((s) => s.number));
    const fullHour = acrossAt + 2_000;
    expect(await list(fullHour, fullHour + 60_000)).toEqual([[0, 1], [2]]);
    expect(await list(fullHour + 2_000, fullHour + 60_000)).toEqual([[2]]);
    expect(await list(acrossAt - 4_000, fullHour)).toEqual([[0, 1]]);
    expect(await list(fullHour + 2 * hourMs, fullHour + 3 * hourMs)).toEqual([]);
  });

  it('give the same block as long as nothing in it changed, and a new one after that', async () => {
    const dvr = await openDvr(tempFolder());
    await keepAll(dvr, [0, 1]);
    const [first] = await dvr.list(someRung, { startMs: 0, endMs: unbounded });
    const [second] = await dvr.list(someRung, { startMs: 0, endMs: unbounded });
    expect(second).toBe(first);
    await keepAll(dvr, [2]);
    const [third] = await dvr.list(someRung, { startMs: 0, endMs: unbounded });
    expect([first?.length, third?.length]).toEqual([2, 3]);
    expect(Object.isFrozen(third)).toBe(true);
  });

  it('keep a segment once, however often it is given', async () => {
    const folder = tempFolder();
    const dvr = await openDvr(folder);
    await keepAll(dvr, [0, 1, 1]);
    await dvr.close();
    const again = await openDvr(folder);
    await keepAll(again, [1, 2]);
    expect(await numbersOf(again)).toEqual([0, 1, 2]);
  });

  it('put an initialisation segment into each hour that needs it, once', async () => {
    const folder = tempFolder();
    const dvr = await openDvr(folder);
    const rung: RungName = { container: 'fmp4', rung: 'v0/index.m3u8' };
    const init = new Uint8Array(40).fill(7);
    const fmp4 = { ending: 'm4s', init } as const;
    for (const number of [0, 1, 900]) await dvr.keep(rung, aSegmentToKeep(number, fmp4));
    const [first, second, nextHour] = await allOf(dvr, rung);
    expect(first?.map).toMatch(/^\d+-init-[0-9a-f]{12}\.mp4$/);
    expect(second?.map).toBe(first?.map);
    expect(nextHour?.map).not.toBe(first?.map);
    for (const { map = '' } of await allOf(dvr, rung))
      expect(readFileSync(fileURLToPath(dvr.urlOf(rung, map) ?? ''))).toEqual(Buffer.alloc(40, 7));
    expect(readdirSync(join(folder, 'ch1'))).toEqual(['fmp4.v0%2Findex.m3u8']);
  });

  it('keep the multivariant playlist beside the rungs', async () => {
    const folder = tempFolder();
    const dvr = await openDvr(folder);
    expect(dvr.entry()).toBeUndefined();
    expect(await dvr.keepEntry(Buffer.from('#EXTM3U\n'))).toBeUndefined();
    expect(Buffer.from((await openDvr(folder)).entry() ?? []).toString()).toBe('#EXTM3U\n');
  });

  it('name no file that cannot be a recorded one', async () => {
    const dvr = await openDvr(tempFolder());
    for (const name of [
      'index',
      '../index',
      '1-2.ts/../../x',
      '.new-1-2.ts',
      '1-2.sh',
      'x-1.ts',
      '',
    ])
      expect(dvr.urlOf(someRung, name)).toBeUndefined();
  });

  it('take the later recording where a clock was set back', async () => {
    const dvr = await openDvr(tempFolder());
    await keepAll(dvr, range(10, 14));
    for (const number of [15, 16, 17])
      await dvr.keep(
        someRung,
        aSegmentToKeep(number, { startMs: aSegmentToKeep(number - 4).startMs + 500 }),
      );
    expect(await numbersOf(dvr)).toEqual([10, 15, 16, 17, 14]);
  });
});

describe('recordings after a crash', () => {
  it('go on behind a torn tail', async () => {
    const folder = tempFolder();
    const dvr = await openDvr(folder);
    await keepAll(dvr, [0, 1, 2]);
    await dvr.close();
    const index = join(hourFolder(folder), 'index');
    truncateSync(index, readFileSync(index).length - 7);
    const again = await openDvr(folder);
    expect(await numbersOf(again)).toEqual([0, 1]);
    await keepAll(again, [2, 3]);
    expect(await numbersOf(await openDvr(folder))).toEqual([0, 1, 2, 3]);
  });

  it('go on behind bytes that are no record', async () => {
    const folder = tempFolder();
    const dvr = await openDvr(folder);
    await keepAll(dvr, [0]);
    await dvr.close();
    appendFileSync(join(hourFolder(folder), 'index'), Buffer.alloc(100, 0xee));
    const again = await openDvr(folder);
    await keepAll(again, [1]);
    expect(await numbersOf(await openDvr(folder))).toEqual([0, 1]);
  });

  it('have no half-written files and no half-removed hours', async () => {
    const folder = tempFolder();
    const dvr = await openDvr(folder);
    await keepAll(dvr, [0]);
    await dvr.close();
    writeFileSync(join(hourFolder(folder), '.new-1-1.ts'), 'half');
    writeFileSync(join(hourFolder(folder), `${recordedFromMs + 4_000}-1.ts`), 'not in the index');
    await keepAll(await openDvr(folder), []);
    expect(readdirSync(hourFolder(folder)).sort()).toEqual([`${recordedFromMs}-0.ts`, 'index']);
  });
});

describe('trimming', () => {
  const hours = range(0, 3_599, 300);

  async function fourHours() {
    const folder = tempFolder();
    const dvr = await openDvr(folder);
    await keepAll(dvr, hours);
    await keepAll(dvr, hours, { container: 'ts', rung: 'other.m3u8' });
    return { folder, dvr };
  }

  it.each([-1, 0, 1])('keeps what ends after the depth (%i ms), to the segment', async (offMs) => {
    const { folder, dvr } = await fourHours();
    const endMs = aSegmentToKeep(1_200).startMs + 4_000;
    expect(await dvr.trim(endMs + offMs, unbounded)).toBe(endMs + offMs);
    const kept = hours.filter((number) => number > 1_200 || (offMs < 0 && number === 1_200));
    expect(await numbersOf(dvr)).toEqual(kept);
    expect(await numbersOf(await openDvr(folder))).toEqual(kept);
    expect(existsSync(hourFolder(folder))).toBe(false);
    expect(dvr.bytes()).toBe(2 * 1_000 * kept.length);
  });

  it.each([
    [24_000, 12],
    [23_999, 11],
    [13_000, 6],
    [0, 0],
  ])('keeps the newest that fit %i bytes', async (budget, kept) => {
    const { folder, dvr } = await fourHours();
    const fromMs = await dvr.trim(0, budget);
    expect(await numbersOf(dvr)).toEqual(hours.slice(12 - kept));
    expect(dvr.bytes()).toBeLessThanOrEqual(budget);
    const reopened = await openDvr(folder);
    const [first] = await allOf(reopened);
    if (first !== undefined) expect(first.startMs).toBeGreaterThanOrEqual(fromMs);
    await reopened.survey();
    expect(reopened.bytes()).toBe(dvr.bytes());
  });
});

describe('a look whether the recordings are there', () => {
  it('finds nothing wrong with whole ones', async () => {
    const dvr = await openDvr(tempFolder());
    await keepAll(dvr, [0, 900]);
    expect([await dvr.verify(0), await dvr.verify(1)]).toEqual([false, false]);
  });

  it('finds lost files, and does not list them any more', async () => {
    const folder = tempFolder();
    const dvr = await openDvr(folder);
    await keepAll(dvr, [0, 1, 2]);
    rmSync(join(hourFolder(folder), `${recordedFromMs + 4_000}-1.ts`));
    expect(await dvr.verify(7)).toBe(true);
    expect(await numbersOf(dvr)).toEqual([0, 2]);
    expect(await numbersOf(await openDvr(folder))).toEqual([0, 2]);
    expect(await dvr.verify(8)).toBe(false);
  });

  it('finds an hour that was emptied, its index too', async () => {
    const folder = tempFolder();
    const dvr = await openDvr(folder);
    await keepAll(dvr, [0, 1, 900]);
    for (const name of readdirSync(hourFolder(folder, '2026113013')))
      rmSync(join(hourFolder(folder, '2026113013'), name));
    await keepAll(dvr, [901]);
    expect(await dvr.verify(0)).toBe(true);
    await keepAll(dvr, [902]);
    expect(await numbersOf(dvr)).toEqual([0, 1, 902]);
    expect(await numbersOf(await openDvr(folder))).toEqual([0, 1, 902]);
  });

  it('finds an emptied disk, and recording goes on there at once', async () => {
    const folder = tempFolder();
    const dvr = await openDvr(folder);
    await keepAll(dvr, [0, 1, 900]);
    rmSync(join(folder, 'ch1'), { recursive: true });
    await keepAll(dvr, [901]);
    expect(await dvr.verify(0)).toBe(true);
    expect(await numbersOf(dvr)).toEqual([901]);
    expect(await numbersOf(await openDvr(folder))).toEqual([901]);
  });
});

it('says with the system’s word why a folder does not take recordings', async () => {
  const folder = tempFolder();
  writeFileSync(join(folder, 'ch1'), 'a file where a folder should be');
  const dvr = await openDvr(folder);
  expect(await dvr.keep(someRung, aSegmentToKeep(0))).toEqual({
    kind: 'fault',
    reason: 'recorder-disk-failed',
    cause: expect.stringMatching(/^E(EXIST|NOTDIR)$/),
  });
  expect([dvr.rungs(), await allOf(dvr)]).toEqual([[], []]);
});

it('leaves the reserve of the disk alone', async () => {
  const dvr = await openDvr(tempFolder(), Number.MAX_SAFE_INTEGER);
  expect(await dvr.keep(someRung, aSegmentToKeep(0))).toMatchObject({
    reason: 'recorder-disk-full',
  });
});
