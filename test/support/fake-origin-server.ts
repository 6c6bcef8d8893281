import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import {
  defaultChannel,
  type FakeChannel,
  type FakeProgress,
  mediaText,
  multivariantText,
} from './fake-playlists.ts';

/** What goes wrong; every field can be changed at any time and holds for the next request. */
type Knobs = {
  /** Status of every answer, of playlists only, of everything else only. */
  status?: number | undefined;
  playlistStatus?: number | undefined;
  segmentStatus?: number | undefined;
  /** The live window stands still, with status 200. */
  frozen: boolean;
  ended: boolean;
  /** No answer at all; the connection stays open. */
  hang: boolean;
  /** Wait before the answer's head; between the head and the body. */
  delayMs: number;
  firstByteDelayMs: number;
  /** Added to all segment numbers. */
  sequenceShift: number;
  /** A segment that the media playlists leave out. */
  hole?: number | undefined;
  /** Sent instead of every playlist. */
  playlistBody?: string | undefined;
};

/**
 * `mediamtx` answers the entry with a 302 to `?cookieCheck=1` and then wants its cookie, or, from who sends none, its
 * `?session=` on everything (as MediaMTX >= 1.18); `mediamtx-query` behaves as if cookies never came back. `srs` answers
 * the entry with a made-up multivariant playlist whose one child is the entry itself with `?hls_ctx=`.
 */
export type FakeSession = 'none' | 'mediamtx' | 'mediamtx-query' | 'srs';

export type FakeOriginOptions = Partial<FakeChannel> & {
  knobs?: Partial<Knobs>;
  session?: FakeSession;
  /** Where it listens; loopback unless told otherwise. */
  host?: string;
  /** Newest segment at the start. */
  newest?: number;
  /** Move the window in real time, one segment per target duration; else only `advance` does. */
  isLive?: boolean;
  /** Bytes of a segment, part or init section; by default its path, a thousand times. */
  segment?: (path: string) => Uint8Array | undefined;
};

type FakeRequest = {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: IncomingMessage['headers'];
};

/** A media server on loopback, for tests. */
export type FakeOrigin = {
  readonly base: string;
  /** What a stream is configured with. */
  readonly entry: string;
  readonly channel: FakeChannel;
  readonly knobs: Knobs;
  readonly requests: FakeRequest[];
  /** Requests whose path ends in `ending`. */
  count(ending: string): number;
  /** Connections open now. */
  openSockets(): number;
  /** Publishes `segments` more; waiting blocking reloads are answered. */
  advance(segments?: number): void;
  /** Publishes one more part of an LL-HLS channel; the last of a segment closes it. */
  advancePart(): void;
  /** Answers this path itself from now on, whatever the knobs say. */
  route(path: string, answer: (request: IncomingMessage, response: ServerResponse) => void): void;
  /** Cuts all connections and refuses new ones. */
  stop(): Promise<void>;
  /** Comes back at the same port with no session it knew before, its numbers at `newest` if given. */
  start(newest?: number): Promise<void>;
  close(): Promise<void>;
};

