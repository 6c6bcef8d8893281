import { describe, expect, it } from 'vitest';
import { PeriodTexts } from '../../../src/agent/archive/period-texts.ts';
import type { Slice } from '../../../src/core/archive/take-segments.ts';
import { segmentsOf } from '../../support/fake-archive.ts';

const sliceOf = (count: number): Slice => {
  const block = segmentsOf([{ startMs: 0, endMs: count * 6_000 }], 'a');
  return { block, from: 0, to: 1, prefix: '' };
};

const growing = { grows: true, node: 'node-a' };
const finished = { grows: false, node: 'node-a' };

describe('the playlists of periods', () => {
  it('are joined once, and gone on from when they grow', () => {
    const texts = new PeriodTexts();
    const slice = sliceOf(10);
    const first = texts.join('ch1', [slice], growing);
    expect(texts.join('ch1', [slice], growing)).toBe(first);
    expect(texts.join('ch2', [slice], growing)).not.toBe(first);
    const later = texts.join('ch1', [{ ...slice, to: 2 }], growing);
    expect(later.text).toBe(first.text);
    expect(later.length).toBeGreaterThan(first.length);
  });

  it('are 500 at most: the one unused for longest goes', () => {
    const texts = new PeriodTexts();
    const slice = sliceOf(1);
    const joined = Array.from({ length: 500 }, (_, at) => texts.join(`ch${at}`, [slice], finished));
    expect(texts.join('ch0', [slice], finished)).toBe(joined[0]);
    texts.join('ch500', [slice], finished);
    expect(texts.join('ch0', [slice], finished)).toBe(joined[0]);
    expect(texts.join('ch1', [slice], finished)).not.toBe(joined[1]);
  });

  it('hold 64 MiB at most, with the segments that they were made of', () => {
    const texts = new PeriodTexts();
    const slice = sliceOf(100_000);
    const join = (at: number) => texts.join(`ch${at}`, [slice], finished);
    const [first, second] = [join(0), join(1)];
    expect(join(0)).toBe(first);
    join(2);
    expect(join(0)).toBe(first);
    expect(join(1)).not.toBe(second);
  });
});
