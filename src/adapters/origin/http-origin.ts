import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Origin, OriginBody, OriginFault, OriginStream } from '../../agent/ports.ts';
import {
  brokenExchange,
  type Cookies,
  createConnections,
  type Exchange,
  exchange,
} from './http-exchange.ts';

/** Connections to one origin at once: playlists have their own, so that segments never hold them up. */
const playlistSocketsMax = 16;
const segmentSocketsMax = 512;

const passedOnHeaders = [
  'content-type',
  'content-length',
  'content-range',
  'last-modified',
  'etag',
] as const;

/** The origin at `base`'s scheme, host and port; any other URL is refused. */
export function createHttpOrigin(base: string): Origin {
  const own = new URL(base);
  const cookies: Cookies = {};
  const playlists = createConnections(playlistSocketsMax);
  const segments = createConnections(segmentSocketsMax);
  let closed = false;

  const refusal = (url: string): OriginFault | undefined => {
    const target = URL.canParse(url) ? new URL(url) : undefined;
    const isOwn = target?.protocol === own.protocol && target.host === own.host && !closed;
    return isOwn ? undefined : { kind: 'fault', reason: 'origin-refused' };
  };

  return {
    read: async (url, limits) => {
      const refused = refusal(url);
      if (refused !== undefined) return refused;
      const { signal, stop } = deadline(limits.deadlineMs);
      try {
        const found = await exchange(url, { connections: playlists, cookies, signal });
        return found.kind === 'fault' ? found : await readBody(found, limits.bytesMax);
      } catch {
        return brokenExchange(signal);
      } finally {
        stop();
      }
    },

    open: async (url, options) => {
      const refused = refusal(url);
      if (refused !== undefined) return refused;
      const { signal, stop, abort } = deadline(options.firstByteMs);
      try {
        const found = await exchange(url, {
          connections: segments,
          cookies,
          range: options.range,
          signal,
        });
        return found.kind === 'fault' ? found : await firstByte(found.response, abort);
      } catch {
        return brokenExchange(signal);
      } finally {
        stop();
      }
    },

    close: () => {
      closed = true;
      for (const { http, https } of [playlists, segments]) {
        http.destroy();
        https.destroy();
      }
      cookies.jar?.removeAllCookiesSync();
    },
  };
}

function deadline(ms: number): { signal: AbortSignal; stop: () => void; abort: () => void } {
  const controller = new AbortController();
  const abort = () => controller.abort();
  const timer = setTimeout(abort, ms);
  return { signal: controller.signal, stop: () => clearTimeout(timer), abort };
}

async function readBody(
  { url, response }: Exchange,
  bytesMax: number,
): Promise<OriginBody | OriginFault> {
  const status = response.statusCode;
  if (status !== 200) {
    response.destroy();
    return { kind: 'fault', reason: 'origin-status', status };
  }
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    size += part.length;
    // Leaving the loop destroys the response and with it the connection.
    if (size > bytesMax) return { kind: 'fault', reason: 'origin-too-large' };
    parts.push(part);
  }
  const bytes = Buffer.concat(parts);
  return { kind: 'body', url, bytes, contentType: response.headers['content-type'] };
}

/** Waits until the body has begun (or turned out empty), then hands it over with nothing read. */
async function firstByte(response: IncomingMessage, abort: () => void): Promise<OriginStream> {
  if (response.readableLength === 0 && !response.readableEnded)
    await Promise.race([once(response, 'readable'), once(response, 'end')]);
  // Once handed over an error reaches whoever reads; between two reads nobody listens, and that must not end the process.
  response.on('error', () => undefined);
  const headers: Record<string, string> = {};
  for (const name of passedOnHeaders) {
    const value = response.headers[name];
    if (value !== undefined) headers[name] = value;
  }
  return {
    kind: 'stream',
    status: response.statusCode as OriginStream['status'],
    headers,
    body: response,
    close: abort,
  };
}
