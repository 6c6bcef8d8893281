import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { AdminTokenStore } from '../../agent/admin-ports.ts';
import type { UnixMs } from '../../core/time.ts';

/** Judges the bearer token of a request; compares hashes in constant time. */
export type AcceptToken = (presented: string) => boolean;

/**
 * The judge of bearer tokens: of the configured one or, without it, of the one kept as a hash. When there is neither, a
 * token is made and kept, and returned as `fresh` this once: whoever starts the agent has to show it.
 * @throws store_failed
 */
export function openAdminToken(options: {
  readonly configured: string | undefined;
  readonly store: AdminTokenStore;
  readonly nowMs: UnixMs;
}): { readonly accepts: AcceptToken; readonly fresh?: string } {
  if (options.configured !== undefined) return { accepts: acceptor(hashOf(options.configured)) };
  const kept = options.store.read();
  if (kept !== undefined) return { accepts: acceptor(kept) };
  const fresh = randomBytes(32).toString('base64url');
  options.store.write(hashOf(fresh), options.nowMs);
  return { accepts: acceptor(hashOf(fresh)), fresh };
}

function acceptor(expected: Uint8Array): AcceptToken {
  return (presented) => timingSafeEqual(hashOf(presented), expected);
}

/** What is kept of a token: a random one of 256 bits needs no slow hash, a configured one is never written down. */
export function hashOf(token: string): Uint8Array {
  return createHash('sha256').update(token).digest();
}
