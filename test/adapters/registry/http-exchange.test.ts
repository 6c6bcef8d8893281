import { createServer, type Server } from 'node:http';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { createHttpPeerLink } from '../../../src/adapters/registry/http-peer-link.ts';
import { createSeals, sealHeader } from '../../../src/adapters/registry/seal.ts';
import { encodeQuestion, exchangePath } from '../../../src/adapters/registry/wire.ts';
import type { PeerLink } from '../../../src/agent/peer-ports.ts';
import { aNode, aStreamFacts } from '../../support/builders.ts';
import {
  anAnswer,
  anInterceptor,
  aPeerServer,
  aQuestion,
  clusterSecret,
  kill,
  listenLocally,
  type Message,
  post,
} from '../../support/peer-http.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

const deadlineMs = 5_000;
const differ = 'authentication failed: cluster secrets differ?';
const open: { servers: Server[]; links: PeerLink[] } = { servers: [], links: [] };

afterEach(async () => {
  for (const link of open.links.splice(0)) link.close();
  await Promise.all(open.servers.splice(0).map(kill));
});

async function peerServer(options: Parameters<typeof aPeerServer>[0] = {}) {
  const peer = await aPeerServer(options);
  open.servers.push(peer.server);
  return peer;
}

async function interceptor(...args: Parameters<typeof anInterceptor>) {
  const { server, url } = await anInterceptor(...args);
  open.servers.push(server);
  return url;
}

async function serve(server: Server): Promise<string> {
  open.servers.push(server);
  return await listenLocally(server);
}

function peerLink(secret = clusterSecret): PeerLink {
  const link = createHttpPeerLink({ clusterSecret: secret });
  open.links.push(link);
  return link;
}

/** A sealed question as it would be sent. */
function sealed(body = encodeQuestion({ question: aQuestion(), nonce: 'A'.repeat(22) })): Message {
  return { headers: { [sealHeader]: createSeals(clusterSecret).sealQuestion(body) }, body };
}

function flipped({ body, ...message }: Message, at: number): Message {
  const changed = Buffer.from(body);
  changed[at] = (changed[at] ?? 0) ^ (1 << (at % 8));
  return { ...message, body: changed };
}

describe('an exchange over http', () => {
  it('brings question and answer across', async () => {
    const asked: unknown[] = [];
    const answer = anAnswer({ facts: aNode({ id: 'node-b' }), streams: [aStreamFacts()] });
    const clock = createVirtualClock();
    const { url } = await peerServer({
      clock,
      answer: async (question, now) => {
        asked.push(question, now);
        return answer;
      },
    });
    expect(await peerLink().ask(url, aQuestion(), deadlineMs)).toEqual(answer);
    expect(asked).toEqual([aQuestion(), clock.now()]);
  });

  it('brings an authentic refusal across', async () => {
    const refusal = {
      kind: 'refusal',
      reason: 'boot',
      protocol: 1,
      id: 'b',
      boot: 'x',
      version: '1',
    } as const;
    const { url } = await peerServer({ answer: async () => refusal });
    expect(await peerLink().ask(`${url}/`, aQuestion(), deadlineMs)).toEqual(refusal);
  });

  it('packs long answers', async () => {
    const streams = Array.from({ length: 500 }, (_, index) => aStreamFacts({ name: `s${index}` }));
    const { url } = await peerServer({ answer: async () => anAnswer({ streams }) });
    let length = 0;
    const between = await interceptor(() => url, {
      answer: (message) => {
        length = message.body.length;
        return message;
      },
    });
    expect(await peerLink().ask(between, aQuestion(), deadlineMs)).toEqual(anAnswer({ streams }));
    expect(length).toBeGreaterThan(0);
    expect(length).toBeLessThan(JSON.stringify(streams).length / 10);
  });

  it('keeps its connection, and makes a new one when the peer was restarted', async () => {
    let connections = 0;
    const first = await peerServer();
    first.server.on('connection', () => {
      connections += 1;
    });
    const link = peerLink();
    for (let seq = 1; seq <= 5; seq += 1) await link.ask(first.url, aQuestion({ seq }), deadlineMs);
    expect(connections).toBe(1);
    await kill(first.server);
    expect(await link.ask(first.url, aQuestion(), deadlineMs)).toMatchObject({
      cause: 'unanswered',
    });
    expect(await link.ask(first.url, aQuestion(), deadlineMs)).toMatchObject({
      text: 'refuses connections',
    });
    await listenLocally(first.server, Number(new URL(first.url).port));
    expect((await link.ask(first.url, aQuestion(), deadlineMs)).kind).toBe('answer');
  });
});

