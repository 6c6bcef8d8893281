import { hkdfSync } from 'node:crypto';
import fc from 'fast-check';
import { CompactEncrypt, decodeProtectedHeader } from 'jose';
import { describe, expect, it } from 'vitest';
import { createKeyWrap } from '../../../src/adapters/jose/key-wrap.ts';
import { aKey } from '../../support/pass-fakes.ts';

const secret = 'a cluster secret of 32 bytes at least';
const wrap = createKeyWrap(secret);
const ring = [aKey({ id: '3-c' }), aKey({ id: '2-b', createdAt: 7 }), aKey({ id: '1-a' })];

/** A text made with the right key, but by other rules. */
function wrapAs(payload: unknown, header: object = {}) {
  const key = new Uint8Array(hkdfSync('sha256', secret, '', 'understudy viewing keys v1', 32));
  return new CompactEncrypt(new TextEncoder().encode(JSON.stringify(payload)))
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', typ: 'viewing-keys+jwe', ...header })
    .encrypt(key);
}

const listed = { id: '1-a', createdAt: 5, secret: 'A'.repeat(43) };

describe('wrapped viewing keys', () => {
  it('are the same ones at a node with the same cluster secret', async () => {
    expect(await createKeyWrap(secret).unwrap(await wrap.wrap(ring))).toEqual(ring);
    expect(await wrap.unwrap(await wrap.wrap([]))).toEqual([]);
  });

  it('leave out when a key was superseded: each node judges that by itself', async () => {
    const text = await wrap.wrap([aKey({ supersededAt: 12 })]);
    expect(await wrap.unwrap(text)).toEqual([aKey()]);
  });

  it('show nothing but the algorithms', async () => {
    const text = await wrap.wrap(ring);
    expect(decodeProtectedHeader(text)).toEqual({
      alg: 'dir',
      enc: 'A256GCM',
      typ: 'viewing-keys+jwe',
    });
    expect(await wrap.wrap(ring)).not.toBe(text);
  });

  it('are not read by a node of another domain', async () => {
    const other = createKeyWrap(`${secret}.`);
    expect(await other.unwrap(await wrap.wrap(ring))).toBeUndefined();
  });

  it('are not read when one character is altered, lost or added', async () => {
    const text = await wrap.wrap(ring);
    const letters = fc.constantFrom(...'ABCDwxyz0189-_.= ');
    await fc.assert(
      fc.asyncProperty(fc.nat(text.length - 1), letters, async (at, by) => {
        expect(await wrap.unwrap(text.slice(0, at) + text.slice(at + 1))).toBeUndefined();
        expect(await wrap.unwrap(text.slice(0, at) + by + text.slice(at))).toBeUndefined();
        fc.pre(text[at] !== by);
        expect(await wrap.unwrap(text.slice(0, at) + by + text.slice(at + 1))).toBeUndefined();
      }),
    );
  });

  it.each(['', 'junk', '....', 'a.b.c.d.e', 'x'.repeat(16_385)])('are not in %j', async (text) => {
    expect(await wrap.unwrap(text)).toBeUndefined();
  });

  it.each([
    ['of another type', { typ: 'JWT' }],
    ['with another cipher', { enc: 'A128CBC-HS256' }],
    ['that are compressed', { zip: 'DEF' }],
  ])('%s are refused', async (_, header) => {
    expect(await wrap.unwrap(await wrapAs([listed]))).toHaveLength(1);
    expect(await wrap.unwrap(await wrapAs([listed], header))).toBeUndefined();
  });

  it.each([
    'text',
    null,
    { keys: [] },
    [null],
    [7],
    [{ ...listed, id: '0-own' }],
    [{ ...listed, id: 'x-a' }],
    [{ ...listed, id: '1-' }],
    [{ ...listed, id: '1-a b' }],
    [{ ...listed, id: `1-${'a'.repeat(65)}` }],
    [{ ...listed, id: '1234567890-a' }],
    [{ ...listed, createdAt: '5' }],
    [{ ...listed, createdAt: 5.5 }],
    [{ ...listed, secret: 'A'.repeat(42) }],
    [{ ...listed, secret: 'A'.repeat(44) }],
    [{ ...listed, secret: '!' }],
    [listed, { ...listed, secret: undefined }],
  ])('of another form are refused whole: %j', async (payload) => {
    expect(await wrap.unwrap(await wrapAs(payload))).toBeUndefined();
  });

  it('are at most 16', async () => {
    const many = (count: number) =>
      Array.from({ length: count }, (_, index) => aKey({ id: `${index + 1}-a` }));
    expect(await wrap.unwrap(await wrap.wrap(many(16)))).toHaveLength(16);
    expect(await wrap.unwrap(await wrap.wrap(many(17)))).toBeUndefined();
  });
});
