import { describe, expect, it } from 'vitest';
import { loadConfig } from '../src/config.ts';

const key = 'a shared key of viewers, long enough for HS256';
const prefix = 'UNDERSTUDY_VIEWER_AUTH';

const authOf = (env: Record<string, string>) => loadConfig(env, 'node-a').viewers.auth;

/** The faults of these variables, as the operator reads them. */
function faultsOf(env: Record<string, string>): string {
  try {
    loadConfig(env, 'node-a');
  } catch (error) {
    return String(error);
  }
  return '';
}

describe('the settings of viewer authentication', () => {
  it('are none by default', () => {
    expect(authOf({})).toBeUndefined();
  });

  it('take a shared key, a JWKS or a backend', () => {
    const common = { deadlineMs: 800, cacheS: 180, failsOpen: false };
    expect(authOf({ [prefix]: 'jwt', [`${prefix}_JWT_KEY`]: key })).toEqual({
      ...{ kind: 'jwt', keys: { secret: key }, limitClaim: 'max_sessions', ...common },
    });
    expect(
      authOf({ [prefix]: 'jwt', [`${prefix}_JWKS_URL`]: 'https://id.example.net/keys' }),
    ).toMatchObject({ keys: { jwksUrl: 'https://id.example.net/keys' } });
    expect(
      authOf({
        [prefix]: 'http',
        [`${prefix}_URL`]: 'http://10.0.0.1/auth',
        [`${prefix}_ON_FAILURE`]: 'fail-open',
        [`${prefix}_CACHE_S`]: '0',
      }),
    ).toEqual({ kind: 'http', url: 'http://10.0.0.1/auth', ...common, cacheS: 0, failsOpen: true });
  });

  it.each([
    [{ [prefix]: 'jwt' }, `${prefix}_JWT_KEY or ${prefix}_JWKS_URL must be set`],
    [
      {
        [prefix]: 'jwt',
        [`${prefix}_JWT_KEY`]: key,
        [`${prefix}_JWKS_URL`]: 'https://id.example.net/keys',
      },
      'not both',
    ],
    [{ [prefix]: 'http' }, `${prefix}_URL must be set`],
    [{ [prefix]: 'jwt', [`${prefix}_JWT_KEY`]: 'x'.repeat(31) }, 'at least 32 bytes'],
    [{ [prefix]: 'basic' }, `${prefix} must be none, jwt, http`],
    [{ [prefix]: 'http', [`${prefix}_URL`]: 'ftp://x/' }, `${prefix}_URL must be an http(s) URL`],
    [{ UNDERSTUDY_LOGIN_LIMIT_SCOPE: 'world' }, 'UNDERSTUDY_LOGIN_LIMIT_SCOPE must be node, group'],
  ])('%j are refused', (env, fault) => {
    expect(faultsOf(env)).toContain(fault);
    expect(faultsOf(env)).not.toContain(key);
  });
});
