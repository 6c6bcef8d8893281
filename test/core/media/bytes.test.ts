import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allocateBytes, concatBytes, copyBytes } from '../../../src/core/media/bytes.ts';

describe('byte strings', () => {
  it('that share a slab do not lie on each other, and begin as zeros', () => {
    const lengths = fc.array(fc.integer({ min: 0, max: 5_000 }), { maxLength: 60 });
    fc.assert(
      fc.property(lengths, (all) => {
        const made = all.map((length, at) => {
          const bytes = allocateBytes(length);
          expect(bytes.length).toBe(length);
          expect(bytes.every((byte) => byte === 0)).toBe(true);
          return bytes.fill(at + 1);
        });
        for (const [at, bytes] of made.entries())
          expect(bytes.every((byte) => byte === at + 1)).toBe(true);
      }),
    );
  });

  it.each([
    [2_047, 16_384],
    [2_048, 16_384],
    [2_049, 2_049],
  ])('of %i bytes are kept in %i', (length, kept) => {
    expect(allocateBytes(length).buffer.byteLength).toBe(kept);
  });

  it.each([0, 1, 3, 4])('are copied from byte %i on', (from) => {
    const bytes = Uint8Array.of(1, 2, 3);
    const copy = copyBytes(bytes, from);
    bytes.fill(9);
    expect([...copy]).toEqual([1, 2, 3].slice(from));
  });

  it('are put behind each other as a copy', () => {
    const one = Uint8Array.of(1, 2);
    const whole = concatBytes([one, Uint8Array.of(), Uint8Array.of(3)]);
    one.fill(9);
    expect([...whole]).toEqual([1, 2, 3]);
  });
});
