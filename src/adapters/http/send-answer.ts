import type { ServerResponse } from 'node:http';
import type { Http2ServerResponse } from 'node:http2';
import { pipeline } from 'node:stream/promises';
import type { Answer } from '../../agent/answer.ts';
import type { AnswerHead } from './answer-head.ts';

type File = Extract<Answer, { kind: 'file' }>['file'];

/** Closes the connection without a word; of HTTP/2 only the request. */
export function cut(outgoing: ServerResponse | Http2ServerResponse): void {
  outgoing.destroy();
}

/**
 * Writes an answer to where it goes. Resolves when a body that streams has ended; undefined where all is written at once.
 *
 * @param method of the request: to HEAD goes the head alone
 */
export function sendAnswer(
  outgoing: ServerResponse | Http2ServerResponse,
  { answer, head, method }: { answer: Answer; head: AnswerHead; method: string },
): Promise<void> | undefined {
  const isHead = method === 'HEAD';
  if (answer.kind !== 'file') {
    sendWhole(outgoing, isHead ? { ...head, body: undefined } : head);
    return undefined;
  }
  // Of HTTP/2, too, it takes names and values in turn. Nothing is written to them.
  const response = outgoing as ServerResponse;
  response.writeHead(head.status, head.headers as string[]);
  return sendFile(response, answer.file, isHead);
}

/** Writes an answer that is there as a whole. */
export function sendWhole(
  outgoing: ServerResponse | Http2ServerResponse,
  { status, headers, body, bytes }: AnswerHead,
): void {
  const response = outgoing as ServerResponse;
  response.writeHead(status, headers as string[]);
  if (body === undefined) response.end();
  // Text without any character beyond ASCII goes the shorter way to the socket.
  else if (typeof body === 'string') response.end(body, body.length === bytes ? 'latin1' : 'utf8');
  else response.end(body);
}

/**
 * Writes straight to the socket: with backpressure, and when the viewer hangs up the origin's side is closed at once.
 * (A web stream made of the origin's body crashed Node 20 on aborts.)
 */
function sendFile(
  outgoing: ServerResponse,
  file: File,
  isHead: boolean,
): Promise<void> | undefined {
  if (file.kind === 'stream' && !isHead)
    // A body that breaks off ends the connection short of Content-Length: players fetch such a segment again.
    return pipeline(file.body, outgoing).catch(() => file.close());
  if (file.kind === 'stream') file.close();
  if (isHead || file.kind === 'stream') outgoing.end();
  else outgoing.end(file.bytes);
  return undefined;
}
