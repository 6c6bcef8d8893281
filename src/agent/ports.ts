/**
 * The outside world on one page. Adapters implement these types; nothing in `core` or `agent` reaches
 * the world in another way. Every call states how it fails.
 */
import type { LoadCounter } from '../core/load/load.ts';
import type { PassClaims } from '../core/pass/claims.ts';
import type { ReasonCode } from '../core/reasons.ts';
import type { StreamConfig } from '../core/stream/stream.ts';
import type { Now, UnixMs } from '../core/time.ts';
import type { Remembered } from '../core/timeline/resume.ts';

/** Both clocks in one reading. Never fails. */
export type Clock = { now(): Now };

/** Runs `run` once, `delayMs` from now on the monotonic clock; the answer takes it back. Never fails. */
export type Timers = { after(delayMs: number, run: () => void): () => void };

/** Structured log, one line per event. `event` is a constant; fields never hold a pass, key or query string. */
export type Log = {
  readonly [level in 'debug' | 'info' | 'warn' | 'error']: (event: string, fields?: object) => void;
};

/** Counts what viewers are answered, for monitoring. Never fails. */
export type Meter = {
  /** `reason` is absent for files; `decidedInMs` is the time until it was known what to answer. */
  answered(answer: {
    readonly kind: 'playlist' | 'file' | 'redirect' | 'refusal';
    readonly reason?: ReasonCode | undefined;
    readonly decidedInMs: number;
  }): void;
};

/** The state of a node as monitoring sees it. Names are of nodes and streams, never of viewers. */
export type MonitoredState = {
  readonly sessions: { readonly own: number; readonly backup: number };
  readonly streams: readonly { readonly name: string; readonly onAir: boolean }[];
  readonly groups: readonly {
    readonly state: 'reserve' | 'degraded' | 'none';
    readonly problems: readonly { readonly code: ReasonCode }[];
  }[];
  readonly peers: readonly {
    readonly url: string;
    readonly reachability: 'reachable' | 'unreachable' | 'unknown';
    readonly clockOffsetMs?: number | undefined;
  }[];
  readonly keyState: 'in-force' | 'spreading' | 'missing';
  readonly draining: boolean;
  readonly overloaded: boolean;
  readonly atBackupLimit: boolean;
  /** Percent of what the machine can do; absent where it cannot be measured. */
  readonly load: { readonly cpu?: number | undefined; readonly network?: number | undefined };
  /** Standing alerts by code. */
  readonly alerts: ReadonlyMap<number, number>;
};

/** Unpredictable text of 22 URL-safe characters (128 bits). */
export type NewId = () => string;

/** Unpredictable bytes for secrets. */
export type RandomBytes = (length: number) => Uint8Array;

/** Reads what the machine has done so far. Never fails: what cannot be read is left out. */
export type ReadLoad = () => readonly LoadCounter[];

/** Why a read from an origin gave nothing. */
export type OriginFault = {
  readonly kind: 'fault';
  readonly reason: ReasonCode;
  /** HTTP status, where there was one. */
  readonly status?: number | undefined;
};

/** A body read whole. `url` is where it was found after redirects that stay at the stream's origin. */
export type OriginBody = {
  readonly kind: 'body';
  readonly url: string;
  readonly bytes: Uint8Array;
  readonly contentType?: string | undefined;
};

