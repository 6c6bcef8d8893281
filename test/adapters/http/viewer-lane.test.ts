import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:http2';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listen } from '../../../src/adapters/http/listen.ts';
import { createViewerApp } from '../../../src/adapters/http/viewer-app.ts';
import type { Answer } from '../../../src/agent/answer.ts';
import type { OriginStream } from '../../../src/agent/ports.ts';
import type { Viewing } from '../../../src/agent/viewing.ts';
import type { ViewerRequest } from '../../../src/agent/viewing-parts.ts';
import { type ReasonCode, reasonTexts } from '../../../src/core/reasons.ts';
import { createAuthority } from '../../support/certificates.ts';
import { createFakeLog } from '../../support/fake-log.ts';
import { isInstalled } from '../../support/installed.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

const utf8 = new TextEncoder();
const contentType = 'application/vnd.apple.mpegurl';

function streamed(): OriginStream {
  async function* body() {
    yield utf8.encode('first ');
    yield utf8.encode('second');
  }
  return {
    kind: 'stream',
    status: 200,
    headers: { 'content-length': '12' },
    body: body(),
    close() {},
  };
}

const stored = (status: 200 | 206 | 416, headers: Record<string, string>) =>
  ({
    kind: 'file',
    file: { kind: 'stored', status, headers, bytes: utf8.encode('ab') },
    immutable: true,
  }) as const;

/** Every kind of answer, and every reason with each status that it may have. */
const answers: Readonly<Record<string, () => Answer>> = {
  'a playlist of text': () => ({
    kind: 'playlist',
    body: '#EXTM3U\n',
    contentType,
    reason: 'own-viewer',
  }),
  'a playlist with letters beyond ASCII': () => ({
    kind: 'playlist',
    body: '#EXTM3U\n# ж\n',
    contentType,
    reason: 'own-viewer',
  }),
  'a playlist of bytes': () => ({
    kind: 'playlist',
    body: utf8.encode('#EXTM3U\n'),
    contentType,
    reason: 'backup-viewer',
  }),
  'a playlist of bytes beyond ASCII': () => ({
    kind: 'playlist',
    body: utf8.encode('# é\n'),
    contentType,
    reason: 'own-viewer',
  }),
  'a long playlist': () => ({
    kind: 'playlist',
    body: new Uint8Array(100_000).fill(35),
    contentType,
    reason: 'own-viewer',
  }),
  'a period with holes': () => ({
    kind: 'playlist',
    body: '#EXTM3U\n',
    contentType,
    reason: 'own-viewer',
    missingS: 12,
  }),
  'a redirect': () => ({
    kind: 'redirect',
    location: 'http://b.example.net/x?pass=y',
    reason: 'redirected',
  }),
  'a segment from memory': () =>
    stored(200, { 'content-type': 'video/mp2t', 'content-length': '2' }),
  'a range': () => stored(206, { 'content-length': '2', 'content-range': 'bytes 0-1/9' }),
  'a file that streams': () => ({ kind: 'file', file: streamed(), immutable: false }),
  ...Object.fromEntries(
    (Object.keys(reasonTexts) as ReasonCode[]).flatMap((reason) =>
      ([400, 403, 404] as const).map((status) => [
        `${status} ${reason}`,
        (): Answer => ({ kind: 'refusal', status, reason }),
      ]),
    ),
  ),
};

/** No origin and no setting can bring it about: a line break in a header. */
const others: Readonly<Record<string, Answer>> = {
  'what cannot be written': { kind: 'redirect', location: 'http://b/\n', reason: 'redirected' },
};

type Seen = Pick<ViewerRequest, 'host' | 'path' | 'query' | 'range' | 'bearer' | 'userAgent'>;

