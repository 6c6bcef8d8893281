import { describe, expect, it } from 'vitest';
import type { NodeFacts, NodeLoad } from '../../../src/core/group/node.ts';
import { forecastDeath, isSurvivable, lossText } from '../../../src/core/load/forecast.ts';
import { aNode } from '../../support/builders.ts';

function aLoad(load: Partial<NodeLoad> = {}): NodeLoad {
  return { cpuLimitPercent: 90, networkLimitPercent: 90, ...load };
}

/** A node that 1,000 viewers watch at 0.04 % of its processor each. */
function busy(id: string, more: Partial<NodeFacts> = {}): NodeFacts {
  return aNode({
    ...{ id, watching: 1_000, ownSessions: 1_000 },
    load: aLoad({
      cpuPercent: 40,
      networkPercent: 30,
      networkMbps: 10_000,
      viewerCpuPercent: 0.04,
    }),
    ...more,
  });
}

const evenly = [
  { first: 'b', second: 'c', sessions: 500 },
  { first: 'c', second: 'b', sessions: 500 },
];

describe('the death of a node', () => {
  it('brings its viewers to their first backups', () => {
    const dead = busy('a', { assigned: evenly });
    expect(forecastDeath(dead, [dead, busy('b'), busy('c')])).toEqual({
      ...{ node: 'a', viewers: 1_000, withoutBackup: 0, refused: 0 },
      survivors: ['b', 'c'].map((node) => ({
        ...{ node, takes: 500, cpuPercent: 60, networkPercent: 45, backupSessions: 500 },
        ...{ cpuLimitPercent: 90, networkLimitPercent: 90 },
      })),
    });
  });

  it('is counted in bits: a viewer takes the same bits elsewhere, whatever share that is there', () => {
    const dead = busy('a', { assigned: [{ first: 'b', sessions: 1_000 }] });
    const small = busy('b', { load: aLoad({ networkPercent: 10, networkMbps: 40_000 }) });
    expect(forecastDeath(dead, [small]).survivors[0]?.networkPercent).toBe(17.5);
    const { networkMbps: _, ...unknown } = aLoad({ networkPercent: 10 });
    const mean = busy('b', { load: unknown });
    expect(forecastDeath(dead, [mean]).survivors[0]?.networkPercent).toBe(20);
  });

  it('fills a node up to its limits; the others ask their second backup', () => {
    const dead = busy('a', { assigned: evenly });
    const full = busy('b', { backupSessionsMax: 100, backupSessions: 40 });
    const { survivors, refused } = forecastDeath(dead, [full, busy('c')]);
    expect(survivors.map(({ node, takes, stoppedBy }) => [node, takes, stoppedBy])).toEqual([
      ['b', 60, 'backup-limit'],
      ['c', 940, undefined],
    ]);
    expect(refused).toBe(0);
  });

  it.each([
    ['cpu', { cpuPercent: 90, viewerCpuPercent: 0.04 }],
    ['network', { networkPercent: 90, networkMbps: 10_000 }],
  ] as const)('leaves viewers over when all are at their %s limit', (limit, load) => {
    const dead = busy('a', { assigned: evenly });
    const forecast = forecastDeath(
      dead,
      ['b', 'c'].map((id) => busy(id, { load: aLoad(load) })),
    );
    expect(forecast.refused).toBe(1_000);
    expect(forecast.survivors.map(({ stoppedBy }) => stoppedBy)).toEqual([limit, limit]);
    expect(isSurvivable(forecast)).toBe(false);
  });

  it('is borne by a node whose limit is 100 percent, however busy it is', () => {
    const dead = busy('a', { assigned: [{ first: 'b', sessions: 1_000 }] });
    const load = { cpuPercent: 100, viewerCpuPercent: 1, cpuLimitPercent: 100 };
    expect(forecastDeath(dead, [busy('b', { load: aLoad(load) })]).refused).toBe(0);
  });

  it('is told in one sentence', () => {
    const dead = busy('a', { assigned: evenly });
    const forecast = forecastDeath(dead, [busy('b', { backupSessionsMax: 0 })]);
    expect(lossText(forecast)).toBe(
      'if a died now, 1000 of its 1000 viewers would be refused: no more room at b (backup sessions)',
    );
    expect(lossText(forecastDeath(dead, []))).toBe(
      'if a died now, 1000 of its 1000 viewers would be refused: nobody is there for them',
    );
  });

  it('goes past a backup that is not there any more', () => {
    const dead = busy('a', { assigned: evenly });
    expect(forecastDeath(dead, [busy('c')])).toMatchObject({
      refused: 0,
      survivors: [{ node: 'c', takes: 1_000 }],
    });
  });

  it('says how many hold no backup, who are no reason for alarm', () => {
    const dead = busy('a', { assigned: [{ first: 'b', sessions: 10 }], watching: 300 });
    const forecast = forecastDeath(dead, [busy('b')]);
    expect(forecast).toMatchObject({ viewers: 300, withoutBackup: 290, refused: 0 });
    expect(isSurvivable(forecast)).toBe(true);
  });

  it('may leave one viewer in a hundred over', () => {
    const dead = busy('a', { assigned: [{ first: 'b', sessions: 100 }] });
    const at = (max: number) => forecastDeath(dead, [busy('b', { backupSessionsMax: max })]);
    expect([isSurvivable(at(99)), isSurvivable(at(98))]).toEqual([true, false]);
  });

  it('is judged by the cost at the dead node where hardly anybody watches at the other', () => {
    const dead = busy('a', { assigned: [{ first: 'b', sessions: 1_000 }] });
    const idle = (watching: number) =>
      busy('b', { watching, load: aLoad({ cpuPercent: 3, viewerCpuPercent: 0.15 }) });
    expect(forecastDeath(dead, [idle(99)]).survivors[0]?.cpuPercent).toBe(43);
    expect(forecastDeath(dead, [idle(100)]).survivors[0]?.takes).toBe(580);
  });

  it('of a node that says nothing of its viewers touches nobody', () => {
    expect(forecastDeath(aNode({ id: 'a' }), [busy('b')])).toMatchObject({
      viewers: 0,
      refused: 0,
      survivors: [{ takes: 0, cpuPercent: 40 }],
    });
    expect(isSurvivable(forecastDeath(aNode({ id: 'a' }), []))).toBe(true);
  });
});
