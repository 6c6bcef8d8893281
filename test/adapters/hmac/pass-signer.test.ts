import { generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { base64url, CompactSign, jwtVerify, SignJWT, UnsecuredJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { createPassSigner } from '../../../src/adapters/hmac/pass-signer.ts';
import type { ViewingKey } from '../../../src/agent/ports.ts';
import { checkPass } from '../../../src/core/pass/check.ts';
import { passLengthMax } from '../../../src/core/pass/claims.ts';
import { testNow } from '../../support/builders.ts';
import { aKey, someClaims } from '../../support/pass-fakes.ts';

const signer = createPassSigner();
const key = aKey();
const keys = new Map<string, ViewingKey>([[key.id, key]]);
const verify = (pass: string) => signer.verify(pass, (id) => keys.get(id));
const nowS = testNow.wallMs / 1000;
const passHeader = { alg: 'HS256', typ: 'pass+jwt', kid: key.id };

const jwtPayload = { ...someClaims(), aud: [...someClaims().aud] };

/** A pass with any header, its signature right for the header and payload as they are. */
async function forge(header: object, payload: object | string, secret = key.secret) {
  const text = typeof payload === 'string' ? payload : JSON.stringify(payload);
  const head = base64url.encode(JSON.stringify(header));
  const input = `${head}.${base64url.encode(text)}`;
  const signing = await crypto.subtle.importKey(
    'raw',
    Uint8Array.from(secret),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['sign'],
  );
  const signature = await crypto.subtle.sign('HMAC', signing, new TextEncoder().encode(input));
  return `${input}.${base64url.encode(new Uint8Array(signature))}`;
}

/** What jose says of a pass at `node-b`, with everything explicit. */
async function referee(pass: string) {
  const { payload } = await jwtVerify(pass, key.secret, {
    algorithms: ['HS256'],
    typ: 'pass+jwt',
    audience: 'node-b',
    requiredClaims: ['iss', 'aud', 'sub', 'grp', 'iat', 'nbf', 'exp', 'hop'],
    currentDate: new Date(testNow.wallMs),
    clockTolerance: 240,
  });
  return payload;
}

async function verdictHere(pass: string) {
  const verdict = await verify(pass);
  if (verdict.kind === 'refused') return verdict;
  const here = { node: 'node-b', group: 'ch1', now: testNow, sessionActive: false };
  return checkPass(verdict.claims, here);
}

describe('a pass', () => {
  it('that is issued is good, and jose agrees', async () => {
    const claims = someClaims({ lgn: 'anna', hop: ['node-d'] });
    const pass = await signer.sign(claims, key);
    expect(await verify(pass)).toEqual({ kind: 'signed', claims });
    expect(await referee(pass)).toEqual(claims);
  });

  it('is of characters that need no escape in a query', async () => {
    expect(await signer.sign(someClaims(), key)).toMatch(/^[\w.-]+$/);
  });

  it.each([
    ['nbf', 239, 'good'],
    ['nbf', 240, 'good'],
    ['nbf', 241, 'pass-not-yet-valid'],
    ['exp', -239, 'good'],
    ['exp', -240, 'pass-expired'],
    ['exp', -241, 'pass-expired'],
  ])('with %s at %i s is judged as jose judges it: %s', async (claim, offsetS, expected) => {
    const pass = await signer.sign(someClaims({ [claim]: nowS + offsetS }), key);
    const verdict = await verdictHere(pass);
    expect(verdict.kind === 'good' ? 'good' : verdict.reason).toBe(expected);
    if (expected === 'good') await expect(referee(pass)).resolves.toBeDefined();
    else await expect(referee(pass)).rejects.toThrow(`"${claim}" claim timestamp check failed`);
  });

  it('for other nodes is refused as jose refuses it', async () => {
    const pass = await signer.sign(someClaims({ aud: ['node-a', 'node-c'] }), key);
    expect(await verdictHere(pass)).toEqual({ kind: 'refused', reason: 'pass-audience' });
    await expect(referee(pass)).rejects.toThrow('unexpected "aud" claim value');
  });

  it('issued is good and with any one character changed refused, whatever its claims', async () => {
    const text = fc.string({ minLength: 1, maxLength: 30 });
    const someText = fc.record({
      iss: text,
      sub: text,
      grp: text,
      aud: fc.array(text, { minLength: 1, maxLength: 3 }),
      hop: fc.array(text, { maxLength: 2 }),
    });
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=+/';
    await fc.assert(
      fc.asyncProperty(someText, fc.nat(), fc.constantFrom(...alphabet), async (texts, at, by) => {
        const claims = someClaims(texts);
        const pass = await signer.sign(claims, key);
        expect(await verify(pass)).toEqual({ kind: 'signed', claims });
        const place = at % pass.length;
        fc.pre(pass[place] !== by);
        expect((await verify(pass.slice(0, place) + by + pass.slice(place + 1))).kind).toBe(
          'refused',
        );
      }),
      { numRuns: 300 },
    );
  });

  it('has one spelling only: its last character cannot be exchanged for one that decodes equally', async () => {
    const pass = await signer.sign(someClaims(), key);
    const last = pass.slice(-1);
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    for (const other of alphabet) {
      if (other === last) continue;
      expect(await verify(pass.slice(0, -1) + other)).toEqual(refused('pass-signature'));
    }
  });
});

const refused = (reason: string) => ({ kind: 'refused', reason });

describe('a pass that is not ours', () => {
  it.each(['none', 'None', 'NONE'])('with alg %s is refused', async (alg) => {
    expect(await verify(new UnsecuredJWT(jwtPayload).encode())).toEqual(refused('pass-algorithm'));
    const [, payload, signature] = (await signer.sign(someClaims(), key)).split('.');
    const head = base64url.encode(JSON.stringify({ ...passHeader, alg }));
    expect(await verify(`${head}.${payload}.`)).toEqual(refused('pass-algorithm'));
    expect(await verify(`${head}.${payload}.${signature}`)).toEqual(refused('pass-algorithm'));
  });

  it('signed with RS256 is refused, and so is one that takes the public key for a shared secret', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const pass = await new SignJWT(jwtPayload)
      .setProtectedHeader({ ...passHeader, alg: 'RS256' })
      .sign(privateKey);
    expect(await verify(pass)).toEqual(refused('pass-algorithm'));
    const asSecret = new TextEncoder().encode(
      publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    );
    expect(await verify(await forge(passHeader, someClaims(), asSecret))).toEqual(
      refused('pass-signature'),
    );
  });

  it('signed with ES256, HS384 or HS512 is refused', async () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const wide = new Uint8Array(64);
    for (const [alg, by] of [
      ['ES256', privateKey],
      ['HS384', wide],
      ['HS512', wide],
    ] as const) {
      const pass = await new SignJWT(jwtPayload)
        .setProtectedHeader({ ...passHeader, alg })
        .sign(by);
      expect(await verify(pass), alg).toEqual(refused('pass-algorithm'));
    }
  });

  it.each(['JWT', 'pass+jwe', 'PASS+JWT', 'application/pass+jwt', '', undefined, 7])(
    'of type %j is refused',
    async (typ) => {
      expect(await verify(await forge({ ...passHeader, typ }, someClaims()))).toEqual(
        refused('pass-type'),
      );
    },
  );

  it.each(['2-other', '__proto__', ''])('of key %j, which is not held, is refused', async (kid) => {
    expect(await verify(await forge({ ...passHeader, kid }, someClaims()))).toEqual(
      refused('pass-unknown-key'),
    );
  });

  it('of a key that was dropped is refused', async () => {
    const pass = await signer.sign(someClaims(), key);
    expect(await signer.verify(pass, () => undefined)).toEqual(refused('pass-unknown-key'));
  });

  it('signed by another key under the name of ours is refused', async () => {
    const pass = await signer.sign(someClaims(), aKey({ secret: new Uint8Array(32) }));
    expect(await verify(pass)).toEqual(refused('pass-signature'));
  });

  it('without key id is refused', async () => {
    const { kid: _, ...header } = passHeader;
    expect(await verify(await forge(header, someClaims()))).toEqual(refused('pass-malformed'));
  });

  it('is verified by its own key only: two nodes with the same key id and other secrets', async () => {
    const other = aKey({ secret: new Uint8Array(32).fill(9) });
    const pass = await signer.sign(someClaims(), other);
    expect((await signer.verify(pass, () => other)).kind).toBe('signed');
    expect((await verify(pass)).kind).toBe('refused');
  });

  it.each([
    ['crit', ['exp']],
    ['b64', false],
    ['jwk', { kty: 'oct', k: base64url.encode(key.secret) }],
    ['jku', 'https://example.net/keys'],
    ['x5c', ['MIIB']],
    ['zip', 'DEF'],
  ])('with %s in its header is refused', async (name, value) => {
    expect(await verify(await forge({ ...passHeader, [name]: value }, someClaims()))).toEqual(
      refused('pass-malformed'),
    );
  });

  it('that says a member of its header twice is judged by the one that jose reads', async () => {
    const payload = base64url.encode(JSON.stringify(someClaims()));
    const twice = (first: string, last: string) =>
      base64url.encode(`{"alg":"${first}","typ":"pass+jwt","kid":"${key.id}","alg":"${last}"}`);
    const tail = `${payload}.${'A'.repeat(43)}`;
    expect(await verify(`${twice('HS256', 'none')}.${tail}`)).toEqual(refused('pass-algorithm'));
    expect(await verify(`${twice('none', 'HS256')}.${tail}`)).toEqual(refused('pass-signature'));
  });

  it('lacking any claim is refused', async () => {
    for (const name of Object.keys(someClaims())) {
      const { [name as 'iss']: _, ...rest } = someClaims();
      expect(await verify(await forge(passHeader, rest)), name).toEqual(refused('pass-claims'));
    }
  });

  it.each(['null', '7', '[]', '"text"', '{', '', '\u0000'])(
    'with payload %j is refused',
    async (payload) => {
      const verdict = await verify(await forge(passHeader, payload));
      expect(verdict).toEqual(refused(payload === '' ? 'pass-malformed' : 'pass-claims'));
    },
  );

  it('with a payload that is not UTF-8 is refused', async () => {
    const pass = await new CompactSign(Uint8Array.of(0x7b, 0xff, 0x7d))
      .setProtectedHeader(passHeader)
      .sign(key.secret);
    expect(await verify(pass)).toEqual(refused('pass-claims'));
  });

  it.each([
    '',
    '.',
    '..',
    'junk',
    'a.b',
    'a.b.c',
    'e30.e30.',
    'bnVsbA.e30.c2ln',
    'eyJhbGciOiJIUzI1NiJ9.e30.c2ln.c2ln',
    '%2e%2e',
    '{"alg":"HS256"}.e30.c2ln',
    'ÿ.ÿ.ÿ',
  ])('like %j is refused', async (text) => {
    expect((await verify(text)).kind).toBe('refused');
  });

  it('is looked at up to 2,048 characters', async () => {
    const lengthWith = async (letters: number) =>
      signer.sign(someClaims({ lgn: 'x'.repeat(letters) }), key);
    const letters = Math.floor(((passLengthMax - (await lengthWith(1)).length) * 3) / 4) - 8;
    for (let more = 0; more < 24; more += 1) {
      const pass = await lengthWith(letters + more);
      const expected = pass.length <= passLengthMax ? 'signed' : 'refused';
      expect((await verify(pass)).kind, `${pass.length}`).toBe(expected);
    }
    expect(await verify(await lengthWith(10_240))).toEqual(refused('pass-too-long'));
  });

  it('of 10 KB junk is refused for its length', async () => {
    expect(await verify('x'.repeat(10_240))).toEqual(refused('pass-too-long'));
  });
});
