import { expect, it } from 'vitest';
import { BlockCache } from '../../../src/adapters/dvr/block-cache.ts';

const block = (segments: number) =>
  Array.from({ length: segments }, (_, number) => ({
    ...{ name: `${number}.ts`, startMs: number, durationMs: 1, bytes: 1, run: 'a', number },
  }));

it('holds no more segments than it may, whatever is read; what was read longest ago goes first', () => {
  const cache = new BlockCache(100);
  for (const hour of ['1', '2', '3']) cache.set(hour, block(33));
  expect(cache.get('1')).toHaveLength(33);
  cache.set('4', block(1));
  expect(['1', '2', '3', '4'].map((hour) => cache.get(hour)?.length)).toEqual([33, 33, 33, 1]);
  cache.get('1');
  cache.set('5', block(1));
  expect(['1', '2', '3', '4', '5'].map((hour) => cache.get(hour)?.length)).toEqual([
    33,
    undefined,
    33,
    1,
    1,
  ]);
  for (let hour = 0; hour < 1_000; hour += 1) cache.set(`more ${hour}`, block(40));
  expect(cache.segments).toBeLessThanOrEqual(100);
});

it('counts a block that takes the place of another one once', () => {
  const cache = new BlockCache(100);
  for (let times = 0; times < 10; times += 1) cache.set('1', block(60 + times));
  expect(cache.segments).toBe(69);
  cache.drop('1');
  cache.drop('1');
  expect(cache.segments).toBe(0);
});
