import { expect, it } from 'vitest';
import { Alerts } from '../../src/agent/alerts.ts';
import type { GroupReports } from '../../src/agent/group-reports.ts';
import { testNow } from '../support/builders.ts';
import { createFakeLog } from '../support/fake-log.ts';
import { memoryAlertStore } from '../support/memory-alert-store.ts';

/** Alerts of a node in `count` groups, each with the same problem; `looked` counts looks at one in the last second. */
function createMany(count: number) {
  const names = Array.from({ length: count }, (_, at) => `ch${at}`);
  const rig = { looked: 0, names, alerts: [] as readonly unknown[] };
  const groups: GroupReports = (_, isWanted = () => true) => {
    const wanted = rig.names.filter((name, at) => isWanted(name, at, rig.names.length));
    rig.looked = wanted.length;
    return wanted.map((name) => ({
      ...{ name, state: 'degraded', members: [] },
      problems: [{ code: 'unreachable', text: 'node-b: gone', node: 'node-b' }],
    }));
  };
  const alerts = new Alerts({
    ...{ nodeId: 'node-a', log: createFakeLog(), store: memoryAlertStore(), targets: [], groups },
    peers: () => [],
    keys: { view: () => ({ state: 'in-force', keys: [] }) },
    watching: () => [],
    groupOf: () => undefined,
    refusals: () => ({ total: 0 }),
  });
  let second = 0;
  return {
    rig,
    standing: () => alerts.standing().length,
    tick() {
      const ms = second * 1_000;
      alerts.tick({ wallMs: testNow.wallMs + ms, monoMs: testNow.monoMs + ms });
      second += 1;
      return rig.looked;
    },
  };
}

it.each([
  [1, 1],
  [20, 20],
  [40, 20],
  [200, 20],
  [500, 50],
])(
  'of %i groups at most %i are looked at in a second, and all of them within ten',
  (count, most) => {
    const many = createMany(count);
    const looks = Array.from({ length: 10 }, () => many.tick());
    expect(Math.max(...looks)).toBe(most);
    expect(looks.reduce((sum, one) => sum + one, 0)).toBeGreaterThanOrEqual(count);
    for (let second = 10; second <= 30; second += 1) many.tick();
    expect(many.standing()).toBe(count);
  },
);

it('of a group that is there no more is over', () => {
  const many = createMany(2);
  for (let second = 0; second <= 30; second += 1) many.tick();
  expect(many.standing()).toBe(2);
  many.rig.names.pop();
  for (let second = 0; second <= 70; second += 1) many.tick();
  expect(many.standing()).toBe(1);
});
