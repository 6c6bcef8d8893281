import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { openOrigin } from '../../../src/adapters/origin/open-origin.ts';
import type { Origin, OriginFault, OriginStream } from '../../../src/agent/ports.ts';
import { type FakeOriginOptions, startFakeOrigin } from '../../support/fake-origin-server.ts';

const limits = { deadlineMs: 2000, bytesMax: 100_000 };
const toClose: { close(): unknown }[] = [];

afterEach(async () => {
  for (const it of toClose.splice(0).reverse()) await it.close();
});

async function arrange(options: FakeOriginOptions = {}) {
  const fake = await startFakeOrigin(options);
  const origin = openOrigin(fake.entry);
  toClose.push(fake, origin);
  return { fake, origin };
}

async function textOf(origin: Origin, url: string): Promise<string> {
  const read = await origin.read(url, limits);
  if (read.kind === 'fault') throw new Error(`${read.reason} ${read.status}`);
  return Buffer.from(read.bytes).toString();
}

function opened(found: OriginStream | OriginFault): OriginStream {
  if (found.kind === 'fault') throw new Error(`${found.reason} ${found.status}`);
  return found;
}

async function bytesOf(stream: OriginStream): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of stream.body) parts.push(part);
  return Buffer.concat(parts);
}

/** A server that says whatever bytes it likes. */
async function arrangeRaw(talk: (socket: Socket, request: string) => void) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', (text) => talk(socket, text.toString()));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const origin = openOrigin(`${base}/live/index.m3u8`);
  toClose.push(
    { close: () => new Promise((resolve) => server.close(resolve)) },
    {
      close: () => {
        for (const socket of sockets) socket.destroy();
      },
    },
    origin,
  );
  return { base, origin };
}

describe('reading a playlist over http', () => {
  it('gives the bytes, the type and where they were found', async () => {
    const { fake, origin } = await arrange();
    expect(await origin.read(fake.entry, limits)).toMatchObject({
      kind: 'body',
      url: fake.entry,
      contentType: 'application/vnd.apple.mpegurl',
    });
  });

  it('asks for bytes as they are, so that none can be a decompression bomb', async () => {
    const { fake, origin } = await arrange();
    fake.route('/gzip', (_, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end('x'),
    );
    await origin.read(fake.entry, limits);
    expect(fake.requests[0]?.headers['accept-encoding']).toBe('identity');
    expect(await origin.read(`${fake.base}/gzip`, limits)).toMatchObject({
      reason: 'origin-status',
    });
  });

  it.each([400, 401, 404, 410, 500, 503])('reports status %d', async (status) => {
    const { fake, origin } = await arrange({ knobs: { status } });
    expect(await origin.read(fake.entry, limits)).toEqual({
      kind: 'fault',
      reason: 'origin-status',
      status,
    });
  });

  it.each([
    [999, false],
    [1000, false],
    [1001, true],
  ])('of %d bytes where 1000 are allowed', async (size, isTooLarge) => {
    const { fake, origin } = await arrange({ segment: () => Buffer.alloc(size) });
    const read = await origin.read(`${fake.base}/x.ts`, { ...limits, bytesMax: 1000 });
    expect(read).toMatchObject(isTooLarge ? { reason: 'origin-too-large' } : { kind: 'body' });
  });

  it('stops an endless body at the limit', async () => {
    const { base, origin } = await arrangeRaw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      const pour = () => {
        while (!socket.destroyed && socket.write('x'.repeat(10_000)));
      };
      socket.on('drain', pour);
      pour();
    });
    expect(await origin.read(`${base}/`, limits)).toMatchObject({ reason: 'origin-too-large' });
  });

  it.each<[string, FakeOriginOptions]>([
    ['does not answer', { knobs: { hang: true } }],
    ['answers its head late', { knobs: { delayMs: 1000 } }],
  ])('ends at the deadline when the origin %s', async (_, options) => {
    const { fake, origin } = await arrange(options);
    const read = await origin.read(fake.entry, { ...limits, deadlineMs: 50 });
    expect(read).toEqual({ kind: 'fault', reason: 'origin-timeout' });
  });

  it('ends at the deadline when the body trickles', async () => {
    const { base, origin } = await arrangeRaw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n');
      const timer = setInterval(() => socket.write('x'), 5);
      socket.on('close', () => clearInterval(timer));
    });
    const read = await origin.read(`${base}/`, { ...limits, deadlineMs: 60 });
    expect(read).toEqual({ kind: 'fault', reason: 'origin-timeout' });
  });

  it('reports an origin that is not there, and one that breaks off', async () => {
    const { fake, origin } = await arrange();
    await fake.stop();
    expect(await origin.read(fake.entry, limits)).toEqual({
      kind: 'fault',
      reason: 'origin-unreachable',
    });
    const raw = await arrangeRaw((socket) =>
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nx'),
    );
    expect(await raw.origin.read(raw.base, limits)).toMatchObject({ reason: 'origin-unreachable' });
    const junk = await arrangeRaw((socket) => socket.end('220 smtp ready\r\n'));
    expect(await junk.origin.read(junk.base, limits)).toMatchObject({
      reason: 'origin-unreachable',
    });
  });

  it('asks again on a new connection when a kept one was closed by the origin', async () => {
    let connection: Socket | undefined;
    let connections = 0;
    const { base, origin } = await arrangeRaw((socket) => {
      if (socket !== connection) {
        connections += 1;
        connection = socket;
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nx');
      } else socket.resetAndDestroy();
    });
    expect(await textOf(origin, base)).toBe('x');
    expect(await textOf(origin, base)).toBe('x');
    expect(connections).toBe(2);
  });

  it('never asks another host, scheme or port', async () => {
    const { fake, origin } = await arrange();
    for (const url of ['http://127.0.0.2:1/x', 'https://127.0.0.1/x', 'file:///etc/passwd', 'x'])
      expect(await origin.read(url, limits)).toEqual({ kind: 'fault', reason: 'origin-refused' });
    expect(fake.requests).toHaveLength(0);
  });
});

