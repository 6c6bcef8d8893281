import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { askRecordings } from '../../../src/adapters/media-servers/ask-recordings.ts';

const fromS = Date.UTC(2026, 10, 30, 12) / 1_000;
const period = { startMs: fromS * 1_000, endMs: (fromS + 86_400) * 1_000 };

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A media server on loopback; the address of stream `tv/ch 1` there, with a user and password where given. */
async function aServer(answer: Answer, login = ''): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://${login}127.0.0.1:${port}/tv/ch%201`, asked };
}

const json =
  (value: unknown): Answer =>
  (_, response) =>
    void response.end(JSON.stringify(value));

const oneHour = { startMs: fromS * 1_000, endMs: (fromS + 3_600) * 1_000 };

describe('the recordings of Flussonic', () => {
  const ranges = [
    { from: fromS, duration: 3_600 },
    { from: fromS + 7_200, duration: 60 },
  ];

  it('are asked for with the user and password of the address', async () => {
    const seen: (string | undefined)[] = [];
    const { url, asked } = await aServer((request, response) => {
      seen.push(request.headers.authorization);
      json({ ranges, estimated_count: 2 })(request, response);
    }, 'viewer:s%3Ae@');
    const answer = await askRecordings({ kind: 'flussonic', url }, period);
    expect(answer).toEqual({
      kind: 'recorded',
      containers: ['ts', 'fmp4'],
      ranges: [oneHour, { startMs: (fromS + 7_200) * 1_000, endMs: (fromS + 7_260) * 1_000 }],
    });
    expect(asked).toEqual([`/streamer/api/v3/streams/tv/ch%201/dvr/ranges?from=${fromS}`]);
    expect(seen).toEqual([`Basic ${Buffer.from('viewer:s:e').toString('base64')}`]);
  });

  it('are read page by page, with a bearer token', async () => {
    const { url, asked } = await aServer((request, response) => {
      expect(request.headers.authorization).toBe('Bearer secret');
      const isLast = request.url?.includes('cursor=two') === true;
      json(isLast ? { ranges: [ranges[1]] } : { ranges: [ranges[0]], next: 'two' })(
        request,
        response,
      );
    }, ':secret@');
    const answer = await askRecordings({ kind: 'flussonic', url }, period);
    expect(answer.kind === 'recorded' && answer.ranges).toHaveLength(2);
    expect(asked).toHaveLength(2);
  });

  it('are read from the form that names the stream, too', async () => {
    const { url } = await aServer(json([{ stream: 'tv/ch 1', ranges: [ranges[0]] }]));
    const answer = await askRecordings({ kind: 'flussonic', url }, period);
    expect(answer).toMatchObject({ kind: 'recorded', ranges: [oneHour] });
  });
});

describe('the recordings of MediaMTX', () => {
  it('are fragmented MP4, with times in RFC 3339 and fractions of seconds', async () => {
    const { url, asked } = await aServer(
      json([{ start: '2026-11-30T13:00:00.25+01:00', duration: 60.5, url: 'http://x/get?y' }]),
    );
    expect(await askRecordings({ kind: 'mediamtx', url }, period)).toEqual({
      kind: 'recorded',
      containers: ['fmp4'],
      ranges: [{ startMs: fromS * 1_000 + 250, endMs: fromS * 1_000 + 60_750 }],
    });
    const query = new URL(asked[0] ?? '', url).searchParams;
    expect(Object.fromEntries(query)).toEqual({
      path: 'tv/ch 1',
      start: '2026-11-30T12:00:00.000Z',
      end: '2026-12-01T12:00:00.000Z',
    });
  });

  it('are none where the server says 404', async () => {
    const { url } = await aServer((_, response) => void response.writeHead(404).end('none'));
    const answer = await askRecordings({ kind: 'mediamtx', url }, period);
    expect(answer).toMatchObject({ kind: 'recorded', ranges: [] });
  });
});

describe('the recordings of Nimble', () => {
  it('are asked for with a signature made of the management token', async () => {
    const status = { stream: 'tv/ch 1', timeline: [{ start: fromS, duration: 3_600 }] };
    const { url, asked } = await aServer(json([status]), ':token@');
    const answer = await askRecordings({ kind: 'nimble', url }, period);
    expect(answer).toMatchObject({ kind: 'recorded', ranges: [oneHour] });
    const { pathname, searchParams } = new URL(asked[0] ?? '', url);
    expect(pathname).toBe('/manage/dvr_status/tv/ch%201');
    expect(searchParams.get('timeline')).toBe('true');
    const signed = createHash('md5')
      .update(`${searchParams.get('salt')}/token`)
      .digest('base64');
    expect(searchParams.get('hash')).toBe(signed);
  });

  it('are none where the timeline is empty', async () => {
    const { url } = await aServer(json([{ stream: 'tv/ch 1', timeline: [] }]));
    const answer = await askRecordings({ kind: 'nimble', url }, period);
    expect(answer).toMatchObject({ kind: 'recorded', ranges: [] });
  });
});

it('may be those of a stream whose name, or of a user whose password, is no percent-encoding', async () => {
  const { url, asked } = await aServer(json({ ranges: [{ from: fromS, duration: 60 }] }));
  const odd = url.replace(/^http:\/\//, 'http://user:100%25%zz@').replace(/\/tv.*$/, '/tv/100%');
  const answer = await askRecordings({ kind: 'flussonic', url: odd }, period);
  expect(answer).toMatchObject({ kind: 'recorded' });
  expect(asked[0]).toContain('/streams/tv/100%25/dvr/ranges');
});

describe('a media server that does not say what it has', () => {
  it.each<[string, Answer, string]>([
    ['refuses', (_, response) => void response.writeHead(403).end(), 'status 403'],
    ['sends a page', (_, response) => void response.end('<html>'), 'not JSON'],
    ['sends something else', json({ error: 'no' }), 'no recorded periods in the answer'],
    ['sends periods without times', json([{ from: 'x' }]), 'no recorded periods in the answer'],
    ['breaks off', (request) => void request.socket.destroy(), 'ECONNRESET'],
    [
      'redirects',
      (_, response) => void response.writeHead(302, { location: '/' }).end(),
      'status 302',
    ],
    [
      'sends too much',
      (_, response) => void response.end(`[${'0,'.repeat(5_000_000)}0]`),
      'answer too large',
    ],
  ])('is a fault in words when it %s', async (_, answer, cause) => {
    const { url } = await aServer(answer, 'user:password@');
    const found = await askRecordings({ kind: 'flussonic', url }, period);
    expect(found).toEqual({ kind: 'fault', cause });
  });

  it('is a fault when nobody listens', async () => {
    const url = 'http://127.0.0.1:9/ch1';
    const found = await askRecordings({ kind: 'nimble', url }, period);
    expect(found).toEqual({ kind: 'fault', cause: 'ECONNREFUSED' });
  });
});
