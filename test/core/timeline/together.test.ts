import { describe, expect, it } from 'vitest';
import { areTogether } from '../../../src/core/timeline/together.ts';

const at = 1_790_000_000_000;
const tenSeconds = 10 * 90_000;

function rung(newestTicks: number, newestAt = at) {
  return { tracks: [], newestTicks, newestAt };
}

describe('rungs of one packager', () => {
  it('count from one beginning, whichever of them was read last', () => {
    expect(areTogether([])).toBe(true);
    expect(areTogether([rung(5_000_000)])).toBe(true);
    expect(areTogether([rung(5_000_000), rung(5_000_000 + 4 * 90_000, at + 4_000)])).toBe(true);
    expect(areTogether([rung(50), rung(2 ** 33 - 50)])).toBe(true);
  });

  it.each([
    [tenSeconds - 1, true],
    [tenSeconds, true],
    [tenSeconds + 1, false],
    [2 ** 32, false],
  ])('that are %i ticks apart are together: %s', (apart, expected) => {
    expect(areTogether([rung(9_000_000), rung(9_000_000 + apart)])).toBe(expected);
    expect(areTogether([rung(9_000_000 + apart), rung(9_000_000)])).toBe(expected);
  });
});
