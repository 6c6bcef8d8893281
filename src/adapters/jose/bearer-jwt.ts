import { type JWTPayload, jwtVerify } from 'jose';
import type { Caller } from '../../agent/admin-ports.ts';
import type { Log } from '../../agent/ports.ts';
import type { UnixMs } from '../../core/time.ts';
import { isKeyFault, publicKeyAlgorithms, remoteKeys } from './remote-keys.ts';

/** Longest token that is looked at, characters. */
const tokenLengthMax = 8 * 1024;
/** How far the clock of the identity provider may be off, seconds. */
const toleranceS = 60;
/** How long the provider's keys are waited for, ms. */
const keysDeadlineMs = 5_000;
/** A provider that cannot be asked is told of once in so long: every request of a console meets it. */
const tellMs = 60_000;

/** What `scope`, `scp` or `roles` must hold. */
const scopeNames = { write: 'understudy:write', read: 'understudy:read' } as const;

/**
 * Judges bearer tokens of an OpenID Connect provider (`docs/api.md`): signature by a key of its JWKS, issuer, audience
 * and time, all required. What it may do is in `scope` (words), `scp` or `roles` (lists).
 *
 * Undefined for whatever is not such a token; `unavailable` while the keys cannot be read, which is logged. Never
 * throws.
 */
export function createBearerJwt(options: {
  readonly issuer: string;
  readonly audience: string;
  readonly jwksUrl: string;
  readonly log: Log;
}): (presented: string, nowMs: UnixMs) => Promise<Caller | 'unavailable' | undefined> {
  const { issuer, audience, log } = options;
  const keys = remoteKeys(options.jwksUrl, keysDeadlineMs);
  let toldAt = Number.NEGATIVE_INFINITY;
  return async (presented, nowMs) => {
    if (presented.length > tokenLengthMax || presented.split('.').length !== 3) return undefined;
    try {
      const { payload } = await jwtVerify(presented, keys, {
        ...{ algorithms: publicKeyAlgorithms, issuer, audience },
        requiredClaims: ['sub', 'exp'],
        currentDate: new Date(nowMs),
        clockTolerance: toleranceS,
      });
      return callerOf(payload);
    } catch (error) {
      // What a caller sends is not worth a line; a provider that cannot be asked is.
      if (!isKeyFault(error)) return undefined;
      if (Math.abs(nowMs - toldAt) >= tellMs) {
        toldAt = nowMs;
        log.warn('identity provider not reached', { cause: Object(error).message });
      }
      return 'unavailable';
    }
  };
}

function callerOf({ sub, scope, scp, roles }: JWTPayload): Caller | undefined {
  const words = [scope, scp, roles].flatMap((value) =>
    typeof value === 'string' ? value.split(' ') : Array.isArray(value) ? value : [],
  );
  const who = `user ${sub?.slice(0, 100)}`;
  if (words.includes(scopeNames.write)) return { who, scope: 'write' };
  return words.includes(scopeNames.read) ? { who, scope: 'read' } : undefined;
}
