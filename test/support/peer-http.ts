import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createPeerServer } from '../../src/adapters/registry/peer-server.ts';
import type { AnswerPeers } from '../../src/agent/peer-ports.ts';
import type { Clock } from '../../src/agent/ports.ts';
import type { PeerAnswer, PeerQuestion } from '../../src/core/group/exchange.ts';
import { createFakeLog, type LoggedLine } from './fake-log.ts';
import { createVirtualClock } from './virtual-clock.ts';

export const clusterSecret = 'the cluster secret of all tests, long enough';

/** A message as it is on the wire, without what depends on the connection. */
export type Message = {
  readonly status?: number | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
};

/** Listens on a free port of 127.0.0.1; the answer is the base URL. */
export async function listenLocally(server: Server, port = 0): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Ends a server as a killed process would: all connections gone, no more accepted. */
export function kill(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  return closed;
}

export function aQuestion(question: Partial<PeerQuestion> = {}): PeerQuestion {
  const first = { protocol: 1, from: 'node-a', boot: 'boot-a', seq: 1, to: 'boot-b' };
  return { ...first, since: 0, wantKeys: false, ...question };
}

export function anAnswer(answer: Partial<PeerAnswer> = {}): PeerAnswer {
  return {
    kind: 'answer',
    protocol: 1,
    boot: 'boot-b',
    at: 1_800_000_000_000,
    version: 1,
    full: true,
    more: false,
    streams: [],
    removed: [],
    ...answer,
  };
}

/** Answers only what a test is about. */
export function answersOf(ask: AnswerPeers['ask']): AnswerPeers {
  return {
    ask,
    compare: () => ({ kind: 'compared', protocol: 1, boot: '', streams: [] }),
    segment: () => undefined,
  };
}

/** A peer server of the tests' domain that is listening, with its log. */
export async function aPeerServer(
  options: { answer?: AnswerPeers['ask']; secret?: string; clock?: Clock } = {},
): Promise<{ server: Server; url: string; log: readonly LoggedLine[] }> {
  const log = createFakeLog();
  const server = createPeerServer({
    answer: answersOf(options.answer ?? (async () => anAnswer())),
    clusterSecret: options.secret ?? clusterSecret,
    clock: options.clock ?? createVirtualClock(),
    log,
  });
  return { server, url: await listenLocally(server), log: log.lines };
}

/** Somebody between asker and peer who may change what passes. */
export async function anInterceptor(
  target: () => string,
  change: { question?: (message: Message) => Message; answer?: (message: Message) => Message },
): Promise<{ server: Server; url: string }> {
  const server = createServer((incoming, outgoing) => {
    const pass = async () => {
      const question = { headers: incoming.headers, body: await bodyOf(incoming) };
      const answer = await post(target() + incoming.url, change.question?.(question) ?? question);
      const { status, headers, body } = change.answer?.(answer) ?? answer;
      outgoing.writeHead(status ?? 500, { ...headers, 'content-length': body.length });
      outgoing.end(body);
    };
    pass().catch(() => incoming.socket.destroy());
  });
  return { server, url: await listenLocally(server) };
}

/** Sends a message as it is. */
export function post(url: string, { headers, body }: Message): Promise<Required<Message>> {
  return new Promise((resolve, reject) => {
    const { connection: _, ...kept } = headers;
    const sent = request(url, {
      method: 'POST',
      agent: false,
      headers: { ...kept, 'content-length': body.length },
    });
    sent.once('error', reject);
    sent.once('response', (response) => {
      bodyOf(response).then(
        (received) =>
          resolve({ status: response.statusCode, headers: response.headers, body: received }),
        reject,
      );
    });
    sent.end(body);
  });
}

async function bodyOf(message: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of message as AsyncIterable<Buffer>) parts.push(part);
  return Buffer.concat(parts);
}
