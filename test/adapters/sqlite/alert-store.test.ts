import { describe, expect, it } from 'vitest';
import { createAlertStore } from '../../../src/adapters/sqlite/alert-store.ts';
import { openDatabase } from '../../../src/adapters/sqlite/database.ts';
import type { Alert } from '../../../src/core/alert/alert.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const open = (dataDir = tempFolder()) => openDatabase({ dataDir, nowMs: 0 });

function anAlert(more: Partial<Alert> = {}): Alert {
  return {
    ...{ code: 78, group: 'ch1', node: 'node-b', cause: 'unreachable', text: 'gone' },
    raisedAt: 1_800_000_000_000,
    ...more,
  };
}

const raised = (alert: Alert) => ({ kind: 'raised' as const, alert });
const cleared = (alert: Alert, clearedAt = alert.raisedAt + 1) => ({
  kind: 'cleared' as const,
  alert: { ...alert, clearedAt },
});

describe('alerts', () => {
  it('come back over a restart, newest first, with what was changed and when they were over', () => {
    const dataDir = tempFolder();
    const database = open(dataDir);
    const store = createAlertStore(database);
    const standing = anAlert();
    const over = anAlert({ code: 79, group: undefined, raisedAt: 1_800_000_000_001 });
    const after: Alert = { ...standing, cause: 'frozen', text: 'stands still' };
    store.record([raised(standing), raised(over)], []);
    store.record([{ kind: 'changed', alert: after }, cleared(over, 1_800_000_000_009)], []);
    database.close();
    const { group: _, ...ungrouped } = over;
    expect(createAlertStore(open(dataDir)).list()).toEqual([
      { ...ungrouped, clearedAt: 1_800_000_000_009 },
      after,
    ]);
  });

  it('stand once per subject, and may come again when they are over', () => {
    const store = createAlertStore(open());
    store.record([raised(anAlert()), raised(anAlert({ text: 'again' }))], []);
    expect(store.list()).toHaveLength(1);
    store.record([cleared(anAlert()), raised(anAlert({ raisedAt: 1_800_000_009_999 }))], []);
    expect(store.list().map(({ clearedAt }) => clearedAt !== undefined)).toEqual([false, true]);
  });

  it('that are over are kept up to 1,000, the latest ones', () => {
    const store = createAlertStore(open());
    const many = Array.from({ length: 1_001 }, (_, at) =>
      anAlert({ group: `ch${at}`, raisedAt: at }),
    );
    store.record([...many.map(raised), ...many.map((alert) => cleared(alert))], []);
    expect(store.list()).toHaveLength(1_000);
    expect(store.list().at(-1)?.group).toBe('ch1');
  });

  it('of a cause that this version does not know are shown all the same', () => {
    const database = open();
    const store = createAlertStore(database);
    store.record([raised(anAlert())], []);
    database.prepare("UPDATE alerts SET cause = 'from-the-future'").run();
    expect(store.list()[0]?.cause).toBe('reason-unknown');
  });
});

describe('what is to be told', () => {
  it('waits for each target in order, over a restart, as it was', () => {
    const dataDir = tempFolder();
    const database = open(dataDir);
    const store = createAlertStore(database);
    store.record([raised(anAlert())], ['one', 'two']);
    store.record([{ kind: 'changed', alert: anAlert({ text: 'other' }) }], ['one', 'two']);
    store.record([cleared(anAlert())], ['one', 'two']);
    store.settle(store.waiting('two', 1).map(({ id }) => id));
    database.close();
    const later = createAlertStore(open(dataDir));
    const told = (target: string) =>
      later.waiting(target, 9).map(({ kind, alert }) => [kind, alert.clearedAt !== undefined]);
    expect(told('one')).toEqual([
      ['raised', false],
      ['cleared', true],
    ]);
    expect(told('two')).toEqual([['cleared', true]]);
    expect(later.waiting('one', 1)).toHaveLength(1);
  });

  it('waits up to 1,000 times for a target; the oldest goes', () => {
    const store = createAlertStore(open());
    const many = Array.from({ length: 1_001 }, (_, at) => anAlert({ group: `ch${at}` }));
    store.record(many.map(raised), ['one']);
    const waiting = store.waiting('one', 2_000);
    expect([waiting.length, waiting[0]?.alert.group]).toEqual([1_000, 'ch1']);
  });

  it('is forgotten with a target that is no longer configured', () => {
    const store = createAlertStore(open());
    store.record([raised(anAlert())], ['one', 'two']);
    store.keepTargets(['two']);
    expect([store.waiting('one', 9).length, store.waiting('two', 9).length]).toEqual([0, 1]);
  });
});
