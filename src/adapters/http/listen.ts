import { createServer, type Server } from 'node:http';
import { createSecureServer, type Http2SecureServer } from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import type { Log } from '../../agent/ports.ts';
import { followCertificate, type OnExpiry, readCertificate, type TlsFiles } from './certificate.ts';
import type { Lane } from './viewer-lane.ts';

/** Largest request head, bytes: a URL with a pass and the headers browsers send fit several times. */
const requestHeadBytesMax = 16 * 1024;
/** A viewer's head must be complete within this time; slower ones hold sockets for nothing. */
const requestHeadMsMax = 10_000;
/** A whole request, body included: only the API has bodies, of at most 64 KiB. */
const requestMsMax = 30_000;
/** Longer than the 5 s at which players reload, so that one connection carries a whole viewing. */
const keepAliveMs = 30_000;
/** Open requests get this long to end when the process stops. */
const closeMsMax = 3_000;

type App = {
  readonly fetch: Parameters<typeof getRequestListener>[0];
  readonly lane?: Lane;
};
type OnRequest = (incoming: HttpBindings['incoming'], outgoing: HttpBindings['outgoing']) => void;

export type Listener = {
  /** Where it really listens: port 0 has become a port. */
  readonly address: AddressInfo;
  close(): Promise<void>;
};

/** Serves `app` at `host:port`, its `lane` first where it has one; over TLS (HTTP/2 and 1.1) when files are given, reloaded when they change. */
export async function listen(options: {
  app: App;
  host: string;
  port: number;
  tls?: TlsFiles | undefined;
  log: Log;
  onExpiry?: OnExpiry | undefined;
}): Promise<Listener> {
  return listenBy(answeredBy(options.app), options);
}

/** The same, with each request answered by `onRequest`. */
export async function listenBy(
  onRequest: OnRequest,
  options: {
    host: string;
    port: number;
    tls?: TlsFiles | undefined;
    log: Log;
    onExpiry?: OnExpiry | undefined;
  },
): Promise<Listener> {
  const { tls, log, onExpiry } = options;
  const server = tls === undefined ? plainServer() : secureServer(tls, log, onExpiry);
  server.on('request', onRequest as (...args: unknown[]) => void);
  return listenWith(server, options);
}

/** Serves `app` to workers, its `lane` first, at a Unix socket that only this user may use. */
export function listenLocally(app: App, path: string): Promise<Listener> {
  const server = createServer({
    // What a worker says of the viewer is added.
    maxHeaderSize: 2 * requestHeadBytesMax,
    // Workers keep connections for as long as they like: one that is closed when it is used again would cost a viewer its answer.
    keepAliveTimeout: 0,
  });
  server.on('request', answeredBy(app));
  const mask = process.umask(0o177);
  const listening = listenWith(server, { path });
  process.umask(mask);
  return listening;
}

function answeredBy({ fetch, lane }: App): OnRequest {
  const onFetch = getRequestListener(fetch);
  return (incoming, outgoing) => {
    if (lane?.(incoming, outgoing) !== true) void onFetch(incoming, outgoing);
  };
}

/** Has a server listen at `host:port`, or at the path of a Unix socket. */
export async function listenWith(
  server: Server | Http2SecureServer,
  at: { host: string; port: number } | { path: string },
): Promise<Listener> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(at, () => {
      server.off('error', reject);
      resolve();
    });
  });
  return { address: server.address() as AddressInfo, close: () => close(server, sockets) };
}

function plainServer(): Server {
  return createServer({
    maxHeaderSize: requestHeadBytesMax,
    headersTimeout: requestHeadMsMax,
    requestTimeout: requestMsMax,
    keepAliveTimeout: keepAliveMs,
    noDelay: true,
  });
}

function secureServer(
  files: TlsFiles,
  log: Log,
  onExpiry: OnExpiry | undefined,
): Http2SecureServer {
  const first = readCertificate(files);
  const server = createSecureServer({
    ...first,
    allowHTTP1: true,
    maxHeaderListPairs: 128,
    settings: { maxHeaderListSize: requestHeadBytesMax },
  });
  followCertificate(server, { files, first, log, onExpiry });
  return server;
}

/** Idle connections end at once, busy ones when they are done; what is left after a while is cut, so that the process can end. */
function close(server: Server | Http2SecureServer, sockets: ReadonlySet<Socket>): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => {
      for (const socket of sockets) socket.destroy();
    }, closeMsMax);
    server.close(() => {
      clearTimeout(cut);
      resolve();
    });
    if ('closeIdleConnections' in server) server.closeIdleConnections();
  });
}
