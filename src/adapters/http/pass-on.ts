import {
  Agent,
  request as ask,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import { pipeline } from 'node:stream';
import type { HttpBindings } from '@hono/node-server';
import type { Repeat } from '../../agent/worker-ports.ts';
import { passedOnHeaders, readRepeat, repeatHeader } from './hop.ts';

/** Requests of one worker that wait for the main process at once; further ones get 404. */
const underWayMax = 10_000;

/** Of one connection, and never said to the next. */
const ofConnection = new Set(['connection', 'keep-alive', 'transfer-encoding', repeatHeader]);

type Headers = Record<string, string | string[]>;

/** A viewer's request and the way to answer it, HTTP/1.1 or 2. */
export type Exchange = {
  readonly incoming: IncomingMessage | Http2ServerRequest;
  readonly outgoing: HttpBindings['outgoing'] | Http2ServerResponse;
  /** Host as the viewer named it. */
  readonly host: string;
};

/** Told of an answer before it goes to the viewer; `bytes` are there when the main process says that it may be repeated. */
export type OnAnswer = (answer: {
  readonly status: number;
  readonly headers: Headers;
  readonly repeat: Repeat | undefined;
  readonly bytes?: Uint8Array | undefined;
}) => void;

/**
 * Passes viewers' requests on to the main process at `socketPath`, and its answers back: with backpressure, and when one side hangs
 * up, so does the other.
 */
export function createPassOn(socketPath: string) {
  const agent = new Agent({ keepAlive: true });
  let underWay = 0;
  const passOn = (exchange: Exchange, onAnswer: OnAnswer): void => {
    const { incoming, outgoing } = exchange;
    if (underWay >= underWayMax) {
      outgoing.writeHead(404).end();
      return;
    }
    const asked = open(agent, socketPath, exchange);
    incoming.resume();
    if (asked === undefined) {
      outgoing.writeHead(400).end();
      return;
    }
    underWay += 1;
    outgoing.once('close', () => {
      underWay -= 1;
      asked.destroy();
    });
    // A drill, or the end of the main process: nothing is answered.
    asked.on('error', () => outgoing.destroy());
    asked.once('response', (answer) => void relay(answer, outgoing, onAnswer));
    asked.end();
  };
  return { passOn, close: () => agent.destroy() };
}

/** Undefined for what cannot be said in HTTP/1.1. */
function open(
  agent: Agent,
  socketPath: string,
  { incoming, host }: Exchange,
): ClientRequest | undefined {
  const { socket } = incoming;
  const viewer = { host, address: socket.remoteAddress, isEncrypted: 'encrypted' in socket };
  try {
    return ask({
      ...{ agent, socketPath, method: incoming.method, path: incoming.url },
      headers: passedOnHeaders(incoming.headers, viewer),
    });
  } catch {
    return undefined;
  }
}

async function relay(
  answer: IncomingMessage,
  outgoing: Exchange['outgoing'],
  onAnswer: OnAnswer,
): Promise<void> {
  const { statusCode: status = 500 } = answer;
  const said = answer.headers[repeatHeader];
  const repeat = typeof said === 'string' ? readRepeat(said) : undefined;
  const headers = endToEnd(answer.headers);
  if (repeat?.what === undefined) {
    onAnswer({ status, headers, repeat });
    outgoing.writeHead(status, headers);
    pipeline(answer, outgoing, () => undefined);
    return;
  }
  const bytes = await whole(answer);
  if (bytes === undefined) outgoing.destroy();
  if (bytes === undefined || outgoing.destroyed) return;
  onAnswer({ status, headers, repeat, bytes });
  outgoing.writeHead(status, headers);
  outgoing.end(bytes);
}

function endToEnd(headers: IncomingHttpHeaders): Headers {
  const kept: Headers = {};
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined && !ofConnection.has(name)) kept[name] = value;
  return kept;
}

/** Undefined when it broke off. It was in memory at the main process, so that it is no larger than a segment there. */
async function whole(answer: IncomingMessage): Promise<Uint8Array | undefined> {
  const parts: Uint8Array[] = [];
  try {
    for await (const part of answer) parts.push(part);
    return Buffer.concat(parts);
  } catch {
    return undefined;
  }
}
