import { describe, expect, it } from 'vitest';
import { hashOf, placeOf } from '../../src/console/place.ts';

describe('a link in the console', () => {
  it.each([
    ['', { view: 'groups', name: undefined }],
    ['#/nodes', { view: 'nodes', name: undefined }],
    ['#/nowhere', { view: 'groups', name: undefined }],
    ['#/groups/sport%2F1', { view: 'groups', name: 'sport/1' }],
    ['#/groups/%', { view: 'groups', name: undefined }],
    ['#/groups/%E0%A4%A', { view: 'groups', name: undefined }],
  ])('%j leads to %j', (hash, place) => {
    expect(placeOf(hash)).toEqual(place);
  });

  it('to a place leads there, whatever its name', () => {
    for (const name of ['a', 'sport/1', '100 %', 'канал'])
      expect(placeOf(hashOf({ view: 'groups', name }))).toEqual({ view: 'groups', name });
  });
});