/** A body to be passed on. Whoever takes it either reads it to the end or calls `close`. */
export type OriginStream = {
  readonly kind: 'stream';
  readonly status: 200 | 206 | 416;
  /** Content-Type, Content-Length, Content-Range, Last-Modified and ETag where the origin gave them; lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<Uint8Array>;
  close(): void;
};

/** One stream's media server or folder. Never throws for what the origin does: faults are values. */
export type Origin = {
  /** Reads `url` (below the origin's host root, see `core/stream/origin-paths.ts`) whole. */
  read(
    url: string,
    limits: { deadlineMs: number; bytesMax: number },
  ): Promise<OriginBody | OriginFault>;
  /** Opens `url`; the first byte is due within `firstByteMs`. `range` is a Range header value. */
  open(
    url: string,
    options: { range?: string | undefined; firstByteMs: number },
  ): Promise<OriginStream | OriginFault>;
  /** Frees connections and forgets cookies. */
  close(): void;
};

/** Makes the origin of an entry given as http(s) URL, file URL or absolute path. @throws config_invalid */
export type OpenOrigin = (entry: string) => Origin;

/**
 * Opens a transport stream that arrives by itself (`udp:` or a FIFO) and that the agent packages. `bytes` gets copies
 * that join what came within some 40 ms, not cut where packets begin. It stays open until it is closed: what is lost is
 * opened again. `fault` is told why nothing comes, once for each cause. Never throws, and calls nobody before it returned
 * or after `close`.
 */
export type OpenFeed = (
  entry: string,
  on: { bytes(chunk: Uint8Array): void; fault(text: string): void },
) => { close(): void };

/** A viewing key with its secret. The secret leaves the process only wrapped. */
export type ViewingKey = {
  /** `{generation}-{random}`: unique, URL-safe. */
  readonly id: string;
  /** 0: good on this node only, never leaves it; else 1 and up. */
  readonly generation: number;
  readonly createdAt: UnixMs;
  /** 32 bytes. */
  readonly secret: Uint8Array;
  /** When a newer key took over here; it verifies until the last pass it signed has run out. */
  readonly supersededAt?: UnixMs | undefined;
};

/** What a signature check found before any claim is believed. */
export type PassVerdict =
  | { readonly kind: 'signed'; readonly claims: PassClaims }
  | { readonly kind: 'refused'; readonly reason: ReasonCode };

/** Signs and verifies passes. One file, HS256 only. Checks form, algorithm, type, key and signature; not time, audience or group. */
export type PassSigner = {
  sign(claims: PassClaims, key: ViewingKey): string;
  verify(pass: string, keyOf: (id: string) => ViewingKey | undefined): PassVerdict;
};

/** Takes viewing keys to a peer and from one; only nodes with the same cluster secret can read them. */
export type KeyWrap = {
  /** Text for a peer with all of `keys`, without `supersededAt`: each node judges that by itself. */
  wrap(keys: readonly ViewingKey[]): Promise<string>;
  /** Undefined for anything that is altered, too long, of another form or from another domain. */
  unwrap(text: string): Promise<readonly ViewingKey[] | undefined>;
};

/** Streams that came through the API. Synchronous; @throws store_failed */
export type StreamStore = {
  list(): readonly StreamConfig[];
  put(stream: StreamConfig): void;
  remove(name: string): void;
};

/** Viewing keys over restarts. Synchronous; @throws store_failed */
export type KeyStore = {
  list(): readonly ViewingKey[];
  /** Replaces all that is kept, in one transaction. */
  replace(keys: readonly ViewingKey[]): void;
};

/** Where streams stand on their timelines, over restarts. Synchronous; @throws store_failed */
export type TimelineStore = {
  read(stream: string): Remembered | undefined;
  write(stream: string, remembered: Remembered): void;
};

/** SHA-256, base64url. */
export type Checksum = (bytes: Uint8Array) => string;

/** What a drill's player got. `silent`: nothing in time. `too-large`: more than was allowed. */
export type ProbeAnswer =
  | {
      readonly kind: 'answer';
      readonly status: number;
      /** Node that says it answered. */
      readonly node?: string | undefined;
      readonly location?: string | undefined;
      readonly bytes: Uint8Array;
    }
  | { readonly kind: 'fault'; readonly fault: 'cut' | 'silent' | 'too-large' };

/** The connections of one player of a drill. */
export type ProbeConnection = {
  /** Asks as a player does; follows no redirect. Never rejects. */
  get(
    url: string,
    options: {
      readonly userAgent: string;
      readonly deadlineMs: number;
      readonly bytesMax: number;
    },
  ): Promise<ProbeAnswer>;
  /** Breaks off what is under way. */
  close(): void;
};

export type OpenProbeConnection = () => ProbeConnection;
