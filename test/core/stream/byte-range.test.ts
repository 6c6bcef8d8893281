import { describe, expect, it } from 'vitest';
import { rangeAnswer, resolveRange } from '../../../src/core/stream/byte-range.ts';

describe('a Range header against 100 bytes', () => {
  it.each([
    ['bytes=0-0', 0, 0],
    ['bytes=0-98', 0, 98],
    ['bytes=0-99', 0, 99],
    ['bytes=0-100', 0, 99],
    ['bytes=99-', 99, 99],
    ['bytes=-1', 99, 99],
    ['bytes=-99', 1, 99],
    ['bytes=-100', 0, 99],
    ['bytes=-101', 0, 99],
    [' bytes=5-6 ', 5, 6],
  ])('%s is a part', (header, first, last) =>
    expect(resolveRange(header, 100)).toEqual({ kind: 'part', first, last }),
  );

  it.each(['bytes=100-', 'bytes=100-200', 'bytes=-0'])('%s cannot be satisfied', (header) =>
    expect(resolveRange(header, 100)).toEqual({ kind: 'unsatisfiable' }),
  );

  it.each([
    undefined,
    '',
    'bytes=',
    'bytes=-',
    'bytes=5-4',
    'bytes=0-1,3-4',
    'lines=1-2',
    'bytes=a-b',
  ])('%s means the whole', (header) =>
    expect(resolveRange(header, 100)).toEqual({ kind: 'whole' }),
  );

  it('never has a part of nothing', () => {
    for (const header of ['bytes=0-', 'bytes=-5', 'bytes=0-0'])
      expect(resolveRange(header, 0)).toEqual({ kind: 'unsatisfiable' });
  });
});

it('answers 200, 206 or 416 with the lengths that belong to it', () => {
  const headers = { 'content-type': 'video/mp2t' };
  expect(rangeAnswer({ kind: 'whole' }, 10, headers)).toEqual({
    status: 200,
    headers: { 'content-type': 'video/mp2t', 'content-length': '10' },
  });
  expect(rangeAnswer({ kind: 'part', first: 2, last: 9 }, 10, headers)).toEqual({
    status: 206,
    headers: {
      'content-type': 'video/mp2t',
      'content-length': '8',
      'content-range': 'bytes 2-9/10',
    },
  });
  expect(rangeAnswer({ kind: 'unsatisfiable' }, 10, headers)).toEqual({
    status: 416,
    headers: { 'content-length': '0', 'content-range': 'bytes */10' },
  });
});
