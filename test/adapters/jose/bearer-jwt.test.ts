import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createBearerJwt } from '../../../src/adapters/jose/bearer-jwt.ts';
import { createFakeLog } from '../../support/fake-log.ts';

const nowMs = 1_790_000_000_000;
const nowS = nowMs / 1000;
const issuer = 'https://id.example.net';
const audience = 'understudy';

/** A provider with one key pair, and the judge of its tokens. */
async function provider(alg = 'RS256') {
  const { publicKey, privateKey } = await generateKeyPair(alg);
  const keys = { keys: [{ ...(await exportJWK(publicKey)), kid: 'one', alg }] };
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify(keys));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => void server.close());
  const log = createFakeLog();
  const jwksUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks`;
  const callerOf = createBearerJwt({ issuer, audience, jwksUrl, log });
  const sign = (claims: JWTPayload = {}, key = privateKey, algorithm = alg) =>
    new SignJWT({
      ...{ iss: issuer, aud: audience, sub: 'anna', exp: nowS + 600, scope: 'understudy:write' },
      ...claims,
    })
      .setProtectedHeader({ alg: algorithm, kid: 'one' })
      .sign(key);
  return { callerOf, sign, log, publicKey };
}

describe('a token of the identity provider', () => {
  it.each(['RS256', 'PS256', 'ES256', 'EdDSA'])('signed with %s is good', async (alg) => {
    const { callerOf, sign } = await provider(alg);
    expect(await callerOf(await sign(), nowMs)).toEqual({ who: 'user anna', scope: 'write' });
  });

  it.each([
    [{ scope: 'openid understudy:read' }, 'read'],
    [{ scope: '', scp: ['understudy:read'] }, 'read'],
    [{ scope: 'understudy:read', roles: ['understudy:write'] }, 'write'],
    [{ scope: 'understudy:writer xunderstudy:read' }, undefined],
    [{ scope: 'openid' }, undefined],
  ])('with %j may %s', async (claims, scope) => {
    const { callerOf, sign } = await provider();
    const caller = await callerOf(await sign(claims), nowMs);
    expect(Object(caller).scope).toBe(scope);
  });

  it.each([
    ['another issuer', { iss: 'https://evil.example.net' }],
    ['another audience', { aud: 'other' }],
    ['no subject', { sub: undefined }],
    ['no end', { exp: undefined }],
    ['its end 60 s ago', { exp: nowS - 60 }],
    ['a beginning in 61 s', { nbf: nowS + 61 }],
  ])('with %s is not', async (_, claims) => {
    const { callerOf, sign } = await provider();
    expect(await callerOf(await sign(claims as JWTPayload), nowMs)).toBeUndefined();
  });

  it('may be 59 s over, for clocks that differ', async () => {
    const { callerOf, sign } = await provider();
    expect(await callerOf(await sign({ exp: nowS - 59 }), nowMs)).toBeDefined();
  });

  it('signed with another key, or with the public key as a secret, is not', async () => {
    const { callerOf, sign, publicKey } = await provider();
    const other = await generateKeyPair('RS256');
    expect(await callerOf(await sign({}, other.privateKey), nowMs)).toBeUndefined();
    const secret = new TextEncoder().encode(JSON.stringify(await exportJWK(publicKey)));
    expect(await callerOf(await sign({}, secret as never, 'HS256'), nowMs)).toBeUndefined();
  });
});

it('what is no JWT is refused without a word, a provider that is not there with one', async () => {
  const { sign } = await provider();
  const log = createFakeLog();
  const callerOf = createBearerJwt({ issuer, audience, jwksUrl: 'http://127.0.0.1:9/jwks', log });
  for (const text of ['x', 'a.b.c', `${'x'.repeat(9_000)}.b.c`])
    expect(await callerOf(text, nowMs)).toBeUndefined();
  expect(log.lines).toEqual([]);
  const token = await sign();
  const told = { level: 'warn', event: 'identity provider not reached' };
  for (const ms of [0, 59_999]) {
    expect(await callerOf(token, nowMs + ms)).toBe('unavailable');
    expect(log.lines).toMatchObject([told]);
  }
  expect(await callerOf(token, nowMs + 60_000)).toBe('unavailable');
  expect(log.lines).toMatchObject([told, told]);
  expect(JSON.stringify(log.lines)).not.toContain(token);
});
