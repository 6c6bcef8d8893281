import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openOrigin } from '../../../src/adapters/origin/open-origin.ts';
import type { Origin, OriginFault, OriginStream } from '../../../src/agent/ports.ts';

const limits = { deadlineMs: 5000, bytesMax: 1000 };
const missing = { kind: 'fault', reason: 'origin-status', status: 404 };
let top: string;
let folder: string;
let origin: Origin;
const url = (name: string) => `file://${folder}/${name}`;

beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'understudy-folder-'));
  folder = join(top, 'ch 1').replace(' ', '-');
  mkdirSync(folder);
  write('index.m3u8', '#EXTM3U\n');
  write('seg1.ts', '0123456789');
  writeFileSync(join(top, 'secret'), 'secret');
  origin = openOrigin(folder);
});

afterEach(() => {
  origin.close();
  rmSync(top, { recursive: true });
});

/** Written some time ago, so that it counts as whole. */
function write(name: string, text: string) {
  writeFileSync(join(folder, name), text);
  utimesSync(join(folder, name), new Date(Date.now() - 1000), new Date(Date.now() - 1000));
}

async function bodyOf(found: OriginStream | OriginFault): Promise<string> {
  if (found.kind === 'fault') throw new Error(found.reason);
  const parts: Uint8Array[] = [];
  for await (const part of found.body) parts.push(part);
  return Buffer.concat(parts).toString();
}

const open = (name: string, range?: string) => origin.open(url(name), { range, firstByteMs: 5000 });

describe('reading from a folder', () => {
  it('gives a file with its type', async () => {
    const read = await origin.read(url('index.m3u8'), limits);
    expect(read).toMatchObject({
      kind: 'body',
      url: url('index.m3u8'),
      contentType: 'application/vnd.apple.mpegurl',
    });
    expect(read.kind === 'body' && Buffer.from(read.bytes).toString()).toBe('#EXTM3U\n');
  });

  it.each([
    [999, 'body'],
    [1000, 'body'],
    [1001, 'fault'],
  ])('gives a file of %d bytes where 1000 are allowed as %s', async (size, kind) => {
    write('a.m3u8', 'x'.repeat(size));
    expect(await origin.read(url('a.m3u8'), limits)).toMatchObject({ kind });
  });

  it('has no missing file, folder or pipe, and does not hang on the pipe', async () => {
    mkdirSync(join(folder, 'sub'));
    execFileSync('/usr/bin/env', ['mkfifo', join(folder, 'pipe')]);
    for (const name of ['none.ts', 'sub', 'pipe', 'seg1.ts/x', ''])
      expect(await origin.read(url(name), limits), name).toMatchObject({ kind: 'fault' });
    expect(await origin.read(url('none.ts'), limits)).toEqual(missing);
  });

  it('reads a playlist that is just being written once it is whole', async () => {
    const file = join(folder, 'index.m3u8');
    writeFileSync(file, '#EXTM3U\n#EXTINF:2,\n');
    const reading = origin.read(url('index.m3u8'), limits);
    const timer = setTimeout(() => appendFileSync(file, 'a.ts\n'), 5);
    const read = await reading;
    clearTimeout(timer);
    expect(read.kind === 'body' && Buffer.from(read.bytes).toString()).toContain('a.ts');
  });

  it('does not wait for ever for a file that never rests', async () => {
    const file = join(folder, 'log.m3u8');
    writeFileSync(file, 'x');
    const timer = setInterval(() => appendFileSync(file, 'x'), 3);
    try {
      expect(await origin.read(url('log.m3u8'), limits)).toMatchObject({ kind: 'body' });
    } finally {
      clearInterval(timer);
    }
  });
});

