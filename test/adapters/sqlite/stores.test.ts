import { describe, expect, it } from 'vitest';
import { createAdminTokenStore } from '../../../src/adapters/sqlite/admin-token-store.ts';
import { openDatabase } from '../../../src/adapters/sqlite/database.ts';
import { createKeyStore } from '../../../src/adapters/sqlite/key-store.ts';
import { createStreamStore } from '../../../src/adapters/sqlite/stream-store.ts';
import type { ViewingKey } from '../../../src/agent/ports.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const open = (dataDir = tempFolder()) => openDatabase({ dataDir, nowMs: 0 });

const aKey = (id: string, facts: Partial<ViewingKey> = {}): ViewingKey => ({
  id,
  generation: 1,
  createdAt: 1_700_000_000_000,
  secret: new Uint8Array(32).fill(7),
  ...facts,
});

describe('streams of the API', () => {
  it('come back over a restart as they were given, by name', () => {
    const dataDir = tempFolder();
    const full = {
      name: 'sport/hd',
      origin: 'http://127.0.0.1/a.m3u8',
      dash: '/srv/a.mpd',
      group: 'sport',
      reserve: false,
      source: 'studio 1',
    };
    const small = { name: 'news', origin: '/srv/news', reserve: true };
    const first = open(dataDir);
    const store = createStreamStore(first);
    store.put(full);
    store.put(small);
    first.close();
    expect(createStreamStore(open(dataDir)).list()).toEqual([small, full]);
  });

  it('are replaced whole by another of the same name, and removed by it', () => {
    const store = createStreamStore(open());
    store.put({ name: 'ch1', origin: '/srv/a', group: 'one', reserve: true });
    store.put({ name: 'ch1', dash: '/srv/b.mpd', reserve: false });
    expect(store.list()).toEqual([{ name: 'ch1', dash: '/srv/b.mpd', reserve: false }]);
    store.remove('ch1');
    store.remove('ch1');
    expect(store.list()).toEqual([]);
  });

  it('that the schema forbids are a fault with a code', () => {
    const store = createStreamStore(open());
    expect(() => store.put({ name: 'ch1', reserve: true })).toThrow(
      expect.objectContaining({
        code: 'store_failed',
        message: 'stream "ch1" cannot be kept: SQLITE_CONSTRAINT_CHECK',
      }),
    );
  });
});

describe('viewing keys', () => {
  it('come back over a restart, newest first, secrets and all', () => {
    const dataDir = tempFolder();
    const old = aKey('1-a', { supersededAt: 1_700_000_000_500 });
    const current = aKey('2-b', { generation: 2, secret: new Uint8Array(32).map((_, at) => at) });
    const first = open(dataDir);
    createKeyStore(first).replace([old, current]);
    first.close();
    expect(createKeyStore(open(dataDir)).list()).toEqual([current, old]);
  });

  it('are replaced all or none', () => {
    const store = createKeyStore(open());
    store.replace([aKey('1-a')]);
    expect(() => store.replace([aKey('2-b'), aKey('2-b')])).toThrow(
      expect.objectContaining({ code: 'store_failed' }),
    );
    expect(() => store.replace([aKey('2-c', { secret: new Uint8Array(31) })])).toThrow(
      expect.objectContaining({ code: 'store_failed' }),
    );
    expect(store.list()).toEqual([aKey('1-a')]);
    store.replace([]);
    expect(store.list()).toEqual([]);
  });

  it('never show a secret in a fault', () => {
    const store = createKeyStore(open());
    const secret = new Uint8Array(31).fill(0x41);
    expect(() => store.replace([aKey('1-a', { secret })])).toThrow(
      /^viewing keys cannot be kept: \w+$/,
    );
  });
});

describe('the hash of the admin token', () => {
  it('is kept once, over restarts', () => {
    const dataDir = tempFolder();
    const first = open(dataDir);
    expect(createAdminTokenStore(first).read()).toBeUndefined();
    const hash = new Uint8Array(32).fill(9);
    createAdminTokenStore(first).write(hash, 5);
    first.close();
    const store = createAdminTokenStore(open(dataDir));
    expect(new Uint8Array(store.read() ?? [])).toEqual(hash);
    expect(() => store.write(hash, 6)).toThrow(expect.objectContaining({ code: 'store_failed' }));
  });

  it('of a closed database is a fault with a code', () => {
    const database = open();
    const store = createAdminTokenStore(database);
    database.close();
    expect(() => store.read()).toThrow(expect.objectContaining({ code: 'store_failed' }));
  });
});
