import { describe, expect, it } from 'vitest';
import { createAdminRig } from '../../support/admin-rig.ts';
import { aPeer, testNow } from '../../support/builders.ts';

describe('the drain over the API', () => {
  it('says since when, and which peers know', async () => {
    const { facts, ask } = createAdminRig();
    facts.peers = [aPeer({ facts: { id: 'node-b' } }), aPeer({ facts: { id: 'node-c' } })];
    facts.told = ['node-c'];
    expect(await ask('POST', '/api/v1/drain')).toMatchObject({
      status: 200,
      body: { draining: true, since: testNow.wallMs, told: ['node-c'], notTold: ['node-b'] },
    });
    const { body } = await ask('DELETE', '/api/v1/drain');
    expect(body).toEqual({ draining: false, told: ['node-c'], notTold: ['node-b'] });
  });

  it('moves viewers only when asked to, over a minute unless told otherwise', async () => {
    const { ask } = createAdminRig();
    const moveOverS = async (query: string) =>
      (await ask('POST', `/api/v1/drain${query}`)).body.moveOverS;
    expect(await moveOverS('?over_s=5')).toBeUndefined();
    expect(await moveOverS('?move=true')).toBe(60);
    expect(await moveOverS('?move=true&over_s=0')).toBe(0);
    expect(await moveOverS('?move=true&over_s=3600')).toBe(3_600);
    expect(await moveOverS('?move=false')).toBeUndefined();
  });

  it.each(['?over_s=-1', '?over_s=3601', '?over_s=x', '?move=maybe', '?fast=1'])(
    'refuses %s',
    async (query) => {
      const { ask } = createAdminRig();
      expect((await ask('POST', `/api/v1/drain${query}`)).status).toBe(400);
    },
  );
});
