import { describe, expect, it } from 'vitest';
import { createPassSigner } from '../../src/adapters/hmac/pass-signer.ts';
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
    sign: ({ sub }) => sub,
    verify(pass) {
      this.calls += 1;
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
  it('that were verified once are known at once', () => {
    const { signer, passes } = setUp();
    const first = passes.verify('a');
    expect(passes.verify('a')).toBe(first);
    expect(passes.verify('a')).toEqual(signed('a'));
    expect(signer.calls).toBe(1);
  });

  it('that are refused are not remembered', () => {
    const { signer, passes } = setUp();
    passes.verify('forged');
    expect(passes.verify('forged')).toEqual({ kind: 'refused', reason: 'pass-signature' });
    expect(signer.calls).toBe(2);
    expect(passes.size).toBe(0);
  });

  it('that are too long are refused before anything is looked up', () => {
    const { signer, passes } = setUp();
    expect(passes.verify('x'.repeat(passLengthMax + 1))).toEqual({
      kind: 'refused',
      reason: 'pass-too-long',
    });
    expect(signer.calls).toBe(0);
    passes.verify('x'.repeat(passLengthMax));
    expect(signer.calls).toBe(1);
  });

  it('are remembered within bounds, those in use longest', () => {
    const { signer, passes } = setUp();
    passes.verify('watched');
    for (let viewer = 0; viewer < cachedMax * 3; viewer += 1) {
      passes.verify(`v${viewer}`);
      if (viewer % 5_000 === 0) {
        expect(passes.verify('watched')).toEqual(signed('watched'));
        passes.verify(`forged${viewer}`);
      }
      if (passes.size > cachedMax * 2) throw new Error(`${passes.size} passes remembered`);
    }
    expect(passes.size).toBeGreaterThan(cachedMax);
    expect(signer.calls).toBe(cachedMax * 3 + 1 + 12);
    passes.verify('v0');
    expect(signer.calls).toBe(cachedMax * 3 + 1 + 12 + 1);
  });

  it('that were issued are verified, and stay known when their key is dropped', () => {
    const key = aKey();
    let held: typeof key | undefined = key;
    const passes = new Passes({ signer: createPassSigner(), keyOf: () => held });
    const pass = passes.issue(someClaims(), key);
    expect(passes.verify(pass)).toEqual({ kind: 'signed', claims: someClaims() });
    held = undefined;
    expect(passes.verify(pass)).toEqual({ kind: 'signed', claims: someClaims() });
  });
});
