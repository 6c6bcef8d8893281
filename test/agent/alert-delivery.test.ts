import { describe, expect, it } from 'vitest';
import { AlertDelivery } from '../../src/agent/alert-delivery.ts';
import type { AlertNotice, AlertOutcome, AlertTarget } from '../../src/agent/alert-ports.ts';
import type { Alert } from '../../src/core/alert/alert.ts';
import { createFakeLog } from '../support/fake-log.ts';
import { memoryAlertStore } from '../support/memory-alert-store.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';

const taken: AlertOutcome = { kind: 'taken' };
const failed: AlertOutcome = { kind: 'failed', cause: 'ECONNREFUSED' };
const refused: AlertOutcome = { kind: 'refused', cause: 'status 404' };

function anAlert(group: string): Alert {
  return { code: 78, group, node: 'node-b', cause: 'frozen', text: 'still', raisedAt: 1 };
}

/** Targets whose answers a test sets, and a delivery that is driven each second. */
function createRig(names: readonly string[], more: Partial<AlertTarget> = {}) {
  const clock = createVirtualClock();
  const log = createFakeLog();
  const store = memoryAlertStore();
  const answers = new Map<string, AlertOutcome>();
  const told: { to: string; atS: number; groups: (string | undefined)[]; kinds: string[] }[] = [];
  const beganAt = clock.now().monoMs;
  const targets = names.map(
    (key): AlertTarget => ({
      ...{ key, host: `${key}.example.net`, batchMax: 1, ...more },
      send(notices: readonly AlertNotice[]) {
        told.push({
          to: key,
          atS: (clock.now().monoMs - beganAt) / 1000,
          groups: notices.map(({ alert }) => alert.group),
          kinds: notices.map(({ kind }) => kind),
        });
        return Promise.resolve(answers.get(key) ?? taken);
      },
      test: () => Promise.resolve(taken),
    }),
  );
  let standing: readonly Alert[] = [];
  const create = () =>
    new AlertDelivery({
      ...{ clock, log, store, targets, standing: () => standing },
      randomBytes: () => Uint8Array.of(128),
    });
  let delivery = create();
  return {
    ...{ store, answers, told, log },
    raise(...groups: string[]) {
      const alerts = groups.map(anAlert);
      standing = [...standing, ...alerts];
      store.record(
        alerts.map((alert) => ({ kind: 'raised', alert })),
        names,
      );
    },
    restart: () => {
      delivery = create();
    },
    /** Begins what is due, and stops while it is under way. */
    async stopAmid() {
      delivery.tick(clock.now());
      delivery.stop();
      await delivery.settled();
    },
    async run(seconds: number) {
      for (let second = 0; second < seconds; second += 1) {
        delivery.tick(clock.now());
        await delivery.settled();
        await clock.run(1_000);
      }
    },
  };
}

describe('the delivery of alerts', () => {
  it('tells each target once, in order, as many at once as it takes', async () => {
    const rig = createRig(['hook']);
    rig.raise('ch1', 'ch2');
    await rig.run(5);
    expect(rig.told.map(({ atS, groups }) => [atS, groups])).toEqual([
      [0, ['ch1']],
      [1, ['ch2']],
    ]);
    const many = createRig(['am'], { batchMax: 500 });
    many.raise('ch1', 'ch2');
    await many.run(5);
    expect(many.told.map(({ groups }) => groups)).toEqual([['ch1', 'ch2']]);
  });

  it('tries again after 1, 2, 4 ... s, a minute at most, and says so once', async () => {
    const rig = createRig(['hook']);
    rig.answers.set('hook', failed);
    rig.raise('ch1');
    await rig.run(240);
    const times = rig.told.map(({ atS }) => atS);
    expect(times).toEqual([0, 1, 3, 7, 15, 31, 63, 123, 183]);
    expect(rig.log.lines).toHaveLength(1);
    rig.answers.set('hook', taken);
    await rig.run(60);
    expect(rig.store.waiting('hook', 9)).toEqual([]);
    expect(rig.log.lines.map(({ event }) => event)).toEqual([
      'alerts not delivered',
      'alerts delivered again',
    ]);
  });

  it('of one target is not held up by another', async () => {
    const rig = createRig(['dead', 'good']);
    rig.answers.set('dead', failed);
    rig.raise('ch1', 'ch2');
    await rig.run(3);
    expect(rig.told.filter(({ to }) => to === 'good')).toHaveLength(2);
    expect(rig.store.waiting('dead', 9)).toHaveLength(2);
  });

  it('goes on after a restart with what was not taken', async () => {
    const rig = createRig(['hook']);
    rig.answers.set('hook', failed);
    rig.raise('ch1');
    await rig.run(30);
    rig.answers.set('hook', taken);
    rig.restart();
    await rig.run(1);
    expect(rig.store.waiting('hook', 9)).toEqual([]);
  });

  it('that is stopped while it is under way is done again after a restart', async () => {
    const rig = createRig(['hook']);
    rig.raise('ch1');
    await rig.stopAmid();
    expect(rig.store.waiting('hook', 9)).toHaveLength(1);
    rig.restart();
    await rig.run(1);
    expect([rig.told.length, rig.store.waiting('hook', 9).length]).toEqual([2, 0]);
  });

  it('drops what would be refused again, and says so', async () => {
    const rig = createRig(['hook']);
    rig.answers.set('hook', refused);
    rig.raise('ch1', 'ch2');
    await rig.run(5);
    expect(rig.told).toHaveLength(2);
    expect(rig.store.waiting('hook', 9)).toEqual([]);
    expect(rig.log.lines[0]).toMatchObject({ level: 'error', fields: { to: 'hook.example.net' } });
  });

  it('says again and again what stands to a target that wants it', async () => {
    const rig = createRig(['am'], { batchMax: 500, repeatMs: 30_000 });
    rig.raise('ch1');
    await rig.run(70);
    expect(rig.told.map(({ atS, kinds }) => [atS, kinds])).toEqual([
      [0, ['raised']],
      [1, ['raised']],
      [31, ['raised']],
      [61, ['raised']],
    ]);
  });
});
