import { createRemoteJWKSet, type JWTVerifyGetKey } from 'jose';

/** How long keys are used, and not asked for again after a miss, ms. */
const keysAgeMsMax = 10 * 60_000;
const keysPauseMs = 30_000;

/** Public-key algorithms only: whoever knows the public key must not be able to sign. */
export const publicKeyAlgorithms = ['RS256', 'PS256', 'ES256', 'ES384', 'EdDSA'];

/** What jose says when the keys could not be read; any other code of its own is the fault of a token. */
const keyFaults: ReadonlySet<unknown> = new Set([
  'ERR_JWKS_TIMEOUT',
  'ERR_JOSE_GENERIC',
  'ERR_JWKS_INVALID',
]);

/** The public keys of whoever signs tokens, read when they are needed, within `deadlineMs`, and kept. */
export function remoteKeys(jwksUrl: string, deadlineMs: number): JWTVerifyGetKey {
  return createRemoteJWKSet(new URL(jwksUrl), {
    timeoutDuration: deadlineMs,
    cacheMaxAge: keysAgeMsMax,
    cooldownDuration: keysPauseMs,
  });
}

/** Whether a token could not be judged because the keys could not be read. */
export function isKeyFault(error: unknown): boolean {
  const code = Object(error).code;
  return typeof code !== 'string' || keyFaults.has(code);
}
