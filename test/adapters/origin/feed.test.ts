import { execFileSync, spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createWriteStream, renameSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { isFeed, openFeed } from '../../../src/adapters/origin/feed.ts';
import { createTsReader } from '../../../src/core/media/ts-reader.ts';
import { isInstalled } from '../../support/installed.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const within = { timeout: 15_000, interval: 20 };

/** An open feed with all that it gave. */
function opened(entry: string) {
  const chunks: Uint8Array[] = [];
  const faults: string[] = [];
  const feed = openFeed(entry, {
    bytes: (chunk) => chunks.push(chunk),
    fault: (text) => faults.push(text),
  });
  onTestFinished(() => feed.close());
  const text = () => Buffer.concat(chunks).toString('latin1');
  const until = (expected: string) => vi.waitFor(() => expect(text()).toContain(expected), within);
  const untilFault = (expected: string) =>
    vi.waitFor(() => expect(faults.join('\n')).toContain(expected), within);
  return { feed, chunks, faults, text, until, untilFault };
}

/** Sends datagrams from an address of this machine. */
async function aSender(address = '127.0.0.1') {
  const socket = createSocket('udp4');
  onTestFinished(() => void socket.close());
  socket.bind(0, address);
  await once(socket, 'listening');
  socket.setMulticastInterface(address);
  const send = (bytes: string | Uint8Array, port: number, to = '127.0.0.1') =>
    new Promise<void>((resolve) => socket.send(bytes, port, to, () => resolve()));
  /** Again and again: nobody can know from outside when a socket is open. */
  const sendUntil = (bytes: string, port: number, to: string, isThere: () => boolean) =>
    vi.waitFor(async () => {
      await send(bytes, port, to);
      expect(isThere()).toBe(true);
    }, within);
  return { send, sendUntil };
}

async function freePort(): Promise<number> {
  const socket = createSocket('udp4');
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const { port } = socket.address();
  socket.close();
  return port;
}

function aFifo(): string {
  const path = join(tempFolder(), 'feed 1.fifo');
  execFileSync('mkfifo', [path]);
  return path;
}

describe('a feed by UDP', () => {
  it('gives whole datagrams in order, many in a chunk, as copies', async () => {
    const port = await freePort();
    const { chunks, text, until } = opened(`udp://127.0.0.1:${port}`);
    const { send, sendUntil } = await aSender();
    await sendUntil('first;', port, '127.0.0.1', () => chunks.length > 0);
    for (let i = 0; i < 50; i += 1) await send(`${i};`, port);
    await until(';49;');
    expect(text()).toMatch(
      new RegExp(`${Array.from({ length: 50 }, (_, i) => `${i};`).join('')}$`),
    );
    expect(chunks.length).toBeLessThan(50);
    await sendUntil('last;', port, '127.0.0.1', () => text().endsWith('last;'));
    expect(text()).toMatch(/^(?:first;)+0;/);
  });

  it('takes RTP headers off', async () => {
    const port = await freePort();
    const { chunks, text, until } = opened(`udp://127.0.0.1:${port}`);
    const { send, sendUntil } = await aSender();
    await sendUntil('first;', port, '127.0.0.1', () => chunks.length > 0);
    const packet = Buffer.alloc(188, 'x').fill('G', 0, 1);
    await send(
      Buffer.concat([Buffer.from([0x80, 33, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3]), packet]),
      port,
    );
    await until('xxx');
    expect(text().replaceAll('first;', '')).toBe(packet.toString('latin1'));
  });

  it('takes nothing from another sender than the one it names', async () => {
    const port = await freePort();
    const { text, chunks } = opened(`udp://127.0.0.3@127.0.0.1:${port}`);
    const [stranger, named] = [await aSender('127.0.0.2'), await aSender('127.0.0.3')];
    await named.sendUntil('good;', port, '127.0.0.1', () => chunks.length > 0);
    await stranger.send('bad;', port);
    await named.sendUntil('end;', port, '127.0.0.1', () => text().includes('end;'));
    expect(text()).not.toContain('bad');
  });

  it.each([
    ['any sender', '', 'interface=127.0.0.1'],
    ['one sender', '127.0.0.1@', 'interface=lo'],
  ])('joins a multicast group, of %s, and shares it', async (_, source, query) => {
    const port = await freePort();
    const entry = `udp://${source}239.255.7.9:${port}?${query}`;
    const [one, two] = [opened(entry), opened(entry)];
    const { send, sendUntil } = await aSender();
    await sendUntil('a;', port, '239.255.7.9', () => one.chunks.length * two.chunks.length > 0);
    // What is sent to another group, or to the machine itself, at the same port is not theirs.
    await send('other;', port, '239.255.7.10');
    await send('other;', port, '127.0.0.1');
    const haveEnd = () => [one, two].every((each) => each.text().includes('end;'));
    await sendUntil('end;', port, '239.255.7.9', haveEnd);
    expect(one.text() + two.text()).not.toContain('other');
    expect([one.faults, two.faults]).toEqual([[], []]);
  });

  it('tells once why it cannot receive, and receives as soon as it can', async () => {
    const other = createSocket('udp4');
    other.bind(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address();
    const { faults, chunks, untilFault } = opened(`udp://127.0.0.1:${port}`);
    await untilFault('EADDRINUSE');
    other.close();
    const { sendUntil } = await aSender();
    await sendUntil('a;', port, '127.0.0.1', () => chunks.length > 0);
    expect(faults).toEqual([`cannot receive at port ${port}: EADDRINUSE`]);
  });

  it('joins a group that is silent for 10 s anew', async () => {
    const port = await freePort();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { faults, chunks } = opened(`udp://239.255.7.9:${port}?interface=127.0.0.1`);
    vi.advanceTimersByTime(1);
    vi.advanceTimersByTime(9998);
    expect(faults).toEqual([]);
    vi.advanceTimersByTime(2);
    expect(faults).toEqual(['nothing has come from the group for 10 s']);
    vi.advanceTimersByTime(1000);
    vi.useRealTimers();
    const { sendUntil } = await aSender();
    await sendUntil('a;', port, '239.255.7.9', () => chunks.length > 0);
  });

  it('tells that there is no such interface', async () => {
    const { untilFault } = opened(`udp://239.255.7.9:${await freePort()}?interface=no-such-0`);
    await untilFault('cannot receive');
  });
});

describe('a feed by FIFO', () => {
  it('is read from one writer after the other, each from its first byte', async () => {
    const path = aFifo();
    const { faults, until } = opened(`file://${path.replace(' ', '%20')}`);
    for (const text of ['one;', 'two;', 'three;']) {
      const writer = createWriteStream(path, { flags: 'w' });
      writer.end(text);
      await once(writer, 'close');
      await until(text);
    }
    await vi.waitFor(() => expect(faults).toContain('nobody writes to the fifo any more'), within);
  });

  it('loses nothing, whatever the writer writes at once', async () => {
    const path = aFifo();
    const { chunks, text } = opened(path);
    const bytes = Buffer.from(Array.from({ length: 1_000_000 }, (_, i) => i % 251));
    const writer = createWriteStream(path, { flags: 'w' });
    writer.end(bytes);
    await vi.waitFor(() => expect(text()).toHaveLength(bytes.length), within);
    expect(text() === bytes.toString('latin1')).toBe(true);
    expect(Math.max(...chunks.map(({ length }) => length))).toBeLessThanOrEqual(128 * 1024);
  });

  it('does not keep files from being read while nobody writes', async () => {
    // As many as the pool has threads, and one more: each open that blocks would take one.
    const feeds = Array.from({ length: 5 }, () => opened(aFifo()));
    const file = await open(new URL(import.meta.url).pathname);
    await file.close();
    expect(feeds.flatMap(({ faults, chunks }) => [...faults, ...chunks])).toEqual([]);
  });

  it('waits for a path that is not there or is a plain file, and sees when a new FIFO is put there', async () => {
    const path = join(tempFolder(), 'later');
    const { faults, until, untilFault } = opened(path);
    await untilFault('ENOENT');
    writeFileSync(path, 'plain');
    await untilFault('the path is no fifo');
    expect(isFeed(path)).toBe(false);
    for (const text of ['one;', 'two;']) {
      renameSync(aFifo(), path);
      expect(isFeed(path)).toBe(true);
      const writer = createWriteStream(path, { flags: 'w' });
      onTestFinished(() => void writer.destroy());
      writer.write(text);
      await until(text);
    }
    expect(faults).toContain('the fifo was replaced');
  });
});

describe('any feed', () => {
  it('gives nothing more once it is closed', async () => {
    const port = await freePort();
    const { feed, chunks } = opened(`udp://127.0.0.1:${port}`);
    const { send, sendUntil } = await aSender();
    await sendUntil('a;', port, '127.0.0.1', () => chunks.length > 0);
    const before = chunks.length;
    feed.close();
    feed.close();
    await send('b;', port);
    const next = opened(`udp://127.0.0.1:${port}`);
    await sendUntil('c;', port, '127.0.0.1', () => next.chunks.length > 0);
    expect(chunks).toHaveLength(before);
  });

  it('goes on when whoever reads it fails', async () => {
    const port = await freePort();
    const faults: string[] = [];
    const feed = openFeed(`udp://127.0.0.1:${port}`, {
      bytes: () => {
        throw new Error('oops');
      },
      fault: (text) => {
        faults.push(text);
        throw new Error('oops again');
      },
    });
    onTestFinished(() => feed.close());
    const { sendUntil } = await aSender();
    await sendUntil('a', port, '127.0.0.1', () => faults.length > 1);
    expect(faults[0]).toBe('what came could not be read: Error: oops');
  });

  it.each(['http://127.0.0.1/a', 'udp://127.0.0.1'])('%s is none', async (entry) => {
    const { faults } = opened(entry);
    await vi.waitFor(() => expect(faults[0]).toMatch(/^must /), within);
    expect(isFeed('http://127.0.0.1/a')).toBe(false);
  });
});

describe.skipIf(!isInstalled('ffmpeg'))('feeds of ffmpeg (needs ffmpeg)', () => {
  const targets = [
    ['udp', 'mpegts', (port: number) => `udp://127.0.0.1:${port}?pkt_size=1316`],
    [
      'udp, not cut at packets',
      'mpegts',
      (port: number) => `udp://127.0.0.1:${port}?pkt_size=1000`,
    ],
    ['rtp', 'rtp_mpegts', (port: number) => `rtp://127.0.0.1:${port}`],
    ['fifo', 'mpegts', undefined],
  ] as const;

  it.each(targets)('by %s are read without a fault', async (_, format, targetOf) => {
    const port = await freePort();
    const path = aFifo();
    const entry = targetOf === undefined ? path : `udp://127.0.0.1:${port}`;
    const target = targetOf?.(port) ?? path;
    const reader = createTsReader();
    let pictures = 0;
    let faults = 0;
    const feed = openFeed(entry, {
      bytes(chunk) {
        const reading = reader.read(chunk, 'open');
        pictures += reading.units.filter((unit) => unit.kind === 'video').length;
        faults += reading.faults;
      },
      fault: () => undefined,
    });
    onTestFinished(() => feed.close());
    const source = ['-f', 'lavfi', '-i', 'testsrc2=size=160x90:rate=25', '-c:v', 'libx264'];
    const flags = ['-hide_banner', '-loglevel', 'fatal', '-nostdin', '-y', '-re', ...source];
    const encoder = ['-preset', 'ultrafast', '-g', '25', '-t', '20'];
    const child = spawn('ffmpeg', [...flags, ...encoder, '-f', format, target], {
      stdio: 'ignore',
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    await vi.waitFor(() => expect(pictures).toBeGreaterThan(40), within);
    expect(faults).toBe(0);
  });
});