describe('redirects', () => {
  it('are followed to the same host, three at most', async () => {
    const { fake, origin } = await arrange();
    for (const step of [1, 2, 3, 4])
      fake.route(`/hop${step}`, (_, response) => {
        response.writeHead(302, { location: step === 1 ? fake.entry : `hop${step - 1}` }).end();
      });
    expect(await origin.read(`${fake.base}/hop3`, limits)).toMatchObject({ url: fake.entry });
    expect(await origin.read(`${fake.base}/hop4`, limits)).toMatchObject({
      reason: 'origin-refused',
    });
  });

  it.each([
    'http://127.0.0.2:9/x',
    '//example.net/x',
    'https://127.0.0.1/x',
    'file:///etc/passwd',
    undefined,
  ])('to %s are refused', async (location) => {
    const { fake, origin } = await arrange();
    fake.route('/away', (_, response) =>
      response.writeHead(302, location ? { location } : {}).end(),
    );
    expect(await origin.read(`${fake.base}/away`, limits)).toMatchObject({
      reason: 'origin-refused',
    });
  });

  it.each(['mediamtx', 'mediamtx-query'] as const)(
    'carry a session as %s does',
    async (session) => {
      const { fake, origin } = await arrange({ session });
      const text = await textOf(origin, fake.entry);
      const child = text.split('\n').find((line) => line.startsWith('high/')) ?? '';
      expect(child.includes('?session=')).toBe(session === 'mediamtx-query');
      expect(await textOf(origin, new URL(child, fake.entry).href)).toContain('#EXTINF');
      const stranger = openOrigin(fake.entry);
      toClose.push(stranger);
      const url = `${fake.base}/live/ch1/high/video.m3u8`;
      expect(await stranger.read(url, limits)).toMatchObject({ status: 401 });
    },
  );
});

