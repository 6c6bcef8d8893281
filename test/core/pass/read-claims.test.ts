import { describe, expect, it } from 'vitest';
import { readClaims } from '../../../src/core/pass/read-claims.ts';
import { someClaims } from '../../support/pass-fakes.ts';

describe('claims in a payload', () => {
  it('are read with and without a login, members that are not known left out', () => {
    expect(readClaims({ ...someClaims(), more: 1 })).toEqual(someClaims());
    expect(readClaims(someClaims({ lgn: 'anna' }))).toEqual(someClaims({ lgn: 'anna' }));
  });

  it('are refused when one of them is missing', () => {
    for (const name of Object.keys(someClaims())) {
      const { [name as 'iss']: _, ...rest } = someClaims();
      expect(readClaims(rest), name).toBeUndefined();
    }
  });

  it.each([
    ['iss', ''],
    ['iss', 7],
    ['aud', 'node-b'],
    ['aud', []],
    ['aud', ['node-b', 7]],
    ['aud', ['']],
    ['sub', null],
    ['grp', ['ch1']],
    ['lgn', 1],
    ['lgn', ''],
    ['lgn', null],
    ['iat', '1'],
    ['nbf', 1.5],
    ['nbf', -1],
    ['exp', 2 ** 53],
    ['hop', 'node-a'],
    ['hop', [undefined]],
  ])('are refused when %s is %j', (name, value) => {
    expect(readClaims({ ...someClaims(), [name]: value })).toBeUndefined();
  });

  it.each(['aud', 'hop'])('name up to 8 nodes in %s', (name) => {
    const nodes = (count: number) => Array.from({ length: count }, (_, index) => `node-${index}`);
    expect(readClaims({ ...someClaims(), [name]: nodes(7) })).toBeDefined();
    expect(readClaims({ ...someClaims(), [name]: nodes(8) })).toBeDefined();
    expect(readClaims({ ...someClaims(), [name]: nodes(9) })).toBeUndefined();
  });

  it.each([null, undefined, 7, 'text', [], [someClaims()]])('are not there in %j', (payload) => {
    expect(readClaims(payload)).toBeUndefined();
  });
});