/** A listener without TLS, or with; with `lane` or without, which answers as its path says, at once or later. */
async function serve(hasLane: boolean, tls?: { certFile: string; keyFile: string }) {
  const asked: Seen[] = [];
  const log = createFakeLog();
  const open = ({ host, path, query, range, bearer, userAgent }: ViewerRequest) => {
    asked.push({ host, path, query, range, bearer, userAgent });
    if (path.includes('fault')) throw new Error('something broke');
    const name = new URLSearchParams(query).get('answer') ?? 'a playlist of text';
    const answer = answers[name]?.() ?? others[name] ?? { kind: 'cut' };
    return path.includes('later') ? Promise.resolve(answer) : answer;
  };
  const viewing = { open } as unknown as Viewing;
  const clock = createVirtualClock();
  const app = createViewerApp({ viewing, nodeId: 'node-a', clock, log, trustedProxies: [] });
  const web = { requests: 0 };
  const fetch: typeof app.fetch = (...request) => {
    web.requests += 1;
    return app.fetch(...request);
  };
  const shown = hasLane ? { fetch, lane: app.lane } : { fetch };
  const listener = await listen({ app: shown, host: '127.0.0.1', port: 0, log, tls });
  onTestFinished(() => listener.close());
  return { asked, log, web, port: listener.address.port };
}

type Asked = {
  readonly path: string;
  readonly method?: string;
  readonly headers?: Record<string, string>;
};

/** Status, all headers but the date, and the body; undefined where the connection was closed. */
async function ask(port: number, { path, method = 'GET', headers = {} }: Asked) {
  const outgoing = request({ host: '127.0.0.1', port, path, method, headers, agent: false });
  outgoing.end();
  const [incoming] = (await once(outgoing, 'response').catch(() => [])) as [IncomingMessage?];
  if (incoming === undefined) return undefined;
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const { date, ...rest } = incoming.headers;
  return {
    status: incoming.statusCode,
    headers: rest,
    body: Buffer.concat(chunks).toString('latin1'),
  };
}

const query = (name: string) => `answer=${encodeURIComponent(name).replaceAll('%20', '+')}`;

