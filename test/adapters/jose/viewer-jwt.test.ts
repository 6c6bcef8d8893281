import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createJwtAuthority } from '../../../src/adapters/jose/viewer-jwt.ts';
import { testNow } from '../../support/builders.ts';

const secret = 'a shared key of viewers, long enough for HS256';
const bytes = new TextEncoder().encode(secret);
const nowS = testNow.wallMs / 1000;

const question = {
  ...{ address: '203.0.113.1', stream: 'ch1', session: 's1' },
  protocol: 'hls',
} as const;

const signed = (claims: object, alg = 'HS256', key: Parameters<SignJWT['sign']>[0] = bytes) =>
  new SignJWT({ sub: 'anna', exp: nowS + 60, ...claims })
    .setProtectedHeader({ alg, ...(alg === 'HS256' ? {} : { kid: 'k1' }) })
    .sign(key);

const shared = createJwtAuthority({
  ...{ keys: { secret }, limitClaim: 'max_sessions', deadlineMs: 300 },
});
const ask = (token: string) => shared.ask({ ...question, token }, testNow);

/** A JWKS over HTTP; `down` makes it fail. */
async function serveKeys(body: string) {
  const state = { down: false };
  const server = createServer((_, response) => {
    response.statusCode = state.down ? 500 : 200;
    response.setHeader('content-type', 'application/json');
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { state, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys` };
}

describe("a viewer's JWT", () => {
  it('grants its login, with the most sessions it names, until it runs out', async () => {
    expect(await ask(await signed({ max_sessions: 3 }))).toEqual({
      ...{ kind: 'granted', login: 'anna', sessionsMax: 3, validS: 60 },
    });
    expect(await ask(await signed({}))).toMatchObject({ kind: 'granted', sessionsMax: undefined });
  });

  it.each([
    ['run out 29 s ago', { exp: nowS - 29 }, 'granted'],
    ['run out 30 s ago', { exp: nowS - 30 }, 'denied'],
    ['good in 30 s', { nbf: nowS + 30 }, 'granted'],
    ['good in 31 s', { nbf: nowS + 31 }, 'denied'],
    ['for this stream', { streams: ['ch0', 'ch1'] }, 'granted'],
    ['for other streams', { streams: ['ch10'] }, 'denied'],
    ['for a text instead of streams', { streams: 'ch1' }, 'denied'],
    ['for no session at all', { max_sessions: 0 }, 'granted'],
    ['for less than no session', { max_sessions: -1 }, 'denied'],
    ['for half a session', { max_sessions: 0.5 }, 'denied'],
    ['for a text of sessions', { max_sessions: '2' }, 'denied'],
    ['with a login of 201 characters', { sub: 'x'.repeat(201) }, 'denied'],
    ['with an empty login', { sub: '' }, 'denied'],
  ])('%s is %s', async (_, claims, kind) => {
    expect((await ask(await signed(claims))).kind).toBe(kind);
  });

  it('that never runs out, is altered, signed with another key or not at all is denied', async () => {
    const good = await signed({});
    const endless = new SignJWT({ sub: 'anna' }).setProtectedHeader({ alg: 'HS256' });
    const other = new TextEncoder().encode('another shared key, long enough for HS256 too');
    const none = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${good.split('.')[1]}.`;
    for (const token of [
      await endless.sign(bytes),
      `${good.slice(0, -2)}${good.endsWith('AA') ? 'BB' : 'AA'}`,
      await signed({}, 'HS256', other),
      none,
      'not a token',
    ])
      expect(await ask(token)).toEqual({ kind: 'denied' });
  });

  it('is checked against a JWKS, by public-key algorithms only', async () => {
    const { publicKey, privateKey } = await generateKeyPair('ES256');
    const jwk = { ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES256' };
    const keys = await serveKeys(JSON.stringify({ keys: [jwk] }));
    const authority = createJwtAuthority({
      ...{ keys: { jwksUrl: keys.url }, limitClaim: 'plan/streams', deadlineMs: 1_000 },
    });
    const askIt = (token: string) => authority.ask({ ...question, token }, testNow);
    const good = await signed({ 'plan/streams': 1 }, 'ES256', privateKey);
    expect(await askIt(good)).toMatchObject({ kind: 'granted', login: 'anna', sessionsMax: 1 });
    expect(await askIt(await signed({}))).toEqual({ kind: 'denied' });
    const { privateKey: stranger } = await generateKeyPair('ES256');
    expect(await askIt(await signed({}, 'ES256', stranger))).toEqual({ kind: 'denied' });
  });

  it('cannot be judged while the JWKS cannot be read', async () => {
    const { privateKey } = await generateKeyPair('ES256');
    const token = await signed({}, 'ES256', privateKey);
    for (const body of ['not JSON', '{"keys":1}', '']) {
      const keys = await serveKeys(body);
      keys.state.down = body === '';
      const authority = createJwtAuthority({
        ...{ keys: { jwksUrl: keys.url }, limitClaim: 'max_sessions', deadlineMs: 1_000 },
      });
      expect((await authority.ask({ ...question, token }, testNow)).kind).toBe('unavailable');
    }
  });
});
