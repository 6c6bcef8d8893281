import type { IncomingMessage, ServerResponse } from 'node:http';
import { Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import { after } from '../../agent/after.ts';
import type { Answer } from '../../agent/answer.ts';
import type { createAnswerHead } from './answer-head.ts';
import type { Header } from './connection.ts';
import { cut, sendAnswer } from './send-answer.ts';
import type { Decide, Failed } from './viewer-requests.ts';

/** Answers a request as it comes from the socket; false, and nothing done, where it is not one for the lane. */
export type Lane = (
  incoming: IncomingMessage | Http2ServerRequest,
  outgoing: ServerResponse | Http2ServerResponse,
) => boolean;

/** Paths and queries that mean what they say: nothing in them is written differently in a URL that was put in order. */
const plainTarget = /^\/[\w!$&()*+,;:=@?/%.~-]*$/;
/** Segments that a URL put in order would resolve: `.` and `..`, also where the dot is encoded; a few others, too. */
const dotSegment = /\/(?:\.|%2e)/i;
/** Hosts that mean what they say: the port, if any, is one that no scheme has by itself, and is one. */
const plainHost = /^[a-z0-9._-]+(?::(?:[1-5]\d{3,4}|[6-9]\d{3}))?$/;

/**
 * The short way from a socket to the decision and back, for what needs no web request: GET and HEAD whose address is
 * in order as it came. Everything else is hono's, and decided by the same `decide` (ADR 24).
 */
export function createViewerLane(parts: {
  readonly decide: Decide;
  readonly headOf: ReturnType<typeof createAnswerHead>;
  readonly failed: Failed;
}): Lane {
  const { decide, headOf, failed } = parts;
  return (incoming, outgoing) => {
    const { method = '', url: target = '', headers } = incoming;
    if (method !== 'GET' && method !== 'HEAD') return false;
    const host = hostOf(incoming);
    if (host === undefined || !isPlain(host, target)) return false;
    const header = headerIn(headers);
    const send = (answer: Answer) =>
      answer.kind === 'cut'
        ? cut(outgoing)
        : sendAnswer(outgoing, { answer, head: headOf(answer), method });
    const fail = (error: unknown) => {
      const answer = failed(target.split('?', 1)[0] ?? '', error);
      if (outgoing.headersSent) cut(outgoing);
      else void send(answer);
    };
    try {
      const asked = { host, target, header, incoming: incoming as IncomingMessage };
      const sent = after<Answer, unknown>(decide(asked), send);
      if (sent instanceof Promise) sent.catch(fail);
    } catch (error) {
      fail(error);
    }
    return true;
  };
}

/** Whether an address is in order as it came. */
export function isPlain(host: string, target: string): boolean {
  return plainTarget.test(target) && !dotSegment.test(target) && plainHost.test(host);
}

/** Reads headers as Node has them. */
export function headerIn(headers: Readonly<Record<string, string | string[] | undefined>>): Header {
  return (name) => {
    const value = headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  };
}

/** Undefined where it is not said, or in a way that is hono's to refuse. */
function hostOf(incoming: IncomingMessage | Http2ServerRequest): string | undefined {
  if (!(incoming instanceof Http2ServerRequest)) return incoming.headers.host;
  return incoming.scheme === 'https' ? incoming.authority : undefined;
}