describe('what is not authentic', () => {
  it('every altered byte of a question is refused without a word, and counted once', async () => {
    let asked = 0;
    const { url, log } = await peerServer({
      clock: { now: () => ({ wallMs: 0, monoMs: performance.now() * 1_000 }) },
      answer: async () => {
        asked += 1;
        return anAnswer();
      },
    });
    const question = sealed();
    for (let at = 0; at < question.body.length; at += 1) {
      const { status, headers, body } = await post(url + exchangePath, flipped(question, at));
      expect([status, headers[sealHeader], body.length]).toEqual([401, undefined, 0]);
    }
    expect(asked).toBe(0);
    expect(log.length).toBeGreaterThan(0);
    expect(log.length).toBeLessThan(question.body.length);
    expect((await post(url + exchangePath, question)).status).toBe(200);
  });

  it.each([
    ['plain', anAnswer({ facts: aNode({ id: 'node-b' }) })],
    ['packed', anAnswer({ removed: Array.from({ length: 300 }, (_, index) => `stream-${index}`) })],
  ])('every altered byte of a %s answer is refused', async (_, answer) => {
    const clock = { now: () => ({ wallMs: 0, monoMs: performance.now() * 1_000 }) };
    const { url } = await peerServer({ clock, answer: async () => answer });
    let at = 0;
    let length = 1;
    const between = await interceptor(() => url, {
      answer: (message) => {
        length = message.body.length;
        return flipped(message, at);
      },
    });
    const link = peerLink();
    for (; at < length; at += 1) {
      const reply = await link.ask(between, aQuestion(), deadlineMs);
      expect(reply).toEqual({ kind: 'fault', cause: 'unauthenticated', text: differ });
    }
    expect(at).toBeGreaterThan(100);
  });

  it('the answer to another question is refused', async () => {
    const { url } = await peerServer();
    let recorded: Message | undefined;
    const between = await interceptor(() => url, {
      answer: (message) => {
        recorded ??= message;
        return recorded;
      },
    });
    const link = peerLink();
    expect((await link.ask(between, aQuestion(), deadlineMs)).kind).toBe('answer');
    expect(await link.ask(between, aQuestion(), deadlineMs)).toMatchObject({
      cause: 'unauthenticated',
    });
  });

  it('a node of another domain is refused on both sides and named as such, told once', async () => {
    let asked = 0;
    const { url, log } = await peerServer({
      secret: 'the cluster secret of some other domain',
      answer: async () => {
        asked += 1;
        return anAnswer();
      },
    });
    const link = peerLink();
    for (let seq = 1; seq <= 10; seq += 1) {
      const reply = await link.ask(url, aQuestion({ seq }), deadlineMs);
      expect(reply).toEqual({ kind: 'fault', cause: 'unauthenticated', text: differ });
    }
    expect(asked).toBe(0);
    expect(log).toEqual([
      {
        level: 'warn',
        event: 'peer question not authentic',
        fields: { address: '127.0.0.1', count: 1 },
      },
    ]);
  });

  it('a question of 4 KiB is read, a longer one is not', async () => {
    const { url } = await peerServer();
    const { body } = sealed();
    const padded = (length: number) =>
      Buffer.concat([body, Buffer.alloc(length - body.length, ' ')]);
    expect((await post(url + exchangePath, sealed(padded(4_096)))).status).toBe(200);
    expect((await post(url + exchangePath, sealed(padded(4_097)))).status).toBe(401);
  });

  it('an authentic question that cannot be read is refused the same way', async () => {
    const { url } = await peerServer();
    const { status, body } = await post(url + exchangePath, sealed(Buffer.from('{}')));
    expect([status, body.length]).toEqual([401, 0]);
  });
});

