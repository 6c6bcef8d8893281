import type { z } from 'zod';
import type { variables } from './config-variables.ts';
import type { ViewerAuthConfig } from './core/config.ts';

type Values = z.output<z.ZodObject<typeof variables>>;

/** How viewers are checked, as the variables say. */
export function viewerAuthOf(values: Values): ViewerAuthConfig | undefined {
  const {
    UNDERSTUDY_VIEWER_AUTH: kind,
    UNDERSTUDY_VIEWER_AUTH_JWT_KEY: secret,
    UNDERSTUDY_VIEWER_AUTH_JWKS_URL: jwksUrl,
    UNDERSTUDY_VIEWER_AUTH_URL: url,
  } = values;
  const common = {
    deadlineMs: values.UNDERSTUDY_VIEWER_AUTH_DEADLINE_MS,
    cacheS: values.UNDERSTUDY_VIEWER_AUTH_CACHE_S,
    failsOpen: values.UNDERSTUDY_VIEWER_AUTH_ON_FAILURE === 'fail-open',
  };
  if (kind === 'http' && url !== undefined) return { kind, url, ...common };
  const keys = secret !== undefined ? { secret } : jwksUrl !== undefined ? { jwksUrl } : undefined;
  const limitClaim = values.UNDERSTUDY_VIEWER_AUTH_LIMIT_CLAIM;
  return kind === 'jwt' && keys !== undefined ? { kind, keys, limitClaim, ...common } : undefined;
}

/** What is missing for the way chosen, or too much. */
export function viewerAuthFaults(set: Readonly<Record<string, string>>): string[] {
  const { UNDERSTUDY_VIEWER_AUTH: kind } = set;
  const keys = ['UNDERSTUDY_VIEWER_AUTH_JWT_KEY', 'UNDERSTUDY_VIEWER_AUTH_JWKS_URL'] as const;
  const given = keys.filter((name) => set[name] !== undefined);
  if (kind === 'jwt' && given.length !== 1)
    return [`${keys[0]} or ${keys[1]} must be set, not both: UNDERSTUDY_VIEWER_AUTH is jwt`];
  if (kind === 'http' && set.UNDERSTUDY_VIEWER_AUTH_URL === undefined)
    return ['UNDERSTUDY_VIEWER_AUTH_URL must be set: UNDERSTUDY_VIEWER_AUTH is http'];
  return [];
}