describe('what lies outside of the folder', () => {
  it.each(['../secret', '%2e%2e/secret', '..%2fsecret', 'x/../../secret'])('%s', async (name) => {
    const read = await origin.read(url(name), limits);
    expect(read).toMatchObject({ kind: 'fault' });
  });

  it('is refused through links, but links within are followed', async () => {
    symlinkSync(join(top, 'secret'), join(folder, 'out.ts'));
    symlinkSync(top, join(folder, 'up'));
    symlinkSync('seg1.ts', join(folder, 'in.ts'));
    symlinkSync('loop.ts', join(folder, 'loop.ts'));
    expect(await open('out.ts')).toEqual({ kind: 'fault', reason: 'origin-refused' });
    expect(await open('up/secret')).toEqual({ kind: 'fault', reason: 'origin-refused' });
    expect(await open('loop.ts')).toEqual(missing);
    expect(await bodyOf(await open('in.ts'))).toBe('0123456789');
  });

  it('is refused where the neighbour has the same beginning', async () => {
    mkdirSync(`${folder}2`);
    writeFileSync(`${folder}2/a.ts`, 'x');
    symlinkSync(`${folder}2`, join(folder, 'near'));
    expect(await open('near/a.ts')).toEqual({ kind: 'fault', reason: 'origin-refused' });
  });

  it.each(['http://127.0.0.1/x', 'file://host/x', 'file:///x%2fy', 'x', 'file:///etc/passwd'])(
    'is refused as %s',
    async (other) => {
      expect(await origin.read(other, limits)).toEqual({ kind: 'fault', reason: 'origin-refused' });
    },
  );

  it('includes what the folder itself is not: a folder that is a link may move', async () => {
    mkdirSync(join(top, 'second'));
    writeFileSync(join(top, 'second', 'index.m3u8'), 'second');
    const link = join(top, 'current');
    symlinkSync(folder, link);
    const linked = openOrigin(link);
    expect(await bodyOf(await linked.open(`file://${link}/seg1.ts`, { firstByteMs: 5000 }))).toBe(
      '0123456789',
    );
    rmSync(link);
    symlinkSync(join(top, 'second'), link);
    expect(
      await bodyOf(await linked.open(`file://${link}/index.m3u8`, { firstByteMs: 5000 })),
    ).toBe('second');
  });
});

describe('opening a file of a folder', () => {
  it.each([
    [undefined, 200, '0123456789', undefined],
    ['bytes=2-4', 206, '234', 'bytes 2-4/10'],
    ['bytes=8-', 206, '89', 'bytes 8-9/10'],
    ['bytes=-3', 206, '789', 'bytes 7-9/10'],
    ['bytes=10-', 416, '', 'bytes */10'],
  ])('with range %s', async (range, status, body, contentRange) => {
    const found = await open('seg1.ts', range);
    expect(found).toMatchObject({
      status,
      headers: {
        'content-length': `${body.length}`,
        ...(contentRange && { 'content-range': contentRange }),
      },
    });
    expect(await bodyOf(found)).toBe(body);
  });

  it('sends as much of a growing file as there was, and breaks off when it shrinks', async () => {
    const growing = await open('seg1.ts');
    appendFileSync(join(folder, 'seg1.ts'), 'more');
    expect(await bodyOf(growing)).toBe('0123456789');
    const shrinking = await open('seg1.ts');
    truncateSync(join(folder, 'seg1.ts'), 3);
    await expect(bodyOf(shrinking)).rejects.toThrow('shorter');
  });

  it('leaves no file open behind viewers that went away', async () => {
    const openFiles = () => readdirSync('/proc/self/fd').length;
    write('big.ts', 'x'.repeat(1_000_000));
    await bodyOf(await open('big.ts'));
    const before = openFiles();
    const watch = async (number: number) => {
      const stream = await open('big.ts');
      if (stream.kind === 'fault') throw new Error(stream.reason);
      if (number % 2 === 0) for await (const part of stream.body) if (part.length > 0) break;
      stream.close();
      stream.close();
    };
    await Promise.all(Array.from({ length: 40 }, (_, number) => watch(number)));
    await expect.poll(openFiles).toBeLessThanOrEqual(before);
  });
});

describe('opening an origin', () => {
  it.each(['', 'ch1', 'ftp://o/x', 'rtmp://o/x', 'http://u:p@o/x'])(
    'says what is wrong with %j',
    (entry) => {
      expect(() => openOrigin(entry)).toThrow('must be an http(s) URL');
    },
  );
});
