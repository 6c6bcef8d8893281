import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSeals } from '../../../src/adapters/registry/seal.ts';

const secret = 'a cluster secret of more than 32 bytes';
const seals = createSeals(secret);
const nonce = 'AAAAAAAAAAAAAAAAAAAAAA';
const body = Buffer.from('{"some":"body"}');

describe('a seal', () => {
  it('is known by every holder of the secret', () => {
    const other = createSeals(secret);
    expect(other.isQuestion(body, seals.sealQuestion(body))).toBe(true);
    expect(other.isAnswer(body, nonce, seals.sealAnswer(body, nonce))).toBe(true);
  });

  it('does not pass for one of another secret, direction or question', () => {
    const other = createSeals('another cluster secret of over 32 bytes');
    expect(other.isQuestion(body, seals.sealQuestion(body))).toBe(false);
    expect(other.isAnswer(body, nonce, seals.sealAnswer(body, nonce))).toBe(false);
    expect(seals.isAnswer(body, nonce, seals.sealQuestion(body))).toBe(false);
    expect(
      seals.isQuestion(Buffer.concat([Buffer.from(nonce), body]), seals.sealAnswer(body, nonce)),
    ).toBe(false);
    expect(seals.isAnswer(body, 'BAAAAAAAAAAAAAAAAAAAAA', seals.sealAnswer(body, nonce))).toBe(
      false,
    );
  });

  it.each([undefined, '', 'short', 'é'.repeat(43), `${seals.sealQuestion(body)}=`])(
    'is not %s',
    (seal) => {
      expect(seals.isQuestion(body, seal)).toBe(false);
      expect(seals.isAnswer(body, nonce, seal)).toBe(false);
    },
  );

  it('breaks with any flipped bit, of a body or of itself', () => {
    const bytes = fc.uint8Array({ minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(bytes, fc.nat(), fc.integer({ min: 0, max: 7 }), (original, at, bit) => {
        const flipped = Uint8Array.from(original);
        flipped[at % original.length] = (original[at % original.length] ?? 0) ^ (1 << bit);
        const [question, answer] = [
          seals.sealQuestion(original),
          seals.sealAnswer(original, nonce),
        ];
        expect(seals.isQuestion(flipped, question)).toBe(false);
        expect(seals.isAnswer(flipped, nonce, answer)).toBe(false);
        const other = question[at % 43] === 'A' ? 'B' : 'A';
        const seal = question.slice(0, at % 43) + other + question.slice((at % 43) + 1);
        expect(seals.isQuestion(original, seal)).toBe(false);
      }),
    );
  });
});
