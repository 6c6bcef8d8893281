/** The outside world of the REST API: see `ports.ts`. */
import type { UnixMs } from '../core/time.ts';

/** SHA-256 of the bearer token generated at the first start. Synchronous; @throws store_failed */
export type AdminTokenStore = {
  read(): Uint8Array | undefined;
  /** Once only: there is nothing to replace it with but a new database. */
  write(hash: Uint8Array, nowMs: UnixMs): void;
};

/** What a bearer token is good for: `read` sees everything and changes nothing. */
export type AdminScope = 'read' | 'write';

/** Who asks the API. */
export type Caller = { readonly who: string; readonly scope: AdminScope };

/** A bearer token made through the API, of which only the SHA-256 is known. */
export type AdminToken = {
  readonly id: string;
  /** What people call it; not unique. */
  readonly name: string;
  readonly scope: AdminScope;
  readonly createdAt: UnixMs;
  readonly createdBy: string;
  readonly hash: Uint8Array;
};

/** Bearer tokens made through the API, oldest first. Synchronous; @throws store_failed */
export type TokenStore = {
  list(): readonly AdminToken[];
  add(token: AdminToken): void;
  remove(id: string): void;
};

/** One change that somebody made. `before` and `after` are plain values without secrets. */
export type AuditEntry = {
  readonly at: UnixMs;
  readonly who: string;
  /** Method and path as in `docs/api.md`, e.g. `PUT /streams/{name}`. */
  readonly action: string;
  /** Name of what was changed; absent where the action says it all. */
  readonly target?: string | undefined;
  readonly before?: unknown;
  readonly after?: unknown;
};

/** The changes that were made. Synchronous; @throws store_failed */
export type AuditStore = {
  add(entry: AuditEntry): void;
  /** Newest first, those below `beforeId` only. */
  list(page: {
    readonly beforeId?: number | undefined;
    readonly limit: number;
    readonly filter: { readonly [field in 'who' | 'action' | 'target']?: string | undefined };
  }): readonly (AuditEntry & { readonly id: number })[];
  /** Forgets what is older than `olderThan`, and the oldest beyond `entriesMax`; returns how many. */
  trim(limits: { readonly olderThan: UnixMs; readonly entriesMax: number }): number;
};
