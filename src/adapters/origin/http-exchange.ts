import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { CookieJar } from 'tough-cookie';
import type { OriginFault } from '../../agent/ports.ts';

/** Most redirects followed by one request. */
const redirectsMax = 3;
/** A body that neither moves nor is taken for this long is given up, ms: hung origins and paused viewers alike. */
const idleMsMax = 30_000;
/** Cookies taken from one answer, and the longest of them. */
const cookiesMax = 20;
const cookieLengthMax = 4096;

/** A pool of connections to one origin. */
export type Connections = { readonly http: http.Agent; readonly https: https.Agent };

export type Exchange = {
  readonly kind: 'exchange';
  /** Where the answer came from, after redirects. */
  readonly url: string;
  readonly response: IncomingMessage;
};

/** One origin's cookies: sessions of media servers live in them. */
export type Cookies = { jar?: CookieJar };

/** Connections are kept alive between requests; `socketsMax` are open at once, further requests wait for one. */
export function createConnections(socketsMax: number): Connections {
  const options = {
    keepAlive: true,
    maxSockets: socketsMax,
    maxFreeSockets: 8,
    timeout: idleMsMax,
  };
  return { http: new http.Agent(options), https: new https.Agent(options) };
}

/**
 * Sends a GET and follows redirects by hand: only to the same scheme, host and port, with the origin's cookies. The
 * answer has status 200, 206 or 416; everything else is a fault. Nothing is decompressed (it is asked for as it is), so
 * a small answer cannot grow. `signal` ends the exchange at any time, its body included.
 */
export async function exchange(
  url: string,
  options: {
    connections: Connections;
    cookies: Cookies;
    range?: string | undefined;
    signal: AbortSignal;
  },
): Promise<Exchange | OriginFault> {
  let at = url;
  for (let redirects = 0; redirects <= redirectsMax; redirects++) {
    const response = await send(at, options);
    const lines = response.headers['set-cookie'] ?? [];
    if (lines.length > 0) await keepCookies(options.cookies, at, lines);
    const status = response.statusCode ?? 0;
    if (isServed(response, status)) return { kind: 'exchange', url: at, response };
    // Destroyed, not drained: what an error or redirect page holds, and how much of it, is of no use.
    response.destroy();
    if (status < 300 || status > 399) return { kind: 'fault', reason: 'origin-status', status };
    const target = redirectTarget(at, response.headers.location);
    if (target === undefined) return { kind: 'fault', reason: 'origin-refused', status };
    at = target;
  }
  return { kind: 'fault', reason: 'origin-refused' };
}

/** The fault behind an exchange that broke: in time, or because time was up. */
export function brokenExchange(signal: AbortSignal): OriginFault {
  return { kind: 'fault', reason: signal.aborted ? 'origin-timeout' : 'origin-unreachable' };
}

async function send(
  url: string,
  options: Parameters<typeof exchange>[1],
): Promise<IncomingMessage> {
  try {
    return await sendOnce(url, options);
  } catch (error) {
    // The origin closed a kept connection just as it was used again; nothing was answered, so asking again is safe.
    if (options.signal.aborted || !(error instanceof StaleConnection)) throw error;
    return await sendOnce(url, options);
  }
}

class StaleConnection extends Error {}

function sendOnce(url: string, options: Parameters<typeof exchange>[1]): Promise<IncomingMessage> {
  const secure = url.startsWith('https:');
  const cookie = options.cookies.jar?.getCookieStringSync(url) ?? '';
  return new Promise((resolve, reject) => {
    const request = (secure ? https : http).request(url, {
      agent: secure ? options.connections.https : options.connections.http,
      signal: options.signal,
      timeout: idleMsMax,
      headers: {
        accept: '*/*',
        'accept-encoding': 'identity',
        'user-agent': 'understudy',
        ...(cookie === '' ? {} : { cookie }),
        ...(options.range === undefined ? {} : { range: options.range }),
      },
    });
    request.on('response', resolve);
    request.on('timeout', () => request.destroy(new Error('idle')));
    request.on('error', (cause: NodeJS.ErrnoException) => {
      const isStale = request.reusedSocket && cause.code === 'ECONNRESET';
      reject(isStale ? new StaleConnection('stale', { cause }) : cause);
    });
    request.end();
  });
}

function isServed(response: IncomingMessage, status: number): boolean {
  const encoding = response.headers['content-encoding'] ?? 'identity';
  return (status === 200 || status === 206 || status === 416) && encoding === 'identity';
}

function redirectTarget(from: string, location: string | undefined): string | undefined {
  if (location === undefined || !URL.canParse(location, from)) return undefined;
  const target = new URL(location, from);
  const base = new URL(from);
  const isSame = target.protocol === base.protocol && target.host === base.host;
  if (!isSame || target.username !== '' || target.password !== '') return undefined;
  target.hash = '';
  return target.href;
}

/** Most origins set none: what keeps them (2 MB, with the list of public suffixes) is loaded for the first that does. */
async function keepCookies(cookies: Cookies, url: string, lines: readonly string[]): Promise<void> {
  const { CookieJar } = await import('tough-cookie');
  cookies.jar ??= new CookieJar(undefined, { rejectPublicSuffixes: false });
  for (const line of lines.slice(0, cookiesMax)) {
    if (line.length <= cookieLengthMax) cookies.jar.setCookieSync(line, url, { ignoreError: true });
  }
}
