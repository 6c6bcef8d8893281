import { expect, it } from 'vitest';
import { createAuditStore } from '../../../src/adapters/sqlite/audit-store.ts';
import { openDatabase } from '../../../src/adapters/sqlite/database.ts';
import { createTokenStore } from '../../../src/adapters/sqlite/token-store.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const open = (dataDir = tempFolder()) => openDatabase({ dataDir, nowMs: 0 });
const aChange = (at: number) => ({ at, who: 'admin', action: 'POST /key/rotate' });

it('changes are trimmed by age and by number, whichever leaves fewer', () => {
  const store = createAuditStore(open());
  for (let at = 1; at <= 6; at += 1) store.add(aChange(at));
  const left = () => store.list({ limit: 9, filter: {} }).map(({ at }) => at);
  expect(store.trim({ olderThan: 2, entriesMax: 6 })).toBe(1);
  expect(left()).toEqual([6, 5, 4, 3, 2]);
  expect(store.trim({ olderThan: 0, entriesMax: 5 })).toBe(0);
  expect(store.trim({ olderThan: 0, entriesMax: 3 })).toBe(2);
  expect(left()).toEqual([6, 5, 4]);
  store.trim({ olderThan: 99, entriesMax: 9 });
  store.add(aChange(7));
  expect(store.list({ limit: 9, filter: {} })).toEqual([{ id: 7, ...aChange(7) }]);
});

it('tokens come back over a restart, oldest first, until they are removed', () => {
  const dataDir = tempFolder();
  const first = open(dataDir);
  const token = (id: string, createdAt: number) => ({
    ...{ id, name: `token ${id}`, scope: 'read' as const, createdAt, createdBy: 'admin' },
    hash: new Uint8Array(32).fill(createdAt),
  });
  const store = createTokenStore(first);
  store.add(token('b', 2));
  store.add(token('a', 1));
  first.close();
  const again = createTokenStore(open(dataDir));
  expect(
    again.list().map(({ hash, ...facts }) => ({ ...facts, hash: new Uint8Array(hash) })),
  ).toEqual([token('a', 1), token('b', 2)]);
  again.remove('a');
  expect(again.list().map(({ id }) => id)).toEqual(['b']);
});
