import type { PassClaims } from './claims.ts';

/** Most nodes a pass may name as its audience or as visited; texts are bounded by the length of the pass. */
const nodesMax = 8;

/**
 * The claims in a parsed payload, members we do not know left out; undefined when one is missing or of the wrong
 * form. `aud` must be a list, times whole Unix seconds.
 */
export function readClaims(payload: unknown): PassClaims | undefined {
  if (typeof payload !== 'object' || payload === null) return undefined;
  const { iss, aud, sub, grp, lgn, iat, nbf, exp, hop } = payload as Record<string, unknown>;
  if (!isText(iss) || !isText(sub) || !isText(grp)) return undefined;
  if (lgn !== undefined && !isText(lgn)) return undefined;
  if (!isTime(iat) || !isTime(nbf) || !isTime(exp)) return undefined;
  if (!isNodes(aud) || aud.length === 0 || !isNodes(hop)) return undefined;
  return lgn === undefined
    ? { iss, aud, sub, grp, iat, nbf, exp, hop }
    : { iss, aud, sub, grp, lgn, iat, nbf, exp, hop };
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function isTime(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isNodes(value: unknown): value is string[] {
  return Array.isArray(value) && value.length <= nodesMax && value.every(isText);
}
