import { describe, expect, it } from 'vitest';
import { discontinuityBase } from '../../../src/core/archive/discontinuity-base.ts';

describe('the numbers of discontinuities in a period', () => {
  it('are the same for all runs of a node, and apart between nodes by more than a period has', () => {
    const nodes = ['node-a', 'node-b', 'node-c', 'edge-1.example.net', 'edge-2.example.net'];
    const bases = nodes.map((node) => discontinuityBase(node, 'x1'));
    expect(nodes.map((node) => discontinuityBase(node, 'f1790000000000'))).toEqual(bases);
    const sorted = bases.toSorted((a, b) => a - b);
    expect(
      Math.min(...sorted.map((base, at) => base - (sorted[at - 1] ?? 0))),
    ).toBeGreaterThanOrEqual(100);
    expect(Math.max(...bases)).toBeLessThanOrEqual(100_000);
  });

  it('are the same on all nodes where all have the same segments', () => {
    expect(discontinuityBase('node-a', 'c0')).toBe(0);
    expect(discontinuityBase('node-b', 'c17')).toBe(0);
    expect(discontinuityBase('node-b', 'c17x')).not.toBe(0);
  });
});
