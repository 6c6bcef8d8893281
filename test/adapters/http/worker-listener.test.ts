import { once } from 'node:events';
import { Agent, request as ask, get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { listen, listenBy, listenLocally } from '../../../src/adapters/http/listen.ts';
import { createViewerApp } from '../../../src/adapters/http/viewer-app.ts';
import { createWorkerListener } from '../../../src/adapters/http/worker-listener.ts';
import type { Answer } from '../../../src/agent/answer.ts';
import type { Viewing } from '../../../src/agent/viewing.ts';
import type { ViewerRequest } from '../../../src/agent/viewing-parts.ts';
import type { Word } from '../../../src/agent/worker-ports.ts';
import { Repertoire } from '../../../src/agent/workers/repertoire.ts';
import { createFakeLog } from '../../support/fake-log.ts';
import { startGroup, urisOf } from '../../support/group-rig.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

const host = '127.0.0.1';
const word = (seq: number): Word => ({ seq, over: { all: false, what: [], who: [] } });

/** A worker of a main process that answers by `viewing`, and beside it the same without workers. */
async function startWorker(viewing: Viewing, seq = 0) {
  const deps = { viewing, nodeId: 'a', clock: createVirtualClock(), trustedProxies: [] };
  const log = createFakeLog();
  const socketPath = join(tempFolder(), 'workers.sock');
  const behind = createViewerApp({ ...deps, log, isBehindWorkers: true });
  const main = await listenLocally(behind, socketPath);
  const repertoire = new Repertoire({ bytesMax: 1_000_000, seq });
  repertoire.hear(word(seq), 0, 0);
  const asked: string[] = [];
  const { onRequest, hear, close } = createWorkerListener({
    ...{ repertoire, socketPath, isBehindProxy: false, sharedMs: () => 0 },
    // As between processes, what is said is a copy.
    sendAsks: (asks) => {
      asked.push(...asks.map(({ target }) => target));
      behind.answerAsks(structuredClone(asks), (replies) => hear(structuredClone(replies)));
    },
  });
  const worker = await listenBy(onRequest, { host, port: 0, log });
  const alone = await listen({ app: createViewerApp({ ...deps, log }), host, port: 0, log });
  onTestFinished(async () => {
    close();
    await Promise.all([worker, alone, main].map((listener) => listener.close()));
  });
  const url = `http://${host}:${worker.address.port}`;
  return { log, repertoire, asked, url, aloneUrl: `http://${host}:${alone.address.port}` };
}

const answering = (open: (request: ViewerRequest) => Answer | Promise<Answer>) =>
  ({ open }) as unknown as Viewing;

type Asking = {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly agent?: Agent;
};

async function answerOf(url: string, { method = 'GET', headers, agent }: Asking = {}) {
  const asked = ask(url, { method, headers: headers ?? {}, agent: agent ?? false });
  asked.end();
  const [answer]: IncomingMessage[] = await once(asked, 'response');
  const body = answer && (await text(answer));
  const { date: _, connection: __, 'keep-alive': ___, ...rest } = answer?.headers ?? {};
  return { status: answer?.statusCode, headers: rest, body };
}

/** An agent with viewers whose answers may be repeated; the host names of `urls` are its own. */
async function startRig() {
  const rig = await startGroup(1, () => ({ hasWorkers: true, stream: { canonical: false } }));
  const { agent } = rig.node(0);
  const { repeats, viewing } = agent;
  if (repeats === undefined) throw new Error('there are no workers');
  const now = () => rig.clock.now();
  // The clock of the apps stands still: the agent's own is to be asked.
  const open = (request: ViewerRequest) => viewing.open({ ...request, now: now() });
  const worker = await startWorker(answering(open), repeats.seq);
  repeats.onWord((said) => worker.repertoire.hear(said, 0, 0));
  const entry = await answerOf(`${worker.url}/ch1/index.m3u8`);
  const playlist = `/ch1/${urisOf(entry.body ?? '')[0]}`;
  const media = await answerOf(`${worker.url}${playlist}`);
  const uri = urisOf(media.body ?? '').at(-1) ?? '';
  const segment = new URL(uri, `http://x${playlist}`).pathname;
  return { rig, agent, repeats, playlist, segment, ...worker };
}

const repeated = ({ repertoire }: { repertoire: Repertoire }) =>
  repertoire.report(0).answered.reduce((sum, [, , count]) => sum + count, 0);

describe('a worker', () => {
  it('answers as the main process would without workers, header for header, passed on or repeated', async () => {
    const node = await startRig();
    const { url, aloneUrl, playlist, segment } = node;
    // The first ones have the segment read into memory, here and there.
    for (const base of [url, aloneUrl, url]) await answerOf(`${base}${segment}`);
    node.repertoire.report(0);
    const asked: readonly (readonly [string, Asking])[] = [
      [playlist, {}],
      [segment, {}],
      [segment, { headers: { range: 'bytes=3-9' } }],
      [segment, { headers: { range: 'bytes=99999999-' } }],
      [playlist, { method: 'HEAD' }],
      [segment, { method: 'HEAD' }],
      [playlist, { method: 'OPTIONS' }],
      [playlist, { method: 'POST' }],
      [`${playlist}x`, {}],
      ['/nothing/index.m3u8', {}],
      [`/${'x'.repeat(13_000)}`, {}],
    ];
    for (const [path, asking] of asked) {
      const { headers, ...byWorker } = await answerOf(`${url}${path}`, asking);
      const alone = await answerOf(`${aloneUrl}${path}`, asking);
      const { 'x-understudy-repeat': _, ...expected } = alone.headers;
      expect({ path, asking, ...byWorker }).toEqual({
        ...{ path, asking, status: alone.status, body: alone.body },
      });
      if (byWorker.status !== 416) expect(headers).toEqual(expected);
    }
    expect(repeated(node)).toBe(4);
  });

  it('repeats nothing once its session has ended: the main process refuses it', async () => {
    const node = await startRig();
    const { url, playlist, agent } = node;
    expect((await answerOf(`${url}${playlist}`)).status).toBe(200);
    expect(repeated(node)).toBe(1);
    const [session] = agent.sessions.list({ offset: 0, limit: 1 }).sessions;
    agent.notes.end({ id: session?.id ?? '', untilS: 4_000_000_000 });
    node.repeats.tick(node.rig.clock.now());
    const refused = await answerOf(`${url}${playlist}`);
    expect([refused.status, refused.headers['x-understudy-reason']]).toEqual([
      403,
      'session-ended',
    ]);
    expect(repeated(node)).toBe(0);
  });

  it('counts segments for the session whose playlists went over the same connection', async () => {
    const { url, playlist, segment, repertoire, agent } = await startRig();
    const own = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => own.destroy());
    await answerOf(`${url}${playlist}`, { agent: own });
    repertoire.report(0);
    const { body } = await answerOf(`${url}${segment}`, { agent: own });
    await answerOf(`${url}${segment}`);
    const [session] = agent.sessions.list({ offset: 0, limit: 1 }).sessions;
    expect(repertoire.report(0).sent).toEqual([[session?.id, body?.length]]);
  });

  it('says who the viewer is, whatever the viewer says', async () => {
    const seen: ViewerRequest[] = [];
    const viewing = answering(async (request) => {
      seen.push(request);
      return { kind: 'refusal', status: 404, reason: 'unknown-stream' };
    });
    const { url } = await startWorker(viewing);
    const headers = {
      host: 'Tv.example.net:8080',
      'user-agent': 'VLC/3.0.24',
      'x-understudy-address': '203.0.113.9',
      'x-understudy-encrypted': '1',
      authorization: 'Bearer abc',
      range: 'bytes=0-1',
    };
    await answerOf(`${url}/ch1/x.ts?a=1&b=%20`, { headers });
    expect(seen[0]).toMatchObject({
      viewer: { address: host, isHttps: false, family: 'vlc' },
      ...{ host: 'tv.example.net:8080', path: 'ch1/x.ts', query: 'a=1&b=%20', bearer: 'abc' },
      ...{ range: 'bytes=0-1', connection: undefined },
    });
  });

  it('asks about playlists whose address is in order, and passes everything else on', async () => {
    const { url, asked } = await startWorker(
      answering(() => ({ kind: 'refusal', status: 404, reason: 'unknown-stream' })),
    );
    const paths = ['/x/index.m3u8?pass=a', '/x/manifest.mpd', '/x/1.ts', '/x/../x/index.m3u8'];
    for (const path of paths) expect((await answerOf(`${url}${path}`)).status).toBe(404);
    await answerOf(`${url}/x/index.m3u8`, { method: 'HEAD' });
    await answerOf(`${url}/x/index.m3u8`, { headers: { host: 'Tv.example.net' } });
    expect(asked).toEqual(['/x/index.m3u8?pass=a', '/x/manifest.mpd', '/x/index.m3u8']);
  });

  it('gives each of many viewers who ask at once its own answer, however late that is', async () => {
    const viewing = answering(async ({ path }) => {
      for (let turns = path.length % 7; turns > 0; turns -= 1)
        await new Promise((resolve) => setImmediate(resolve));
      return {
        kind: 'playlist',
        body: `é ${path}`,
        contentType: 'text/plain',
        reason: 'own-viewer',
      };
    });
    const { url } = await startWorker(viewing);
    const paths = Array.from({ length: 50 }, (_, at) => `${'x'.repeat(at + 1)}/index.m3u8`);
    const answers = await Promise.all(paths.map((path) => answerOf(`${url}/${path}`)));
    expect(answers.map(({ body }) => body)).toEqual(paths.map((path) => `é ${path}`));
  });

  it('passes on what is called like a playlist and is a file', async () => {
    const opened: string[] = [];
    let closed = 0;
    const viewing = answering(({ path }) => {
      opened.push(path);
      const body = (async function* () {
        yield Buffer.from('a file');
      })();
      const file = { kind: 'stream', status: 200, headers: {}, body } as const;
      return { kind: 'file', file: { ...file, close: () => (closed += 1) }, immutable: false };
    });
    const { url } = await startWorker(viewing);
    expect((await answerOf(`${url}/ch1/notes.m3u8`)).body).toBe('a file');
    expect(opened).toEqual(['ch1/notes.m3u8', 'ch1/notes.m3u8']);
    expect(closed).toBe(1);
  });

  it.each([
    ['later', () => Promise.reject(new Error('broken'))],
    [
      'at once',
      () => {
        throw new Error('broken');
      },
    ],
  ])('answers 404 where the main process fails %s', async (_, open) => {
    const { url, log } = await startWorker(answering(open));
    const { status, headers } = await answerOf(`${url}/ch1/index.m3u8?pass=secret`);
    expect([status, headers['x-understudy-reason']]).toEqual([404, 'internal-error']);
    expect(log.lines.map(({ fields }) => Object(fields).path)).toEqual(['/ch1/index.m3u8']);
  });

  it('hangs up where the main process does', async () => {
    const { url, log } = await startWorker(answering(async () => ({ kind: 'cut' })));
    await expect(answerOf(`${url}/ch1/index.m3u8`)).rejects.toThrow('hang up');
    expect(log.lines).toEqual([]);
  });

  it('has the origin let go when the viewer hangs up', async () => {
    let isClosed = false;
    const body = async function* () {
      for (;;) {
        yield new Uint8Array(65_536);
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    const close = () => {
      isClosed = true;
    };
    const viewing = answering(async () => ({
      kind: 'file',
      file: { kind: 'stream', status: 200, headers: {}, body: body(), close },
      immutable: true,
    }));
    const { url } = await startWorker(viewing);
    const asked = get(`${url}/ch1/1.ts`, { agent: false });
    const [answer]: IncomingMessage[] = await once(asked, 'response');
    await once(answer ?? asked, 'readable');
    asked.on('error', () => undefined);
    asked.destroy();
    await vi.waitFor(() => expect(isClosed).toBe(true), 10_000);
  });
});
