import { lookup } from 'node:dns';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import type { OpenProbeConnection, ProbeAnswer } from '../../agent/ports.ts';

/** A player keeps a few connections, and closes those it does not use. */
const connectionOptions = { keepAlive: true, maxSockets: 6, timeout: 30_000 };

/** Connections as a player has them: kept, without cookies, checked certificates. Redirects are not followed. */
export const openProbeConnection: OpenProbeConnection = () => {
  const options = { ...connectionOptions, lookup: lookupAsBrowsersDo };
  const agents = { http: new http.Agent(options), https: new https.Agent(options) };
  const closing = new AbortController();
  return {
    async get(url, { userAgent, deadlineMs, bytesMax }) {
      const deadline = AbortSignal.timeout(deadlineMs);
      const signal = AbortSignal.any([deadline, closing.signal]);
      try {
        return await ask(url, { agents, userAgent, bytesMax, signal });
      } catch (error) {
        const fault = deadline.aborted ? 'silent' : isTooLarge(error) ? 'too-large' : 'cut';
        return { kind: 'fault', fault };
      }
    },
    close() {
      closing.abort();
      agents.http.destroy();
      agents.https.destroy();
    },
  };
};

class TooLarge extends Error {}

function isTooLarge(error: unknown): boolean {
  return error instanceof TooLarge;
}

function ask(
  url: string,
  options: {
    agents: { http: http.Agent; https: https.Agent };
    userAgent: string;
    bytesMax: number;
    signal: AbortSignal;
  },
): Promise<ProbeAnswer> {
  const { agents, userAgent, bytesMax, signal } = options;
  const isSecure = url.startsWith('https:');
  return new Promise((resolve, reject) => {
    const request = (isSecure ? https : http).request(url, {
      agent: isSecure ? agents.https : agents.http,
      signal,
      headers: { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': userAgent },
    });
    request.on('response', (response) => read(response, bytesMax).then(resolve, reject));
    request.on('error', reject);
    request.end();
  });
}

async function read(response: IncomingMessage, bytesMax: number): Promise<ProbeAnswer> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > bytesMax) {
      response.destroy();
      throw new TooLarge();
    }
    parts.push(part);
  }
  const { location, 'x-understudy-node': node } = response.headers;
  return {
    kind: 'answer',
    status: response.statusCode ?? 0,
    node: typeof node === 'string' ? node : undefined,
    location,
    bytes: Buffer.concat(parts),
  };
}

/** Names below `localhost` are this machine (RFC 6761 6.3), whatever the resolver of the machine says. */
const lookupAsBrowsersDo: LookupFunction = (hostname, options, callback) => {
  if (!/(?:^|\.)localhost\.?$/i.test(hostname)) lookup(hostname, options, callback);
  else if (options.all === true) callback(null, [{ address: '127.0.0.1', family: 4 }]);
  else callback(null, '127.0.0.1', 4);
};