describe('a peer listener', () => {
  it.each([
    ['GET', exchangePath],
    ['POST', '/'],
    ['POST', `${exchangePath}/more`],
  ])('knows nothing of %s %s', async (method, path) => {
    const { url } = await peerServer();
    const { status } = await fetch(url + path, { method });
    expect(status).toBe(404);
  });

  it('answers 500 questions a second from one address, and then no more until the next', async () => {
    const clock = createVirtualClock({ monoMs: 10_000 });
    const { url } = await peerServer({ clock });
    const link = peerLink();
    for (let seq = 1; seq <= 500; seq += 1) {
      expect((await link.ask(url, aQuestion({ seq }), deadlineMs)).kind).toBe('answer');
    }
    expect(await link.ask(url, aQuestion(), deadlineMs)).toMatchObject({
      text: 'answers with HTTP status 429',
    });
    clock.advance(1_000);
    expect((await link.ask(url, aQuestion(), deadlineMs)).kind).toBe('answer');
  });

  it('survives askers that go away in the middle, and a failing answer', async () => {
    const { url, log } = await peerServer({ answer: () => Promise.reject(new Error('bug')) });
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    await new Promise<void>((resolve) =>
      socket.write(`POST ${exchangePath} HTTP/1.1\r\nhost: b\r\ncontent-length: 100\r\n\r\n{`, () =>
        resolve(),
      ),
    );
    socket.destroy();
    const reply = await peerLink().ask(url, aQuestion(), deadlineMs);
    expect(reply).toMatchObject({ text: 'answers with HTTP status 500' });
    expect(log.some(({ event }) => event === 'peer question failed')).toBe(true);
  });
});

describe('a peer that does not answer as it should', () => {
  it('and hangs is given up at the deadline', async () => {
    const url = await serve(createServer(() => {}));
    expect(await peerLink().ask(url, aQuestion(), 50)).toEqual({
      kind: 'fault',
      cause: 'unanswered',
      text: 'no answer within 50 ms',
    });
  });

  it('and stops in the middle of its answer is given up at the deadline', async () => {
    const url = await serve(
      createServer((_, response) => {
        response.writeHead(200, { 'content-length': 100 });
        response.write('{');
      }),
    );
    expect(await peerLink().ask(url, aQuestion(), 200)).toMatchObject({ cause: 'unanswered' });
  });

  it('and closes the connection is not waited for', async () => {
    const url = await serve(createServer((request) => request.socket.destroy()));
    expect(await peerLink().ask(url, aQuestion(), deadlineMs)).toMatchObject({
      text: 'the connection failed (ECONNRESET)',
    });
  });

  it('and cannot be found is named so', async () => {
    const reply = await peerLink().ask('http://no-such-node.invalid:1', aQuestion(), deadlineMs);
    expect(reply).toMatchObject({ text: 'the host name cannot be resolved' });
  });

  it('and redirects is not followed', async () => {
    let asked = 0;
    const elsewhere = await serve(
      createServer((_, response) => {
        asked += 1;
        response.end();
      }),
    );
    const url = await serve(
      createServer((_, response) => {
        response.writeHead(307, { location: elsewhere }).end();
      }),
    );
    expect(await peerLink().ask(url, aQuestion(), deadlineMs)).toMatchObject({
      text: 'answers with HTTP status 307',
    });
    expect(asked).toBe(0);
  });

  it('and sends more than 4 MiB is cut off', async () => {
    const url = await serve(
      createServer((_, response) => {
        response.end(Buffer.alloc(4 * 1024 * 1024 + 1));
      }),
    );
    expect(await peerLink().ask(url, aQuestion(), deadlineMs)).toMatchObject({
      cause: 'unanswered',
    });
  });

  it('and packs more than 16 MiB into an authentic answer is not read', async () => {
    const bomb = gzipSync(Buffer.alloc(17 * 1024 * 1024, ' '));
    const seals = createSeals(clusterSecret);
    const url = await serve(
      createServer((request, response) => {
        request.on('data', (body: Buffer) => {
          const { nonce } = JSON.parse(body.toString());
          response.setHeader('content-encoding', 'gzip');
          response.setHeader(sealHeader, seals.sealAnswer(bomb, nonce)).end(bomb);
        });
      }),
    );
    expect(await peerLink().ask(url, aQuestion(), deadlineMs)).toMatchObject({
      cause: 'unreadable',
    });
  });
});
