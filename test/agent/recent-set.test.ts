import { describe, expect, it } from 'vitest';
import { RecentSet } from '../../src/agent/recent-set.ts';

describe('texts noted lately', () => {
  it('are known until the second turn', () => {
    const recent = new RecentSet(10);
    recent.add('a');
    recent.turn();
    expect(recent.has('a')).toBe(true);
    recent.turn();
    expect(recent.has('a')).toBe(false);
  });

  it('stay known while they are noted again', () => {
    const recent = new RecentSet(10);
    for (let turn = 0; turn < 5; turn += 1) {
      recent.add('a');
      recent.turn();
    }
    expect(recent.has('a')).toBe(true);
  });

  it('are forgotten at once when told so', () => {
    const recent = new RecentSet(10);
    recent.add('a');
    recent.turn();
    recent.add('a');
    recent.delete('a');
    expect(recent.has('a')).toBe(false);
  });

  it.each([
    [3, ['a', 'b', 'c']],
    [4, ['a', 'b', 'c', 'd']],
    [5, ['a', 'b', 'c', 'd', 'e']],
    [7, ['d', 'e', 'f', 'g']],
  ])('with room for 3 in a turn: of %i noted one after the other stay %j', (count, known) => {
    const recent = new RecentSet(3);
    const texts = [...'abcdefgh'].slice(0, count);
    for (const text of texts) recent.add(text);
    expect(texts.filter((text) => recent.has(text))).toEqual(known);
  });

  it('take no room twice', () => {
    const recent = new RecentSet(2);
    for (const text of ['a', 'b', 'b', 'b', 'a', 'b']) recent.add(text);
    recent.turn();
    expect(['a', 'b'].filter((text) => recent.has(text))).toEqual(['a', 'b']);
  });
});
