import { describe, expect, it } from 'vitest';
import { checkPass } from '../../../src/core/pass/check.ts';
import { testNow } from '../../support/builders.ts';
import { someClaims } from '../../support/pass-fakes.ts';

const nowS = testNow.wallMs / 1000;
const here = { node: 'node-b', group: 'ch1', now: testNow, sessionActive: false };
const good = { kind: 'good' };
const refused = (reason: string) => ({ kind: 'refused', reason });

describe('a pass at a node', () => {
  it('is good for every node that its audience names', () => {
    for (const node of ['node-a', 'node-b', 'node-c']) {
      expect(checkPass(someClaims(), { ...here, node })).toEqual(good);
    }
  });

  it('is refused at a node that its audience does not name, whose id only begins like a named one too', () => {
    for (const node of ['node-d', 'node', 'node-bb']) {
      expect(checkPass(someClaims(), { ...here, node })).toEqual(refused('pass-audience'));
    }
  });

  it('is refused for a stream of another group, an active session or not', () => {
    for (const sessionActive of [false, true]) {
      expect(checkPass(someClaims(), { ...here, group: 'ch2', sessionActive })).toEqual(
        refused('pass-group'),
      );
    }
  });

  it.each([
    [239, good],
    [240, good],
    [241, refused('pass-not-yet-valid')],
  ])('that becomes valid in %i s when a session starts', (aheadS, verdict) => {
    expect(checkPass(someClaims({ nbf: nowS + aheadS }), here)).toEqual(verdict);
  });

  it.each([
    [239, good],
    [240, refused('pass-expired')],
    [241, refused('pass-expired')],
  ])('that expired %i s ago when a session starts', (agoS, verdict) => {
    expect(checkPass(someClaims({ exp: nowS - agoS }), here)).toEqual(verdict);
  });

  it('changes its mind at the exact millisecond of the limit', () => {
    const at = (wallMs: number) => ({ ...here, now: { ...testNow, wallMs } });
    const { nbf, exp } = someClaims();
    expect(checkPass(someClaims(), at((nbf - 240) * 1000))).toEqual(good);
    expect(checkPass(someClaims(), at((nbf - 240) * 1000 - 1)).kind).toBe('refused');
    expect(checkPass(someClaims(), at((exp + 240) * 1000 - 1))).toEqual(good);
    expect(checkPass(someClaims(), at((exp + 240) * 1000)).kind).toBe('refused');
  });

  it('does not cut a session that is active here, however long ago it expired', () => {
    const claims = someClaims({ exp: nowS - 86_400 });
    expect(checkPass(claims, { ...here, sessionActive: true })).toEqual(good);
    expect(checkPass(claims, here)).toEqual(refused('pass-expired'));
  });
});
