import { randomBytes } from 'node:crypto';
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest, type RequestOptions } from 'node:https';
import { urlToHttpOptions } from 'node:url';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { PeerFault, PeerLink } from '../../agent/peer-ports.ts';
import {
  comparePath,
  decodeCompared,
  encodeWithNonce,
  segmentBytesMax,
  segmentPath,
} from './compare-wire.ts';
import { createSeals, type Seals, sealHeader } from './seal.ts';
import {
  answerBytesMax,
  answerTextBytesMax,
  decodeReply,
  encodeQuestion,
  exchangePath,
} from './wire.ts';

/** Idle connections are given up before the peer does that, so that no question runs into a closing one. */
const idleMsMax = 4_000;

/** Connections to one peer: as many as questions can be under way. */
const socketsMax = 16;

const unpack = promisify(gunzip);

type Received = {
  readonly status: number;
  readonly seal: string | undefined;
  readonly isPacked: boolean;
  readonly body: Buffer;
};

/** Asks peers over HTTP, on kept connections. Redirects are not followed: only configured URLs are ever asked. */
export function createHttpPeerLink(deps: { readonly clusterSecret: string }): PeerLink {
  const seals = createSeals(deps.clusterSecret);
  const options = { keepAlive: true, maxSockets: socketsMax, timeout: idleMsMax };
  const agents = { http: new HttpAgent(options), https: new HttpsAgent(options) };
  /** By address and path; only configured addresses are asked. */
  const targets = new Map<string, RequestOptions>();
  const targetOf = (url: string, path: string): RequestOptions => {
    const address = url.replace(/\/$/, '') + path;
    const target = targets.get(address) ?? urlToHttpOptions(new URL(address));
    targets.set(address, target);
    return target;
  };

  /** Asks with a sealed body; the answer's body once its seal is right. */
  const exchange = async (
    url: string,
    path: string,
    sent: { encode: (nonce: string) => Buffer; deadlineMs: number; bytesMax: number },
  ): Promise<Buffer | PeerFault> => {
    const nonce = randomBytes(16).toString('base64url');
    const body = sent.encode(nonce);
    try {
      const target = targetOf(url, path);
      const seal = seals.sealQuestion(body);
      return await unseal(seals, nonce, await post(agents, { ...sent, target, body, seal }));
    } catch (error) {
      return { kind: 'fault', cause: 'unanswered', text: faultText(error, sent.deadlineMs) };
    }
  };
  const bytesMax = answerBytesMax;

  return {
    async ask(url, question, deadlineMs) {
      const encode = (nonce: string) => encodeQuestion({ question, nonce });
      const body = await exchange(url, exchangePath, { encode, deadlineMs, bytesMax });
      return 'kind' in body ? body : (decodeReply(body) ?? unreadable);
    },
    async compare(url, question, deadlineMs) {
      const encode = (nonce: string) => encodeWithNonce(question, nonce);
      const body = await exchange(url, comparePath, { encode, deadlineMs, bytesMax });
      return 'kind' in body ? body : (decodeCompared(body) ?? unreadable);
    },
    async segment(url, name, deadlineMs) {
      const encode = (nonce: string) => encodeWithNonce(name, nonce);
      const sent = { encode, deadlineMs, bytesMax: segmentBytesMax };
      const body = await exchange(url, segmentPath, sent);
      return 'kind' in body || body.length > 0 ? body : unreadable;
    },
    close() {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

function post(
  agents: { readonly http: HttpAgent; readonly https: HttpsAgent },
  sent: {
    target: RequestOptions;
    body: Buffer;
    seal: string;
    deadlineMs: number;
    bytesMax: number;
  },
): Promise<Received> {
  return new Promise((resolve, reject) => {
    const { target, body, seal, deadlineMs, bytesMax } = sent;
    const headers = { [sealHeader]: seal, 'content-length': body.length };
    const request =
      target.protocol === 'https:'
        ? httpsRequest({ ...target, method: 'POST', agent: agents.https, headers })
        : httpRequest({ ...target, method: 'POST', agent: agents.http, headers });
    const deadline = setTimeout(() => {
      reject(new DeadlineError());
      request.destroy();
    }, deadlineMs);
    request.once('close', () => clearTimeout(deadline));
    request.once('error', reject);
    request.once('response', (response) => receive(response, bytesMax).then(resolve, reject));
    request.end(body);
  });
}

function receive(response: IncomingMessage, bytesMax: number): Promise<Received> {
  const parts: Buffer[] = [];
  let length = 0;
  return new Promise((resolve, reject) => {
    response.on('data', (part: Buffer) => {
      length += part.length;
      if (length <= bytesMax) return void parts.push(part);
      reject(new Error('answer larger than the limit'));
      response.destroy();
    });
    response.once('error', reject);
    response.once('close', () => reject(new Error('answer broke off')));
    response.once('end', () => {
      const seal = response.headers[sealHeader];
      resolve({
        status: response.statusCode ?? 0,
        seal: typeof seal === 'string' ? seal : undefined,
        isPacked: response.headers['content-encoding'] === 'gzip',
        body: Buffer.concat(parts, length),
      });
    });
  });
}

const unreadable: PeerFault = {
  kind: 'fault',
  cause: 'unreadable',
  text: 'the answer cannot be read',
};

/** The body of an authentic answer, unpacked. */
async function unseal(
  seals: Seals,
  nonce: string,
  { status, seal, isPacked, body }: Received,
): Promise<Buffer | PeerFault> {
  if (seal === undefined && status !== 200 && status !== 401) {
    const text = `answers with HTTP status ${status}`;
    return { kind: 'fault', cause: 'unanswered', text };
  }
  if (!seals.isAnswer(body, nonce, seal)) {
    const text = 'authentication failed: cluster secrets differ?';
    return { kind: 'fault', cause: 'unauthenticated', text };
  }
  try {
    return isPacked ? await unpack(body, { maxOutputLength: answerTextBytesMax }) : body;
  } catch {
    return unreadable;
  }
}

class DeadlineError extends Error {}

function faultText(error: unknown, deadlineMs: number): string {
  if (error instanceof DeadlineError) return `no answer within ${deadlineMs} ms`;
  const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
  if (code === 'ECONNREFUSED') return 'refuses connections';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'the host name cannot be resolved';
  return code ? `the connection failed (${code})` : 'the connection was closed';
}
