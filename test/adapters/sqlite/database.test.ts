import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../../src/adapters/sqlite/database.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const modeOf = (path: string) => statSync(path).mode & 0o777;

/** A folder of migrations with the given texts, numbered from 1. */
function migrationsFolder(...texts: readonly string[]): URL {
  const folder = tempFolder();
  for (const [at, text] of texts.entries())
    writeFileSync(join(folder, `000${at + 1}-step.sql`), text);
  return pathToFileURL(`${folder}/`);
}

describe('the database', () => {
  it('is made with its folder, both for the owner only', () => {
    const dataDir = join(tempFolder(), 'deep', 'data');
    openDatabase({ dataDir, nowMs: 0 }).prepare('DELETE FROM streams').run();
    expect(modeOf(dataDir)).toBe(0o700);
    expect(modeOf(join(dataDir, 'understudy.db'))).toBe(0o600);
    expect(modeOf(join(dataDir, 'understudy.db-wal'))).toBe(0o600);
  });

  it('takes rights of others away from a file that had them', () => {
    const dataDir = tempFolder();
    openDatabase({ dataDir, nowMs: 0 }).close();
    chmodSync(join(dataDir, 'understudy.db'), 0o644);
    openDatabase({ dataDir, nowMs: 0 }).close();
    expect(modeOf(join(dataDir, 'understudy.db'))).toBe(0o600);
  });

  it('writes ahead, to the disk itself, and holds constraints', () => {
    const database = openDatabase({ dataDir: tempFolder(), nowMs: 0 });
    const pragma = (name: string) => database.pragma(name, { simple: true });
    expect([pragma('journal_mode'), pragma('synchronous'), pragma('foreign_keys')]).toEqual([
      'wal',
      2,
      1,
    ]);
    expect(() =>
      database.prepare("INSERT INTO streams (name, reserve) VALUES ('ch1', 1)").run(),
    ).toThrow('CHECK constraint failed');
  });

  it('has only strict tables', () => {
    const tables = openDatabase({ dataDir: tempFolder(), nowMs: 0 }).pragma('table_list') as {
      name: string;
      strict: 0 | 1;
    }[];
    const own = tables.filter((table) => !table.name.startsWith('sqlite_'));
    expect(own.length).toBeGreaterThan(3);
    expect(own.filter((table) => table.strict === 0)).toEqual([]);
  });

  it('records each migration with the time it ran, and runs it once', () => {
    const dataDir = tempFolder();
    const migrations = migrationsFolder('CREATE TABLE a (x INTEGER) STRICT;');
    openDatabase({ dataDir, nowMs: 1000, migrations }).close();
    const again = openDatabase({ dataDir, nowMs: 2000, migrations });
    expect(again.prepare('SELECT number, name, applied_at_ms FROM migrations').all()).toEqual([
      { number: 1, name: '0001-step', applied_at_ms: 1000 },
    ]);
  });

  it('leaves nothing of a migration that fails half way, and goes on from there later', () => {
    const dataDir = tempFolder();
    const good = 'CREATE TABLE a (x INTEGER) STRICT;';
    const half = 'CREATE TABLE b (x INTEGER) STRICT; CREATE TABLE a (x INTEGER) STRICT;';
    expect(() =>
      openDatabase({ dataDir, nowMs: 0, migrations: migrationsFolder(good, half) }),
    ).toThrow(expect.objectContaining({ code: 'store_failed' }));
    const mended = migrationsFolder(good, 'CREATE TABLE b (x INTEGER) STRICT;');
    const database = openDatabase({ dataDir, nowMs: 0, migrations: mended });
    expect(database.prepare('SELECT count(*) AS count FROM migrations').get()).toEqual({
      count: 2,
    });
  });

  it('of a newer version is refused with what to do, and not changed', () => {
    const dataDir = tempFolder();
    const first = 'CREATE TABLE a (x INTEGER) STRICT;';
    const newer = migrationsFolder(first, 'CREATE TABLE b (x INTEGER) STRICT;');
    openDatabase({ dataDir, nowMs: 0, migrations: newer }).close();
    expect(() => openDatabase({ dataDir, nowMs: 0, migrations: migrationsFolder(first) })).toThrow(
      'migration "0002-step" of a newer version of the agent: run that version, or restore a backup',
    );
    openDatabase({ dataDir, nowMs: 0, migrations: newer }).close();
  });

  it('is refused when a migration was changed after it ran', () => {
    const dataDir = tempFolder();
    const migrations = migrationsFolder('CREATE TABLE a (x INTEGER) STRICT;');
    openDatabase({ dataDir, nowMs: 0, migrations }).close();
    const changed = migrationsFolder('CREATE TABLE a (y INTEGER) STRICT;');
    expect(() => openDatabase({ dataDir, nowMs: 0, migrations: changed })).toThrow(
      'is not the one that made the database',
    );
  });

  it('that is no database, or a folder in its place, is a clear fault', () => {
    const dataDir = tempFolder();
    writeFileSync(
      join(dataDir, 'understudy.db'),
      'not a database, but longer than a header'.repeat(9),
    );
    expect(() => openDatabase({ dataDir, nowMs: 0 })).toThrow(
      /understudy\.db" cannot be used: SQLITE_NOTADB/,
    );
    const other = tempFolder();
    mkdirSync(join(other, 'understudy.db'));
    expect(() => openDatabase({ dataDir: other, nowMs: 0 })).toThrow(/cannot be used: EISDIR/);
  });

  it('with overwritten pages is found damaged at start', () => {
    const dataDir = tempFolder();
    const path = join(dataDir, 'understudy.db');
    const database = openDatabase({ dataDir, nowMs: 0 });
    for (let at = 0; at < 500; at += 1)
      database
        .prepare('INSERT INTO streams (name, origin, reserve) VALUES (?, ?, 1)')
        .run(`n${at}`, '/x');
    database.close();
    const size = statSync(path).size;
    writeFileSync(path, Buffer.alloc(size - 8192, 0xa5), { flag: 'r+', flush: true });
    expect(() => openDatabase({ dataDir, nowMs: 0 })).toThrow(
      expect.objectContaining({ code: 'store_failed' }),
    );
  });
});
