import { describe, expect, it } from 'vitest';
import type { Alert } from '../../../src/core/alert/alert.ts';
import { forecastDeath } from '../../../src/core/load/forecast.ts';
import { createAdminRig } from '../../support/admin-rig.ts';
import { aNode } from '../../support/builders.ts';

const standing: Alert = {
  ...{ code: 70, group: 'ch1', node: 'node-b', cause: 'unreachable', text: 'carried' },
  raisedAt: 1_800_000_000_000.4,
};
const over: Alert = {
  ...{ code: 79, node: 'node-a', cause: 'backup-limit', text: 'refuses' },
  ...{ raisedAt: 1_700_000_000_000, clearedAt: 1_700_000_060_000 },
};

describe('GET /alerts', () => {
  it('tells all of them with name, state and what to do, and who tells', async () => {
    const rig = createAdminRig();
    rig.facts.alerts.push(standing, over);
    const { status, body } = await rig.ask('GET', '/api/v1/alerts');
    expect(status).toBe(200);
    expect(body.alerts).toEqual([
      {
        ...{ code: 70, name: 'reserve-ott-switch', state: 'raised', group: 'ch1', node: 'node-b' },
        ...{ cause: 'unreachable', text: 'carried', reporter: 'node-a' },
        remedy: expect.stringContaining('start that node'),
        raisedAt: 1_800_000_000_000,
      },
      {
        ...{ code: 79, name: 'reserve-ott-overload', state: 'cleared', node: 'node-a' },
        ...{ cause: 'backup-limit', text: 'refuses', reporter: 'node-a' },
        remedy: expect.stringContaining('UNDERSTUDY_BACKUP_SESSION_LIMIT'),
        ...{ raisedAt: 1_700_000_000_000, clearedAt: 1_700_000_060_000 },
      },
    ]);
  });

  it.each([
    ['raised', [70]],
    ['cleared', [79]],
  ])('of state %s tells only those', async (state, codes) => {
    const rig = createAdminRig();
    rig.facts.alerts.push(standing, over);
    const { body } = await rig.ask('GET', `/api/v1/alerts?state=${state}`);
    expect(body.alerts.map(({ code }: { code: number }) => code)).toEqual(codes);
  });

  it('of a state that there is none of is refused, and without a token, too', async () => {
    const rig = createAdminRig();
    expect((await rig.ask('GET', '/api/v1/alerts?state=open')).status).toBe(400);
    expect((await rig.ask('GET', '/api/v1/alerts', { token: undefined })).status).toBe(401);
  });
});

describe('POST /alerts/test', () => {
  it('says of each target what it made of a test', async () => {
    const rig = createAdminRig();
    rig.facts.tested = [
      { to: 'hooks.example.net', kind: 'taken' },
      { to: '192.0.2.9:9093', kind: 'failed', cause: 'ECONNREFUSED' },
    ];
    const { status, body } = await rig.ask('POST', '/api/v1/alerts/test');
    expect([status, body]).toEqual([200, { targets: rig.facts.tested }]);
    expect(rig.log.lines.map(({ event }) => event)).toContain('test alert asked for');
  });
});

describe('POST /streams/{name}/trial', () => {
  it('gives the entry with a pass, and is no change that is noted', async () => {
    const rig = createAdminRig();
    const { status, body } = await rig.ask('POST', '/api/v1/streams/sport%2Fhd/trial');
    expect([status, body]).toEqual([200, { entry: '/sport/hd/index.m3u8?pass=p', endsAt: 1 }]);
    expect((await rig.ask('GET', '/api/v1/audit')).body.changes).toEqual([]);
  });
});

it('GET /metrics counts the alerts that stand, and reads none from disk', async () => {
  const rig = createAdminRig();
  rig.facts.alerts.push(standing, over);
  const { body } = await rig.ask('GET', '/metrics', { token: undefined });
  expect(body).toMatch(/^understudy_alerts\{code="70"\} 1$/m);
  expect(body).not.toMatch(/^understudy_alerts\{code="79"\} 1$/m);
  expect(rig.facts.alertReads).toBe(0);
});

describe('GET /forecast', () => {
  it('tells for each node what the others would carry', async () => {
    const rig = createAdminRig();
    const dead = aNode({
      id: 'node-a',
      watching: 10,
      assigned: [{ first: 'node-b', sessions: 8 }],
    });
    const other = aNode({ id: 'node-b', backupSessions: 1, backupSessionsMax: 5 });
    rig.facts.forecasts.push(forecastDeath(dead, [dead, other]));
    const { status, body } = await rig.ask('GET', '/api/v1/forecast');
    expect(status).toBe(200);
    expect(body.forecasts).toEqual([
      {
        ...{ node: 'node-a', viewers: 10, withoutBackup: 2, refused: 4 },
        survivors: [
          {
            ...{ node: 'node-b', takes: 4, backupSessions: 5, backupSessionsMax: 5 },
            stoppedBy: 'backup-limit',
          },
        ],
      },
    ]);
  });
});
