import { describe, expect, it } from 'vitest';
import { bestCheck, contradict, type SegmentCheck } from '../../../src/core/timeline/compare.ts';

/** Which of two is chosen; undefined when they are equal. */
function betterOf(ours: SegmentCheck, theirs: SegmentCheck): 'ours' | 'theirs' | undefined {
  const isSame = ours.checksum === theirs.checksum;
  return isSame ? undefined : bestCheck([ours, theirs]) === theirs ? 'theirs' : 'ours';
}

function aCheck(fields: Partial<SegmentCheck> = {}): SegmentCheck {
  return {
    ...{ rung: 0, number: 7, startTicks: 1_000, durationTicks: 180_000, checksum: 'ours' },
    ...{ bytes: 5_000, damagedUnits: 0, isIndependent: true, endsAtKey: true },
    run: '1/1/node-a',
    isPublished: false,
    ...fields,
  };
}

const theirs = (fields: Partial<SegmentCheck>) => aCheck({ checksum: 'theirs', ...fields });

describe('of two segments of one number', () => {
  it('equal ones need no choice', () => {
    expect(betterOf(aCheck(), aCheck({ isPublished: true }))).toBeUndefined();
  });

  it.each<[string, Partial<SegmentCheck>]>([
    ['that viewers have already', { isPublished: true, damagedUnits: 9, isIndependent: false }],
    ['that ends at a keyframe which the other one missed', { durationTicks: 179_999, bytes: 10 }],
    ['that begins at an earlier keyframe', { startTicks: 999, bytes: 10 }],
    ['with more content', { bytes: 5_001 }],
  ])('the one %s is chosen, by both members', (_, fields) => {
    expect(betterOf(aCheck(), theirs(fields))).toBe('theirs');
    expect(betterOf(theirs(fields), aCheck())).toBe('ours');
  });

  it('one without its keyframe loses, however early it begins', () => {
    const forced = theirs({ isIndependent: false, startTicks: 0, durationTicks: 400_000 });
    expect(betterOf(aCheck(), forced)).toBe('ours');
  });

  it('one that ends where its window does, without a keyframe, loses', () => {
    expect(betterOf(aCheck(), theirs({ endsAtKey: false, durationTicks: 50_000 }))).toBe('ours');
  });

  it('one with fewer damaged units is chosen over one with more content', () => {
    expect(betterOf(aCheck({ damagedUnits: 1 }), theirs({ bytes: 10 }))).toBe('theirs');
    expect(betterOf(aCheck({ damagedUnits: 1 }), theirs({ damagedUnits: 1, bytes: 10 }))).toBe(
      'ours',
    );
  });

  it('that are equally good the checksum decides, alike on both members', () => {
    expect(betterOf(aCheck(), theirs({}))).toBe('ours');
    expect(betterOf(theirs({}), aCheck())).toBe('theirs');
    expect(bestCheck([theirs({}), aCheck(), theirs({ bytes: 1 })])?.checksum).toBe('ours');
    expect(bestCheck([])).toBeUndefined();
  });
});

describe('windows of two members', () => {
  it.each([
    [[], ['a'], false],
    [['a'], ['a'], false],
    [['a', 'b'], ['b'], false],
    [['b'], ['a', 'b'], false],
    [['a'], ['b'], true],
    [['a', 'c'], ['b', 'c'], true],
  ])('that list segments of the runs %j and %j contradict each other: %s', (ours, others, is) => {
    expect(contradict(ours, others)).toBe(is);
  });
});
