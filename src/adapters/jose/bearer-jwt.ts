import { createRemoteJWKSet, type JWTPayload, jwtVerify } from 'jose';
import type { Caller } from '../../agent/admin-ports.ts';
import type { Log } from '../../agent/ports.ts';
import type { UnixMs } from '../../core/time.ts';

/** Longest token that is looked at, characters. */
const tokenLengthMax = 8 * 1024;
/** How far the clock of the identity provider may be off, seconds. */
const toleranceS = 60;
/** The provider's keys: how long they are waited for, used, and not asked for again after a miss, ms. */
const keysDeadlineMs = 5_000;
const keysAgeMsMax = 10 * 60_000;
const keysPauseMs = 30_000;
/** Public-key algorithms only: whoever knows the public key must not be able to sign. */
const algorithms = ['RS256', 'PS256', 'ES256', 'ES384', 'EdDSA'];

/** What `scope`, `scp` or `roles` must hold. */
const scopeNames = { write: 'understudy:write', read: 'understudy:read' } as const;

/**
 * Judges bearer tokens of an OpenID Connect provider (`docs/api.md`): signature by a key of its JWKS, issuer, audience
 * and time, all required. What it may do is in `scope` (words), `scp` or `roles` (lists).
 *
 * Undefined for whatever is not such a token, and while the keys cannot be read, which is logged. Never throws.
 */
export function createBearerJwt(options: {
  readonly issuer: string;
  readonly audience: string;
  readonly jwksUrl: string;
  readonly log: Log;
}): (presented: string, nowMs: UnixMs) => Promise<Caller | undefined> {
  const { issuer, audience, log } = options;
  const keys = createRemoteJWKSet(new URL(options.jwksUrl), {
    timeoutDuration: keysDeadlineMs,
    cacheMaxAge: keysAgeMsMax,
    cooldownDuration: keysPauseMs,
  });
  return async (presented, nowMs) => {
    if (presented.length > tokenLengthMax || presented.split('.').length !== 3) return undefined;
    try {
      const { payload } = await jwtVerify(presented, keys, {
        ...{ algorithms, issuer, audience },
        requiredClaims: ['sub', 'exp'],
        currentDate: new Date(nowMs),
        clockTolerance: toleranceS,
      });
      return callerOf(payload);
    } catch (error) {
      // What a caller sends is not worth a line; a provider that cannot be asked is.
      const code = Object(error).code;
      if (typeof code !== 'string' || code === 'ERR_JWKS_TIMEOUT' || code === 'ERR_JOSE_GENERIC')
        log.warn('identity provider not reached', { cause: Object(error).message });
      return undefined;
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
