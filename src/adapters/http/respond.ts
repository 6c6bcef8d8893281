import { pipeline } from 'node:stream/promises';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Answer } from '../../agent/answer.ts';
import { type ReasonCode, reasonTexts } from '../../core/reasons.ts';
import { repeatHeader, writeRepeat } from './hop.ts';

type FileAnswer = Extract<Answer, { kind: 'file' }>;
type Headers = Readonly<Record<string, string>>;

const problemTitles = { 400: 'Bad Request', 403: 'Forbidden', 404: 'Not Found' } as const;

/** Turns an answer into HTTP. `common` headers go with every answer. */
export async function respond(
  answer: Answer,
  common: Headers,
  connection: { method: string; outgoing: HttpBindings['outgoing'] | undefined },
): Promise<Response> {
  switch (answer.kind) {
    case 'playlist':
      return new Response(answer.body as string | Uint8Array<ArrayBuffer>, {
        headers: {
          ...common,
          'content-type': answer.contentType,
          'cache-control': 'private, no-store',
          'x-understudy-reason': answer.reason,
          ...(answer.missingS !== undefined && {
            'x-understudy-missing-seconds': `${answer.missingS}`,
          }),
          ...(answer.repeat && { [repeatHeader]: writeRepeat(answer.repeat) }),
        },
      });
    case 'redirect':
      return new Response(null, {
        status: 302,
        headers: {
          ...common,
          location: answer.location,
          'cache-control': 'no-store',
          'x-understudy-reason': answer.reason,
        },
      });
    case 'refusal':
      return refuse(answer.status, answer.reason, common);
    case 'file':
      return sendFile(answer, common, connection);
    case 'cut':
      connection.outgoing?.destroy();
      return connection.outgoing === undefined ? Response.error() : RESPONSE_ALREADY_SENT;
  }
}

/** RFC 9457. Never cached: what is refused now may be served in a second. */
function refuse(status: 400 | 403 | 404, reason: ReasonCode, common: Headers): Response {
  const body = { title: problemTitles[status], status, code: reason, detail: reasonTexts[reason] };
  return new Response(JSON.stringify(body), {
    status,
    headers: {
      ...common,
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
      'x-understudy-reason': reason,
    },
  });
}

/**
 * Writes straight to the socket: with backpressure, and when the viewer hangs up the origin's side is closed at once.
 * (A web stream made of the origin's body crashed Node 20 on aborts.)
 */
async function sendFile(
  answer: FileAnswer,
  common: Headers,
  connection: { method: string; outgoing: HttpBindings['outgoing'] | undefined },
): Promise<Response> {
  const { file } = answer;
  const { outgoing } = connection;
  const headers: Record<string, string> = {
    ...common,
    ...file.headers,
    'accept-ranges': 'bytes',
    'cache-control': answer.immutable ? 'public, max-age=31536000, immutable' : 'no-store',
    ...(answer.repeat && { [repeatHeader]: writeRepeat(answer.repeat) }),
  };
  if (outgoing === undefined || connection.method === 'HEAD') {
    if (file.kind === 'stream') file.close();
    return new Response(null, { status: file.status, headers });
  }
  outgoing.writeHead(file.status, headers);
  if (file.kind === 'stored') {
    outgoing.end(file.bytes);
    return RESPONSE_ALREADY_SENT;
  }
  // A body that breaks off ends the connection short of Content-Length: players fetch such a segment again.
  await pipeline(file.body, outgoing).catch(() => file.close());
  return RESPONSE_ALREADY_SENT;
}
