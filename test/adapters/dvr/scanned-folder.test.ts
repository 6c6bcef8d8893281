import { mkdirSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { openScannedFolder } from '../../../src/adapters/dvr/scanned-folder.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const noonMs = Date.UTC(2026, 10, 30, 12);
const nowMs = noonMs + 3_600_000;
const all = { startMs: 0, endMs: Number.MAX_SAFE_INTEGER };
const ts = { container: 'ts', rung: 'any' } as const;

function write(folder: string, path: string, content = path, writtenAt = noonMs) {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  utimesSync(file, writtenAt / 1_000, writtenAt / 1_000);
}

type Settings = Parameters<typeof openScannedFolder>[0];
const open = (path: string, settings: Partial<Settings> & Pick<Settings, 'times'>) =>
  openScannedFolder({ stream: 'ch1', path, ...settings });

async function listed(
  folder: ReturnType<typeof open>,
  rung: Parameters<typeof folder.list>[0] = ts,
) {
  return (await folder.list(rung, all)).flat();
}

describe('a folder that somebody else records into', () => {
  it('is listed and read by the times in its names', async () => {
    const path = tempFolder();
    for (const second of [0, 4, 8]) write(path, `2026/11/30/12/00/0${second}-04000.ts`);
    write(path, 'readme.txt');
    const folder = open(path, { times: 'names', pattern: '%Y/%m/%d/%H/%M/%S' });
    const scan = await folder.scan(nowMs, 0);
    expect(scan).toEqual({
      kind: 'recorded',
      ranges: [0, 4_000, 8_000].map((offsetMs) => ({
        container: 'ts',
        range: { startMs: noonMs + offsetMs, endMs: noonMs + offsetMs + 4_000 },
      })),
    });
    const segments = await listed(folder);
    expect(segments.map(({ startMs, durationMs }) => [startMs - noonMs, durationMs])).toEqual([
      [0, 4_000],
      [4_000, 4_000],
      [8_000, 4_000],
    ]);
    for (const [at, { name, bytes }] of segments.entries()) {
      expect(name).toMatch(/^[A-Za-z0-9_-]+\.ts$/);
      const content = readFileSync(fileURLToPath(folder.urlOf(ts, name) ?? '')).toString();
      expect(content).toBe(`2026/11/30/12/00/0${at * 4}-04000.ts`);
      expect(bytes).toBe(content.length);
    }
  });

  it('keeps the block of an hour in which nothing changed', async () => {
    const path = tempFolder();
    for (const s of [0, 4, 3_600, 3_604]) write(path, `${noonMs / 1_000 + s}.ts`);
    const folder = open(path, { times: 'names', pattern: '{unix}' });
    await folder.scan(nowMs, 0);
    const before = await folder.list(ts, all);
    write(path, `${noonMs / 1_000 + 3_608}.ts`);
    await folder.scan(nowMs, 0);
    const after = await folder.list(ts, all);
    expect(after[0]).toBe(before[0]);
    expect([before[1]?.length, after[1]?.length]).toEqual([2, 3]);
  });

  it('is as old as asked for, and without what was removed', async () => {
    const path = tempFolder();
    for (const s of [0, 4, 8, 12]) write(path, `${noonMs / 1_000 + s}.ts`);
    const folder = open(path, { times: 'names', pattern: '{unix}' });
    await folder.scan(nowMs, noonMs + 4_000);
    expect(await listed(folder)).toHaveLength(3);
    rmSync(join(path, `${noonMs / 1_000 + 12}.ts`));
    await folder.scan(nowMs, noonMs + 4_000);
    expect(await listed(folder)).toHaveLength(2);
  });

  it('counts a file whose time is when it was written from where the one before it ended', async () => {
    const path = tempFolder();
    for (const [at, name] of ['a.ts', 'b.ts', 'c.ts'].entries())
      write(path, name, name, noonMs + (at + 1) * 4_000);
    const folder = open(path, { times: 'file-times' });
    await folder.scan(nowMs, 0);
    expect((await listed(folder)).map(({ startMs }) => startMs - noonMs)).toEqual([
      0, 4_000, 8_000,
    ]);
  });

  it.each([
    [1_999, 0],
    [2_000, 1],
  ])('leaves out a file that was written to %i ms ago', async (agoMs, count) => {
    const path = tempFolder();
    write(path, 'a.ts', 'a', nowMs - agoMs);
    const folder = open(path, { times: 'file-times' });
    await folder.scan(nowMs, 0);
    expect(await listed(folder)).toHaveLength(count);
  });

  it('reads the dates of a recorded playlist, with its initialisation segment', async () => {
    const path = tempFolder();
    const lines = [
      '#EXTM3U',
      '#EXT-X-TARGETDURATION:6',
      '#EXT-X-MAP:URI="init.mp4"',
      '#EXT-X-PROGRAM-DATE-TIME:2026-11-30T12:00:00Z',
      '#EXTINF:6,',
      'v/0.m4s',
      '#EXTINF:5.5,',
      'v/1.m4s',
      '#EXT-X-PROGRAM-DATE-TIME:2026-11-30T12:10:00Z',
      '#EXTINF:6,',
      'v/2.m4s',
      '#EXTINF:6,',
      '../outside.m4s',
    ];
    write(path, 'recorded.m3u8', lines.join('\n'));
    const folder = open(path, { times: 'program-date-time' });
    await folder.scan(nowMs, 0);
    const segments = await listed(folder, { container: 'fmp4', rung: '' });
    expect(segments.map(({ startMs, durationMs }) => [startMs - noonMs, durationMs])).toEqual([
      [0, 6_000],
      [6_000, 5_500],
      [600_000, 6_000],
      [606_000, 6_000],
    ]);
    const url = folder.urlOf(ts, segments[0]?.map ?? '');
    expect(fileURLToPath(url ?? '')).toBe(join(path, 'init.mp4'));
  });

  it.each<[string, Settings['times'], string | undefined, string]>([
    ['that is not there', 'file-times', undefined, 'ENOENT'],
    ['without a playlist', 'program-date-time', undefined, 'there is no playlist in the folder'],
    ['with a useless pattern', 'names', 'segment', 'the pattern of the names has no time in it'],
  ])('%s is a fault in words', async (what, times, pattern, cause) => {
    const path = what === 'that is not there' ? join(tempFolder(), 'none') : tempFolder();
    const found = await open(path, { times, pattern }).scan(nowMs, 0);
    expect(found).toEqual({ kind: 'fault', cause });
  });

  it('names nothing outside of itself', async () => {
    const path = tempFolder();
    symlinkSync('/etc', join(path, 'link'));
    const folder = open(path, { times: 'file-times' });
    await folder.scan(nowMs, 0);
    expect(await listed(folder)).toEqual([]);
    const named = (text: string) => `${Buffer.from(text).toString('base64url')}.ts`;
    for (const text of ['../x.ts', 'a/../../x.ts', '/etc/x.ts', 'a\0.ts', 'a//b.ts', './x.ts'])
      expect(folder.urlOf(ts, named(text))).toBeUndefined();
    for (const name of ['x.ts', '', '../x.ts']) expect(folder.urlOf(ts, name)).toBeUndefined();
  });
});
