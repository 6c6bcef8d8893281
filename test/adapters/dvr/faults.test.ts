import { mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { DvrStream, RungName } from '../../../src/agent/archive-ports.ts';
import { allOf, aSegmentToKeep, openDvr, someRung } from '../../support/recordings-on-disk.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const hourFolder = (folder: string) => join(folder, 'ch1', 'ts.~live.m3u8', '2026113012');

const numbersOf = async (dvr: DvrStream, rung?: RungName) =>
  (await allOf(dvr, rung)).map(({ number }) => number);

/** From now on files take no more bytes at once, or are not synced: as on a disk that fails. */
async function breakFiles(method: 'datasync' | 'write', isBroken: (length: number) => boolean) {
  const file = await open(join(tempFolder(), 'any'), 'w');
  const prototype = Object.getPrototypeOf(file);
  await file.close();
  const real = prototype[method];
  prototype[method] = function (this: unknown, ...args: unknown[]) {
    const [bytes] = args;
    const length = bytes instanceof Uint8Array ? bytes.length : 0;
    if (isBroken(length)) return Promise.reject(Object.assign(new Error('EIO'), { code: 'EIO' }));
    return real.apply(this, args);
  };
  const mend = () => {
    prototype[method] = real;
  };
  onTestFinished(mend);
  return mend;
}

describe('a disk that fails', () => {
  it('leaves the multivariant playlist that was kept last', async () => {
    const folder = tempFolder();
    const dvr = await openDvr(folder);
    expect(await dvr.keepEntry(Buffer.from('good'))).toBeUndefined();
    // Where the new one would be written first.
    mkdirSync(join(folder, 'ch1', '.new-entry.m3u8'));
    expect(await dvr.keepEntry(Buffer.from('new'))).toMatchObject({ cause: 'EISDIR' });
    expect(readFileSync(join(folder, 'ch1', 'entry.m3u8'), 'utf8')).toBe('good');
    expect(Buffer.from((await openDvr(folder)).entry() ?? []).toString()).toBe('good');
    rmdirSync(join(folder, 'ch1', '.new-entry.m3u8'));
    expect(await dvr.keepEntry(Buffer.from('new'))).toBeUndefined();
    expect(Buffer.from((await openDvr(folder)).entry() ?? []).toString()).toBe('new');
  });

  it.each(['write', 'datasync'] as const)(
    'at the index (%s) leaves no file of the segment, and the next try records it',
    async (method) => {
      const folder = tempFolder();
      const dvr = await openDvr(folder);
      await dvr.keep(someRung, aSegmentToKeep(0));
      const before = readdirSync(hourFolder(folder)).sort();
      const index = readFileSync(join(hourFolder(folder), 'index'));
      let syncs = 0;
      // The segment itself is written and synced well; its record in the index is not.
      const mend = await breakFiles(method, (length) => {
        if (method === 'write') return length < 1_000;
        syncs += 1;
        return syncs === 2;
      });
      const refused = await dvr.keep(someRung, aSegmentToKeep(1));
      mend();
      expect(refused).toMatchObject({ reason: 'recorder-disk-failed', cause: 'EIO' });
      expect(readdirSync(hourFolder(folder)).sort()).toEqual(before);
      expect(readFileSync(join(hourFolder(folder), 'index'))).toEqual(index);
      expect(await numbersOf(dvr)).toEqual([0]);
      expect(await dvr.keep(someRung, aSegmentToKeep(1))).toBeUndefined();
      expect(await numbersOf(await openDvr(folder))).toEqual([0, 1]);
      expect(await dvr.verify(0)).toBe(false);
    },
  );
});

describe('recordings that are closed', () => {
  it('take nothing any more, and leave the indexes alone', async () => {
    const folder = tempFolder();
    const dvr = await openDvr(folder);
    await dvr.keep(someRung, aSegmentToKeep(0));
    const underWay = [1, 2, 3].map((number) => dvr.keep(someRung, aSegmentToKeep(number)));
    await dvr.close();
    const again = await openDvr(folder);
    const closed = { kind: 'fault', reason: 'recorder-disk-failed' };
    expect(await dvr.keep(someRung, aSegmentToKeep(4))).toMatchObject(closed);
    expect(await dvr.keep({ container: 'ts', rung: 'x' }, aSegmentToKeep(4))).toMatchObject(closed);
    expect(await dvr.keepEntry(Buffer.from('x'))).toMatchObject(closed);
    await dvr.trim(aSegmentToKeep(9).startMs, 0);
    const acknowledged = (await Promise.all(underWay)).flatMap((fault, at) =>
      fault === undefined ? [at + 1] : [],
    );
    expect(await numbersOf(again)).toEqual([0, ...acknowledged]);
    expect(readdirSync(join(folder, 'ch1'))).toEqual(['ts.~live.m3u8']);
  });
});

describe('the rungs of a stream', () => {
  const rung = (at: number): RungName => ({ container: 'ts', rung: `chunks_w${at}.m3u8` });

  it('are 64 at most of which something is recorded; one whose segments are all gone makes room', async () => {
    const dvr = await openDvr(tempFolder());
    for (let at = 0; at < 64; at += 1)
      expect(await dvr.keep(rung(at), aSegmentToKeep(at))).toBeUndefined();
    expect(await dvr.keep(rung(64), aSegmentToKeep(64))).toMatchObject({
      cause: 'more than 64 rungs',
    });
    const endMs = aSegmentToKeep(0).startMs + 4_000;
    await dvr.trim(endMs - 1, Number.POSITIVE_INFINITY);
    expect(await dvr.keep(rung(64), aSegmentToKeep(64))).toBeDefined();
    await dvr.trim(endMs + 3_600_000 + 60_000, Number.POSITIVE_INFINITY);
    for (let at = 1_000; at < 1_064; at += 1)
      expect(await dvr.keep(rung(at), aSegmentToKeep(at))).toBeUndefined();
    expect(dvr.rungs()).toHaveLength(64);
  });

  it('are not forgotten while their first segment is being written', async () => {
    const folder = tempFolder();
    const dvr = await openDvr(folder);
    const both = [0, 1].flatMap((number) =>
      [0, 1, 2].map((at) => dvr.keep(rung(at), aSegmentToKeep(number))),
    );
    expect(await Promise.all(both)).toEqual(both.map(() => undefined));
    const again = await openDvr(folder);
    for (const at of [0, 1, 2]) expect(await numbersOf(again, rung(at))).toEqual([0, 1]);
  });
});

it('reads the index of an hour once for all who ask at the same time', async () => {
  const folder = tempFolder();
  const first = await openDvr(folder);
  await first.keep(someRung, aSegmentToKeep(0));
  await first.close();
  const dvr = await openDvr(folder);
  const period = { startMs: 0, endMs: Number.MAX_SAFE_INTEGER };
  const lists = await Promise.all([0, 1, 2].map(() => dvr.list(someRung, period)));
  expect(lists[0]?.[0]).toHaveLength(1);
  for (const list of lists) expect(list[0]).toBe(lists[0]?.[0]);
});

it('forgets nothing of a folder that holds what it does not know', async () => {
  const folder = tempFolder();
  const dvr = await openDvr(folder);
  await dvr.keep(someRung, aSegmentToKeep(0));
  writeFileSync(join(folder, 'ch1', 'notes.txt'), 'of the operator');
  expect((await openDvr(folder)).rungs()).toHaveLength(1);
});
