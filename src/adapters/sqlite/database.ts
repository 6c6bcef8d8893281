import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import SqliteDatabase, { type Database } from 'better-sqlite3';
import { AgentError } from '../../core/errors.ts';
import type { UnixMs } from '../../core/time.ts';
import { migrate } from './migrate.ts';

/** Beside `src` and `dist` alike. */
const migrationsFolder = new URL('../../../migrations/', import.meta.url);
const fileName = 'understudy.db';
/** How long a write waits for a backup or another reader that locks the file, ms. */
const busyMsMax = 2_000;

/**
 * Opens (or makes) the node's database in `dataDir`, checks it and brings it to the newest form. The file is readable
 * by its owner only: it holds viewing keys. A folder made here is, too; the mode of one that was there is left alone.
 * @throws store_failed when the file cannot be used, is damaged or was written by a newer version
 */
export function openDatabase(options: {
  readonly dataDir: string;
  readonly nowMs: UnixMs;
  readonly migrations?: URL;
}): Database {
  const path = join(options.dataDir, fileName);
  return orStoreFailed(`database "${path}" cannot be used`, () => {
    mkdirSync(options.dataDir, { recursive: true, mode: 0o700 });
    // SQLite gives its -wal and -shm files the mode of the database, so that one must be right before it starts.
    closeSync(openSync(path, 'a', 0o600));
    chmodSync(path, 0o600);
    const database = new SqliteDatabase(path, { timeout: busyMsMax });
    try {
      prepare(database);
      migrate(database, options.migrations ?? migrationsFolder, options.nowMs);
    } catch (error) {
      database.close();
      throw error;
    }
    return database;
  });
}

function prepare(database: Database): void {
  database.pragma('journal_mode = WAL');
  // What is kept is small and seldom written, and a lost viewing key costs viewers: every commit goes to the disk
  // itself. NORMAL would survive a crash of the process, too, but may lose the last commits at a power cut.
  database.pragma('synchronous = FULL');
  database.pragma('foreign_keys = ON');
  const verdict = database.pragma('quick_check(1)', { simple: true });
  if (verdict !== 'ok')
    throw new AgentError(
      'store_failed',
      `database is damaged (${verdict}): restore a backup, or move the file away to start empty`,
    );
}

/**
 * What `run` returns.
 * @throws store_failed instead of whatever SQLite or the file system throws; `what` is the beginning of its text
 */
export function orStoreFailed<T>(what: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw error instanceof AgentError ? error : storeFailed(what, error);
  }
}

function storeFailed(what: string, cause: unknown): AgentError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
  return new AgentError('store_failed', `${what}: ${code}`, { cause });
}
