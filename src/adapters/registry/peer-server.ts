import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import type { AnswerPeers } from '../../agent/peer-ports.ts';
import type { Clock, Log } from '../../agent/ports.ts';
import { countRepeat, noRepeats } from '../../core/repeats.ts';
import type { Now } from '../../core/time.ts';
import {
  compareBytesMax,
  comparePath,
  decodeCompare,
  decodeSegmentName,
  segmentPath,
} from './compare-wire.ts';
import { createSeals, type Seals, sealHeader } from './seal.ts';
import { decodeQuestion, encodeReply, exchangePath, questionBytesMax } from './wire.ts';

/** Longer than peers keep idle connections. */
const idleMsMax = 6_000;

/** A question must be here completely within this time. */
const questionMsMax = 3_000;

const connectionsMax = 1_024;

/** Questions a second from one address: a peer asks about its streams whenever one of them has a new segment. */
const questionsPerAddressMax = 500;

/** Addresses counted apart; further ones of the same second share one count. */
const addressesMax = 1_024;

/** Answers above this size are packed, bytes: smaller ones fit one packet anyway. */
const packAboveBytes = 1_400;

const pack = promisify(gzip);

type Deps = {
  readonly answer: AnswerPeers;
  readonly clusterSecret: string;
  readonly clock: Clock;
  readonly log: Log;
};

/** The listener for other nodes, not listening yet. Whatever is not authentic gets 401 and not a word. */
export function createPeerServer(deps: Deps): Server {
  const seals = createSeals(deps.clusterSecret);
  const isTooMany = createLimit(deps.clock);
  const noteForged = createForgedLog(deps);
  const server = createServer(
    {
      maxHeaderSize: 4 * 1024,
      headersTimeout: questionMsMax,
      requestTimeout: questionMsMax,
      connectionsCheckingInterval: 1_000,
      keepAliveTimeout: idleMsMax,
      noDelay: true,
    },
    (request, response) => {
      const way = request.method === 'POST' ? ways.get(request.url ?? '') : undefined;
      if (way === undefined) return end(response, 404);
      if (isTooMany(request.socket.remoteAddress ?? '')) return end(response, 429);
      answerRequest({ deps, seals, noteForged, way, request, response }).catch((error: unknown) => {
        deps.log.error('peer question failed', { cause: error });
        end(response, 500);
      });
    },
  );
  server.maxConnections = connectionsMax;
  return server;
}

/** One kind of question: how large it may be, and what it is answered with. */
type Way = {
  readonly bytesMax: number;
  /** Undefined for a body that cannot be read. */
  answer(body: Buffer, answer: AnswerPeers, now: Now): Promise<Answered> | Answered;
};
type Answered =
  | { readonly nonce: string; readonly body: Uint8Array; readonly status: number }
  | undefined;

const ways: ReadonlyMap<string, Way> = new Map<string, Way>([
  [
    exchangePath,
    {
      bytesMax: questionBytesMax,
      async answer(body, answer, now) {
        const sent = decodeQuestion(body);
        return sent && reply(sent.nonce, await answer.ask(sent.question, now));
      },
    },
  ],
  [
    comparePath,
    {
      bytesMax: compareBytesMax,
      answer(body, answer, now) {
        const sent = decodeCompare(body);
        return sent && reply(sent.nonce, answer.compare(sent.question, now));
      },
    },
  ],
  [
    segmentPath,
    {
      bytesMax: questionBytesMax,
      answer(body, answer) {
        const sent = decodeSegmentName(body);
        const segment = sent && answer.segment(sent.question);
        return sent && { nonce: sent.nonce, body: segment ?? new Uint8Array(0), status: 200 };
      },
    },
  ],
]);

function reply(nonce: string, message: Parameters<typeof encodeReply>[0]): Answered {
  const body = encodeReply(message);
  return { nonce, body, status: message.kind === 'refusal' ? 401 : 200 };
}

async function answerRequest(exchange: {
  deps: Deps;
  seals: Seals;
  noteForged: (request: IncomingMessage) => void;
  way: Way;
  request: IncomingMessage;
  response: ServerResponse;
}): Promise<void> {
  const { deps, seals, way, request, response } = exchange;
  const body = await readQuestion(request, way.bytesMax);
  const now = deps.clock.now();
  const seal = request.headers[sealHeader];
  const isAuthentic = body && seals.isQuestion(body, typeof seal === 'string' ? seal : undefined);
  const answered = isAuthentic ? await way.answer(body, deps.answer, now) : undefined;
  if (answered === undefined) {
    exchange.noteForged(request);
    return end(response, 401);
  }
  await send(response, seals, answered, request.url !== segmentPath);
}

/** The body, or nothing when it is too long or breaks off. */
function readQuestion(request: IncomingMessage, bytesMax: number): Promise<Buffer | undefined> {
  const parts: Buffer[] = [];
  let length = 0;
  return new Promise((resolve) => {
    request.on('data', (part: Buffer) => {
      length += part.length;
      if (length > bytesMax) resolve(undefined);
      else parts.push(part);
    });
    request.once('end', () => resolve(Buffer.concat(parts)));
    request.once('close', () => resolve(undefined));
    request.once('error', () => resolve(undefined));
  });
}

/** Media do not get smaller by packing. */
async function send(
  response: ServerResponse,
  seals: Seals,
  { nonce, body: whole, status }: NonNullable<Answered>,
  mayPack: boolean,
): Promise<void> {
  const isPacked = mayPack && whole.length > packAboveBytes;
  const body = isPacked ? await pack(whole, { level: constants.Z_BEST_SPEED }) : whole;
  response.statusCode = status;
  response.setHeader(sealHeader, seals.sealAnswer(body, nonce));
  if (isPacked) response.setHeader('content-encoding', 'gzip');
  finish(response, body);
}

/** Ends without a body; the connection is not kept. */
function end(response: ServerResponse, status: number): void {
  if (response.headersSent) return;
  response.statusCode = status;
  response.shouldKeepAlive = false;
  finish(response, Buffer.alloc(0));
}

function finish(response: ServerResponse, body: Uint8Array): void {
  response.sendDate = false;
  response.setHeader('content-length', body.length);
  response.end(body);
}

/** Whether an address asks more often than any peer does, in counts of one second. */
function createLimit(clock: Clock): (address: string) => boolean {
  let second = 0;
  const counts = new Map<string, number>();
  return (address) => {
    const current = Math.floor(clock.now().monoMs / 1_000);
    if (current !== second) counts.clear();
    second = current;
    const key = counts.has(address) || counts.size < addressesMax ? address : 'others';
    const asked = (counts.get(key) ?? 0) + 1;
    counts.set(key, asked);
    return asked > questionsPerAddressMax;
  };
}

function createForgedLog({ clock, log }: Deps): (request: IncomingMessage) => void {
  let forged = noRepeats;
  return (request) => {
    const { repeats, tell } = countRepeat(forged, clock.now().monoMs);
    forged = repeats;
    const address = request.socket.remoteAddress;
    if (tell) log.warn('peer question not authentic', { address, count: tell });
  };
}
