import { describe, expect, it } from 'vitest';
import { createPassSigner } from '../../src/adapters/jose/pass-signer.ts';
import { Passes } from '../../src/agent/passes.ts';
import type { PassSigner, PassVerdict } from '../../src/agent/ports.ts';
import { passLengthMax } from '../../src/core/pass/claims.ts';
import { aKey, someClaims } from '../support/pass-fakes.ts';

const signed = (sub: string): PassVerdict => ({ kind: 'signed', claims: someClaims({ sub }) });
const cachedMax = 20_000;

/** A signer that takes every text but those that begin with `forged`, and counts. */
function countingSigner(): PassSigner & { calls: number } {
  return {
    calls: 0,
    sign: async ({ sub }) => sub,
    async verify(pass) {
      this.calls += 1;
      if (pass === 'broken') throw new Error('no entropy');
      if (pass.startsWith('forged')) return { kind: 'refused', reason: 'pass-signature' };
      return signed(pass);
    },
  };
}

function setUp() {
  const signer = countingSigner();
  return { signer, passes: new Passes({ signer, keyOf: () => undefined }) };
}

describe('passes', () => {
  it('that were verified once are known at once', async () => {
    const { signer, passes } = setUp();
    const first = passes.verify('a');
    expect(first).toBeInstanceOf(Promise);
    expect(await first).toEqual(signed('a'));
    expect(passes.verify('a')).toBe(passes.verify('a'));
    expect(passes.verify('a')).toEqual(signed('a'));
    expect(signer.calls).toBe(1);
  });

  it('that arrive at the same time are verified once', async () => {
    const { signer, passes } = setUp();
    expect(await Promise.all([1, 2, 3].map(() => passes.verify('a')))).toEqual([
      signed('a'),
      signed('a'),
      signed('a'),
    ]);
    expect(signer.calls).toBe(1);
  });

  it('that are refused are not remembered', async () => {
    const { signer, passes } = setUp();
    await passes.verify('forged');
    expect(await passes.verify('forged')).toEqual({ kind: 'refused', reason: 'pass-signature' });
    expect(signer.calls).toBe(2);
    expect(passes.size).toBe(0);
  });

  it('are tried again after the signer failed', async () => {
    const { signer, passes } = setUp();
    await expect(passes.verify('broken')).rejects.toThrow('no entropy');
    await expect(passes.verify('broken')).rejects.toThrow('no entropy');
    expect(signer.calls).toBe(2);
  });

  it('that are too long are refused before anything is looked up', () => {
    const { signer, passes } = setUp();
    expect(passes.verify('x'.repeat(passLengthMax + 1))).toEqual({
      kind: 'refused',
      reason: 'pass-too-long',
    });
    expect(signer.calls).toBe(0);
    expect(passes.verify('x'.repeat(passLengthMax))).toBeInstanceOf(Promise);
  });

  it('are remembered within bounds, those in use longest', async () => {
    const { signer, passes } = setUp();
    await passes.verify('watched');
    for (let viewer = 0; viewer < cachedMax * 3; viewer += 1) {
      await passes.verify(`v${viewer}`);
      if (viewer % 5_000 === 0) {
        expect(passes.verify('watched')).toEqual(signed('watched'));
        await passes.verify(`forged${viewer}`);
      }
      if (passes.size > cachedMax * 2) throw new Error(`${passes.size} passes remembered`);
    }
    expect(passes.size).toBeGreaterThan(cachedMax);
    expect(signer.calls).toBe(cachedMax * 3 + 1 + 12);
    expect(passes.verify('v0')).toBeInstanceOf(Promise);
  });

  it('that were issued are verified, and stay known when their key is dropped', async () => {
    const key = aKey();
    let held: typeof key | undefined = key;
    const passes = new Passes({ signer: createPassSigner(), keyOf: () => held });
    const pass = await passes.issue(someClaims(), key);
    expect(await passes.verify(pass)).toEqual({ kind: 'signed', claims: someClaims() });
    held = undefined;
    expect(passes.verify(pass)).toEqual({ kind: 'signed', claims: someClaims() });
  });
});