export async function startFakeOrigin(options: FakeOriginOptions = {}): Promise<FakeOrigin> {
  const {
    knobs: given,
    session = 'none',
    newest = 10,
    isLive = false,
    host = '127.0.0.1',
    segment,
    ...channel
  } = options;
  const state: FakeState = {
    channel: { ...defaultChannel(), ...channel },
    knobs: {
      frozen: false,
      ended: false,
      hang: false,
      delayMs: 0,
      firstByteDelayMs: 0,
      sequenceShift: 0,
      ...given,
    },
    progress: { newest, parts: 0 },
    session,
    sessions: new Set(),
    segment: segment ?? ((path) => Buffer.from(`${path}\n`.repeat(1000))),
    waiting: new Set(),
  };
  const requests: FakeRequest[] = [];
  const routes = new Map<string, (request: IncomingMessage, response: ServerResponse) => void>();
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    const { pathname, search } = new URL(request.url ?? '/', 'http://fake');
    const { method = '', headers } = request;
    requests.push({ method, path: pathname, query: search.slice(1), headers });
    const route = routes.get(pathname);
    if (route === undefined) void answer(state, request, response);
    else route(request, response);
  });
  server.keepAliveTimeout = 60_000;
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  const listen = (port: number) =>
    new Promise<void>((resolve) => server.listen(port, host, resolve));
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const base = `http://${host}:${port}`;

  const wake = () => {
    for (const check of [...state.waiting]) check();
  };
  const origin: FakeOrigin = {
    base,
    entry: base + state.channel.entryPath,
    channel: state.channel,
    knobs: state.knobs,
    requests,
    count: (ending) => requests.filter(({ path }) => path.endsWith(ending)).length,
    openSockets: () => sockets.size,
    advance: (segments = 1) => {
      if (!state.knobs.frozen)
        state.progress = { newest: state.progress.newest + segments, parts: 0 };
      wake();
    },
    advancePart: () => {
      const { newest: closed, parts } = state.progress;
      if (parts + 1 >= state.channel.partsPerSegment) return origin.advance();
      if (!state.knobs.frozen) state.progress = { newest: closed, parts: parts + 1 };
      wake();
    },
    route: (path, respond) => void routes.set(path, respond),
    stop: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
    start: (first) => {
      state.sessions.clear();
      if (first !== undefined) state.progress = { newest: first, parts: 0 };
      return listen(port);
    },
    close: async () => {
      clearInterval(timer);
      if (server.listening) await origin.stop();
    },
  };
  const timer = isLive
    ? setInterval(() => origin.advance(), state.channel.targetS * 1000)
    : undefined;
  return origin;
}

type FakeState = {
  readonly channel: FakeChannel;
  readonly knobs: Knobs;
  progress: FakeProgress;
  readonly session: FakeSession;
  readonly sessions: Set<string>;
  readonly segment: (path: string) => Uint8Array | undefined;
  /** Blocking reloads look again when called. */
  readonly waiting: Set<() => void>;
};

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function answer(
  state: FakeState,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { knobs, channel } = state;
  const url = new URL(request.url ?? '/', `http://${request.headers.host}`);
  if (knobs.delayMs > 0) await wait(knobs.delayMs);
  if (knobs.hang) return;
  const isPlaylist = url.pathname.endsWith('.m3u8');
  const status = knobs.status ?? (isPlaylist ? knobs.playlistStatus : knobs.segmentStatus);
  if (status !== undefined) return void response.writeHead(status).end(`status ${status}`);
  const isEntry = url.pathname === channel.entryPath;
  const grant = isEntry ? admit(state, url, request, response) : known(state, url, request);
  if (grant === undefined && !response.headersSent) response.writeHead(401).end();
  if (grant === undefined) return;
  if (isPlaylist) await sendPlaylist(state, url, grant, response);
  else await sendSegment(state, url, request, response);
}

async function sendPlaylist(
  state: FakeState,
  url: URL,
  grant: Grant,
  response: ServerResponse,
): Promise<void> {
  const { knobs, channel } = state;
  response.setHeader('content-type', 'application/vnd.apple.mpegurl');
  const isEntry = url.pathname === channel.entryPath;
  const text =
    knobs.playlistBody ??
    (isEntry ? grant.entry : undefined) ??
    (isEntry && channel.rungs.length > 0
      ? multivariantText(channel, url.origin, grant.query)
      : undefined);
  if (text !== undefined) return void response.end(text);
  const paths = [...channel.rungs.map(({ path }) => path), channel.audio];
  const isKnown = isEntry || paths.some((path) => url.pathname.endsWith(`/${path}`));
  if (!isKnown) return void response.writeHead(404).end();
  if (channel.partsPerSegment > 0) await blockingReload(state, url);
  const { newest, parts } = state.progress;
  const progress = { newest: newest + knobs.sequenceShift, parts };
  const { hole, ended } = knobs;
  const at = { base: url.origin, path: url.pathname, query: grant.query, hole, ended };
  response.end(mediaText(channel, progress, at));
}

