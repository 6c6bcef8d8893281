import { expect, it } from 'vitest';
import { pausedMs } from '../../src/core/time.ts';

it.each([
  [0, 200, 0],
  [199, 200, 0],
  [200, 200, 0],
  [201, 200, 201],
  [499, 500, 0],
  [500, 500, 0],
  [501, 500, 501],
  [60_000, 500, 60_000],
])(
  'a process that wakes %i ms late, where %i are usual, was paused for %i ms',
  (late, leastMs, paused) => {
    expect(pausedMs(1_000, 1_000 + late, leastMs)).toBe(paused);
  },
);
