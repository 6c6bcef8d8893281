import { describe, expect, it } from 'vitest';
import { createAdminRig } from '../../support/admin-rig.ts';

const drills = '/api/v1/drills';

async function readToken(rig: ReturnType<typeof createAdminRig>): Promise<string> {
  const { body } = await rig.ask('POST', '/api/v1/tokens', {
    body: { name: 'screen', scope: 'read' },
  });
  return body.token;
}

describe('drills over the API', () => {
  it('begin with what was asked for, the rest as it is documented, and with no viewer', async () => {
    const { ask } = createAdminRig();
    const begun = await ask('POST', drills, { body: { stream: 'sport/hd' } });
    expect([begun.status, begun.body.state]).toEqual([201, 'warming']);
    expect(begun.body.wish).toEqual({
      ...{ stream: 'sport/hd', failure: 'not-found', durationS: 30, probes: 1, sharePercent: 100 },
      families: ['hls.js', 'shaka', 'vhs', 'media3', 'avplayer', 'legacy'],
      ...{ viewersPercent: 0, slowMs: 3_000, force: false },
    });
    const found = await ask('GET', `${drills}/${begun.body.id}`);
    expect([found.status, found.body]).toEqual([200, begun.body]);
    expect((await ask('GET', drills)).body.drills).toEqual([begun.body]);
  });

  it.each([
    ['durationS', 4, 400],
    ['durationS', 5, 201],
    ['durationS', 300, 201],
    ['durationS', 301, 400],
    ['probes', 0, 400],
    ['probes', 4, 201],
    ['probes', 5, 400],
    ['viewersPercent', 100, 201],
    ['viewersPercent', 100.1, 400],
    ['viewersPercent', -1, 400],
    ['slowMs', 30_000, 201],
    ['slowMs', 30_001, 400],
    ['families', [], 400],
    ['families', ['vhs', 'vhs'], 400],
    ['families', ['vlc'], 400],
    ['failure', 'fire', 400],
    ['colour', 'red', 400],
  ])('with %s %j are answered %i', async (field, value, status) => {
    const { ask } = createAdminRig();
    const body = { stream: 'ch1', [field]: value };
    expect((await ask('POST', drills, { body })).status).toBe(status);
  });

  it('are refused with the reason when they cannot be', async () => {
    const { ask, facts } = createAdminRig();
    facts.drills.refusal = 'a drill is on already';
    const { status, body } = await ask('POST', drills, { body: { stream: 'ch1' } });
    expect([status, body.code, body.detail]).toEqual([409, 'conflict', 'a drill is on already']);
  });

  it('are ended, and an unknown one is not found', async () => {
    const { ask } = createAdminRig();
    const { body } = await ask('POST', drills, { body: { stream: 'ch1' } });
    const ended = await ask('DELETE', `${drills}/${body.id}`);
    expect([ended.status, ended.body.state]).toEqual([200, 'stopped']);
    for (const method of ['GET', 'DELETE'])
      expect((await ask(method, `${drills}/none`)).status).toBe(404);
  });

  it('may be looked at, but not begun or ended, with a token for reading', async () => {
    const rig = createAdminRig();
    const token = await readToken(rig);
    const { body } = await rig.ask('POST', drills, { body: { stream: 'ch1' } });
    const statuses = await Promise.all([
      rig.ask('GET', drills, { token }),
      rig.ask('GET', `${drills}/${body.id}`, { token }),
      rig.ask('POST', drills, { token, body: { stream: 'ch1' } }),
      rig.ask('DELETE', `${drills}/${body.id}`, { token }),
    ]);
    expect(statuses.map(({ status }) => status)).toEqual([200, 200, 403, 403]);
  });

  it('stand in the log of changes, with what was wanted', async () => {
    const { ask } = createAdminRig();
    const { body } = await ask('POST', drills, { body: { stream: 'ch1', viewersPercent: 5 } });
    await ask('DELETE', `${drills}/${body.id}`);
    const { changes } = (await ask('GET', '/api/v1/audit')).body;
    expect(changes).toMatchObject([
      { action: 'DELETE /drills/{id}', target: body.id },
      { action: 'POST /drills', target: body.id, after: { stream: 'ch1', viewersPercent: 5 } },
    ]);
  });
});
