import type { MiddlewareHandler } from 'hono';
import { problem } from './problem.ts';

/** Largest body of a request, bytes. */
const bodyBytesMax = 64 * 1024;

/**
 * Reads the body, whatever its headers promise, and refuses the request once it is over 64 KiB. (The framework's own
 * limit clones the request, which fails on those that the server makes.)
 */
export const limitBody: MiddlewareHandler = async (context, next) => {
  const { raw, method, url } = context.req;
  if (raw.body === null || method === 'GET' || method === 'HEAD') return next();
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of raw.body) {
    length += piece.length;
    if (length > bodyBytesMax) return problem('too_large');
    pieces.push(piece);
  }
  const { headers } = raw;
  context.req.raw = new Request(url, { method, headers, body: Buffer.concat(pieces) });
  return next();
};
