import { type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { type AuthAnswer, loginLengthMax, type ViewerAuthority } from '../../agent/auth-ports.ts';
import { isKeyFault, publicKeyAlgorithms, remoteKeys } from './remote-keys.ts';

/** How far the clock of whoever makes tokens may be off, seconds. */
const toleranceS = 30;

/** Most sessions a token can grant; more is a fault of whoever made it. */
const sessionsMaxMax = 1_000_000;

/**
 * Judges JWTs of viewers: signature, `exp` (required) and `nbf`; `sub` is the login, the claim named by `limitClaim` its
 * most sessions, `streams` (a list of names) what it may watch, where it is there. A shared key takes HS256 only, a
 * JWKS public-key algorithms only.
 */
export function createJwtAuthority(options: {
  readonly keys: { readonly secret: string } | { readonly jwksUrl: string };
  readonly limitClaim: string;
  readonly deadlineMs: number;
}): ViewerAuthority {
  const { keys, limitClaim, deadlineMs } = options;
  const isShared = 'secret' in keys;
  const secret = isShared ? new TextEncoder().encode(keys.secret) : undefined;
  const algorithms = isShared ? ['HS256'] : publicKeyAlgorithms;
  const remote: JWTVerifyGetKey | undefined = isShared
    ? undefined
    : remoteKeys(keys.jwksUrl, deadlineMs);
  return {
    async ask({ token, stream }, now) {
      const checks = {
        ...{ algorithms, requiredClaims: ['exp'], clockTolerance: toleranceS },
        currentDate: new Date(now.wallMs),
      };
      try {
        const { payload } =
          secret !== undefined
            ? await jwtVerify(token, secret, checks)
            : await jwtVerify(token, remote as JWTVerifyGetKey, checks);
        return answerOf(payload, { stream, limitClaim, nowS: now.wallMs / 1000 });
      } catch (error) {
        return isKeyFault(error)
          ? { kind: 'unavailable', cause: 'the keys of the issuer cannot be read' }
          : { kind: 'denied' };
      }
    },
  };
}

function answerOf(
  payload: JWTPayload,
  asked: { readonly stream: string; readonly limitClaim: string; readonly nowS: number },
): AuthAnswer {
  const { sub: login, streams, exp = 0 } = payload;
  const sessionsMax = payload[asked.limitClaim];
  if (streams !== undefined && !(Array.isArray(streams) && streams.includes(asked.stream)))
    return { kind: 'denied' };
  if (login !== undefined && (login === '' || login.length > loginLengthMax))
    return { kind: 'denied' };
  if (sessionsMax !== undefined && !isLimit(sessionsMax)) return { kind: 'denied' };
  return { kind: 'granted', login, sessionsMax, validS: Math.max(0, exp - asked.nowS) };
}

function isLimit(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= sessionsMaxMax;
}