describe('the short way from a socket', () => {
  it('answers with the same status, headers and bytes as hono, whatever the answer', async () => {
    const [lane, hono] = [await serve(true), await serve(false)];
    for (const name of Object.keys(answers))
      for (const way of ['now', 'later'])
        for (const method of way === 'now' ? ['GET', 'HEAD'] : ['GET']) {
          const path = `/ch1/${way}.m3u8?${query(name)}`;
          const [one, other] = [
            await ask(lane.port, { path, method }),
            await ask(hono.port, { path, method }),
          ];
          expect([name, method, one]).toEqual([name, method, other]);
          expect(one).toBeDefined();
        }
    expect(lane.web.requests).toBe(0);
    expect(lane.asked).toEqual(
      hono.asked.map((one) => ({ ...one, host: `127.0.0.1:${lane.port}` })),
    );
  }, 120_000);

  it('takes the same meaning from every address as hono, those included that it leaves to it', async () => {
    const [lane, hono] = [await serve(true), await serve(false)];
    const paths = [
      ...[
        '/',
        '/ch1/index.m3u8',
        '/a/b/1.ts?x=1&pass=a.b-c_d',
        '/ch1//x.ts',
        '/ch%201/%d0%b6.ts',
        '/x?',
      ],
      ...[
        '/a/../b.ts',
        '/a/%2e%2E/b.ts',
        '/./a.ts',
        '/.hidden/a.ts',
        '/a/..',
        '/a?x=/../b',
        '/a/b..c/d.ts',
      ],
      ...[
        "/a'b.ts?c='d",
        '/a"b.ts',
        '/a|b^c`d{e}.ts',
        '/a[1].ts',
        '/a\\b.ts',
        '/a;b=c,d@e:f!g$h&i(j)*k+l~m.ts',
      ],
      ...[
        `/${'x'.repeat(12 * 1024 - 1)}`,
        `/${'x'.repeat(12 * 1024)}`,
        '/ch1/a%zz.ts',
        '//b.example/x.ts',
        '*',
      ],
    ];
    const hosts = [
      'node-a',
      'Node-A.Example',
      'a:80',
      'a:443',
      'a:8080',
      'a:65535',
      'a:99999',
      'a:0',
      '[::1]:8080',
      'a b',
      'a/b',
      'x@y',
      '127.1',
    ];
    for (const method of ['GET', 'HEAD', 'OPTIONS', 'POST'])
      for (const path of paths) {
        const both = await Promise.all(
          [lane, hono].map(({ port }) => ask(port, { path, method, headers: { host: 'a' } })),
        );
        expect([path, method, both[0]]).toEqual([path, method, both[1]]);
      }
    for (const host of hosts) {
      const asked = { path: '/ch1/index.m3u8', headers: { host } };
      const both = await Promise.all([lane, hono].map(({ port }) => ask(port, asked)));
      expect([host, both[0]]).toEqual([host, both[1]]);
    }
    expect(lane.asked).toEqual(hono.asked);
  }, 120_000);

  it('hands on what headers say', async () => {
    const [lane, hono] = [await serve(true), await serve(false)];
    const headers = {
      host: 'a',
      range: 'bytes=0-1',
      authorization: 'Bearer abc',
      'user-agent': 'VLC/3',
    };
    for (const { port } of [lane, hono]) await ask(port, { path: '/ch1/1.ts', headers });
    const seen = {
      host: 'a',
      path: 'ch1/1.ts',
      query: '',
      range: 'bytes=0-1',
      bearer: 'abc',
      userAgent: 'VLC/3',
    };
    expect(lane.asked).toEqual([seen]);
    expect(hono.asked).toEqual([seen]);
  });

  it('closes a connection that is cut, and answers a fault of the agent with 404, logged without the query', async () => {
    for (const hasLane of [true, false]) {
      const { port, log } = await serve(hasLane);
      expect(await ask(port, { path: '/ch1/x.m3u8?answer=none' })).toBeUndefined();
      expect(log.lines).toEqual([]);
      const answer = await ask(port, { path: '/ch1/fault.m3u8?pass=secret' });
      expect([answer?.status, answer?.headers['x-understudy-reason']]).toEqual([
        404,
        'internal-error',
      ]);
      const unwritable = await ask(port, {
        path: `/ch1/x.m3u8?${query('what cannot be written')}`,
      });
      expect(unwritable).toEqual(answer);
      expect(log.lines).toHaveLength(2);
      expect(JSON.stringify(log.lines)).toContain('/ch1/fault.m3u8');
      expect(JSON.stringify(log.lines)).not.toContain('secret');
    }
  });

  it.skipIf(!isInstalled('openssl'))('is the same over HTTP/2', async () => {
    const tls = createAuthority(tempFolder()).issue('a', { hosts: ['127.0.0.1'] });
    const [lane, hono] = [await serve(true, tls), await serve(false, tls)];
    const names = [
      'a playlist of text',
      'a redirect',
      '404 frozen',
      'a file that streams',
      'a range',
    ];
    for (const name of names) {
      const both = await Promise.all(
        [lane, hono].map(({ port }) => askOverH2(port, `/ch1/x?${query(name)}`)),
      );
      expect([name, both[0]]).toEqual([name, both[1]]);
    }
    expect(lane.asked).toEqual(
      hono.asked.map((one) => ({ ...one, host: `127.0.0.1:${lane.port}` })),
    );
  });
});

async function askOverH2(port: number, path: string) {
  const session = connect(`https://127.0.0.1:${port}`, { rejectUnauthorized: false });
  onTestFinished(() => session.destroy());
  const asked = session.request({ ':path': path });
  const [{ date, ...headers }] = (await once(asked, 'response')) as [Record<string, unknown>];
  const chunks: Buffer[] = [];
  for await (const chunk of asked) chunks.push(chunk as Buffer);
  return { headers: { ...headers }, body: Buffer.concat(chunks).toString('latin1') };
}