/** `query` goes on every child URI; `entry` is sent in place of the entry. Undefined: answered, or refused. */
type Grant = { readonly query: string; readonly entry?: string };

function admit(
  state: FakeState,
  url: URL,
  request: IncomingMessage,
  response: ServerResponse,
): Grant | undefined {
  if (state.session === 'none') return { query: '' };
  if (state.session === 'srs') {
    if (state.sessions.has(url.searchParams.get('hls_ctx') ?? ''))
      return { query: url.search.slice(1) };
    const id = newSession(state);
    const inf = '#EXT-X-STREAM-INF:BANDWIDTH=1,AVERAGE-BANDWIDTH=1';
    return { query: '', entry: `#EXTM3U\n${inf}\n${url.pathname}?hls_ctx=${id}\n` };
  }
  if (url.searchParams.get('cookieCheck') !== '1') {
    response.setHeader('set-cookie', 'cookieCheck=1');
    response.writeHead(302, { location: `${url.pathname}?cookieCheck=1` }).end();
    return undefined;
  }
  const id = newSession(state);
  const hasCookies = /cookieCheck=1/.test(request.headers.cookie ?? '');
  if (state.session === 'mediamtx-query' || !hasCookies) return { query: `session=${id}` };
  response.setHeader('set-cookie', `hlsSession=${id}`);
  return { query: '' };
}

function known(state: FakeState, url: URL, request: IncomingMessage): Grant | undefined {
  if (state.session === 'none') return { query: '' };
  const cookie = /hlsSession=([^;]+)/.exec(request.headers.cookie ?? '')?.[1];
  const parameter = state.session === 'srs' ? 'hls_ctx' : 'session';
  const id = url.searchParams.get(parameter) ?? (parameter === 'session' ? cookie : undefined);
  if (id === undefined || !state.sessions.has(id)) return undefined;
  return { query: url.searchParams.has(parameter) ? `${parameter}=${id}` : '' };
}

function newSession(state: FakeState): string {
  const id = randomUUID();
  state.sessions.add(id);
  return id;
}

/** RFC 8216bis 6.2.5.2: waits until the part or segment asked for is there. */
function blockingReload(state: FakeState, url: URL): Promise<void> {
  const segment = Number(url.searchParams.get('_HLS_msn') ?? Number.NaN);
  const part = url.searchParams.get('_HLS_part');
  const isThere = () => {
    const { newest, parts } = state.progress;
    if (Number.isNaN(segment) || segment <= newest) return true;
    return part !== null && segment === newest + 1 && Number(part) < parts;
  };
  return new Promise((resolve) => {
    const check = () => {
      if (!isThere()) return;
      state.waiting.delete(check);
      resolve();
    };
    state.waiting.add(check);
    check();
  });
}

async function sendSegment(
  state: FakeState,
  url: URL,
  request: IncomingMessage,
  response: ServerResponse,
) {
  const bytes = state.segment(url.pathname);
  if (bytes === undefined) return void response.writeHead(404).end();
  const range = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '');
  const first = Number(range?.[1] ?? 0);
  const last = range?.[2] ? Math.min(Number(range[2]), bytes.length - 1) : bytes.length - 1;
  response.setHeader('content-type', 'video/mp2t');
  response.setHeader('content-length', last - first + 1);
  if (range) response.setHeader('content-range', `bytes ${first}-${last}/${bytes.length}`);
  response.writeHead(range ? 206 : 200);
  response.flushHeaders();
  if (state.knobs.firstByteDelayMs > 0) await wait(state.knobs.firstByteDelayMs);
  response.end(bytes.subarray(first, last + 1));
}