describe('opening a file over http', () => {
  it('passes ranges and the headers that matter on', async () => {
    const { fake, origin } = await arrange({ segment: () => Buffer.from('0123456789') });
    const whole = opened(await origin.open(`${fake.base}/s.ts`, { firstByteMs: 2000 }));
    expect(whole).toMatchObject({
      status: 200,
      headers: { 'content-type': 'video/mp2t', 'content-length': '10' },
    });
    expect((await bytesOf(whole)).toString()).toBe('0123456789');
    const part = opened(
      await origin.open(`${fake.base}/s.ts`, { firstByteMs: 2000, range: 'bytes=2-4' }),
    );
    expect(part).toMatchObject({ status: 206, headers: { 'content-range': 'bytes 2-4/10' } });
    expect((await bytesOf(part)).toString()).toBe('234');
  });

  it('gives an empty body and a refused range as what they are', async () => {
    const { fake, origin } = await arrange({ segment: () => Buffer.alloc(0) });
    fake.route('/r.ts', (_, response) =>
      response.writeHead(416, { 'content-range': 'bytes */5' }).end(),
    );
    const empty = opened(await origin.open(`${fake.base}/s.ts`, { firstByteMs: 2000 }));
    expect(await bytesOf(empty)).toHaveLength(0);
    const refused = opened(
      await origin.open(`${fake.base}/r.ts`, { firstByteMs: 2000, range: 'bytes=9-' }),
    );
    expect(refused).toMatchObject({ status: 416, headers: { 'content-range': 'bytes */5' } });
    refused.close();
  });

  it('waits for the first byte of the body, not only for the head', async () => {
    const { fake, origin } = await arrange({ knobs: { firstByteDelayMs: 400 } });
    const found = await origin.open(`${fake.base}/s.ts`, { firstByteMs: 60 });
    expect(found).toEqual({ kind: 'fault', reason: 'origin-timeout' });
  });

  it('does not end a body at the time limit of its first byte', async () => {
    const { base, origin } = await arrangeRaw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nx');
      setTimeout(() => socket.write('y'), 1200);
    });
    const stream = opened(await origin.open(base, { firstByteMs: 1000 }));
    expect((await bytesOf(stream)).toString()).toBe('xy');
  });

  it('breaks off for the reader when the origin breaks off', async () => {
    const { base, origin } = await arrangeRaw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\nx');
      setTimeout(() => socket.destroy(), 20);
    });
    const stream = opened(await origin.open(base, { firstByteMs: 2000 }));
    await expect(bytesOf(stream)).rejects.toThrow();
  });

  it('holds the origin back while the viewer takes nothing', async () => {
    let poured = 0;
    const { base, origin } = await arrangeRaw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 999999999\r\n\r\n');
      const pour = () => {
        do poured += 100_000;
        while (socket.write(Buffer.alloc(100_000)));
      };
      socket.on('drain', pour);
      pour();
    });
    const stream = opened(await origin.open(base, { firstByteMs: 2000 }));
    await new Promise((resolve) => setTimeout(resolve, 200));
    const before = poured;
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(poured).toBe(before);
    expect(poured).toBeLessThan(30_000_000);
    stream.close();
  });

  it('leaves no connection stuck behind viewers that went away', async () => {
    const { fake, origin } = await arrange({ segment: () => Buffer.alloc(4_000_000) });
    const open = async (_: unknown, number: number) => {
      const found = opened(await origin.open(`${fake.base}/s.ts`, { firstByteMs: 5000 }));
      if (number % 2 === 0) return found.close();
      for await (const part of found.body) if (part.length > 0) break;
      found.close();
    };
    await Promise.all(Array.from({ length: 150 }, open));
    await expect.poll(() => fake.openSockets()).toBe(0);
    const after = opened(await origin.open(`${fake.base}/s.ts`, { firstByteMs: 5000 }));
    expect(await bytesOf(after)).toHaveLength(4_000_000);
  });

  it('keeps a connection for the next file once one was read to its end', async () => {
    const { fake, origin } = await arrange();
    for (let file = 0; file < 3; file++) {
      const found = opened(await origin.open(`${fake.base}/${file}.ts`, { firstByteMs: 2000 }));
      await bytesOf(found);
      found.close();
    }
    expect(fake.openSockets()).toBe(1);
  });

  it('gives nothing after it was closed', async () => {
    const { fake, origin } = await arrange();
    origin.close();
    expect(await origin.read(fake.entry, limits)).toMatchObject({ kind: 'fault' });
    expect(fake.requests).toHaveLength(0);
  });
});
