import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { Database } from 'better-sqlite3';
import { AgentError } from '../../core/errors.ts';
import type { UnixMs } from '../../core/time.ts';

type Migration = { readonly number: number; readonly name: string; readonly sql: string };
type Applied = { readonly number: number; readonly name: string; readonly checksum: string };

/**
 * Brings the database to the newest form: each file `NNNN-noun.sql` of `folder` that has not run yet runs in a
 * transaction together with the record that it did.
 * @throws store_failed when a newer version of the agent wrote the database, or an applied migration was changed
 */
export function migrate(database: Database, folder: URL, nowMs: UnixMs): void {
  database.exec(`CREATE TABLE IF NOT EXISTS migrations (
    number INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL, applied_at_ms INTEGER NOT NULL
  ) STRICT`);
  const migrations = migrationsIn(folder);
  const appliedRows = database.prepare<[], Applied>('SELECT * FROM migrations ORDER BY number');
  const record = database.prepare('INSERT INTO migrations VALUES (?, ?, ?, ?)');
  const applyNext = database.transaction(() => {
    const applied = appliedRows.all();
    refuseForeign(applied, migrations);
    const next = migrations[applied.length];
    if (next === undefined) return false;
    database.exec(next.sql);
    record.run(next.number, next.name, checksum(next), nowMs);
    return true;
  });
  while (applyNext.immediate());
}

function migrationsIn(folder: URL): readonly Migration[] {
  const files = readdirSync(folder).filter((file) => /^\d{4}-[a-z0-9-]+\.sql$/.test(file));
  return files.sort().map((file) => ({
    number: Number(file.slice(0, 4)),
    name: file.slice(0, -'.sql'.length),
    sql: readFileSync(new URL(file, folder), 'utf8'),
  }));
}

function refuseForeign(applied: readonly Applied[], migrations: readonly Migration[]): void {
  for (const [at, row] of applied.entries()) {
    const known = migrations[at];
    if (known === undefined)
      throw new AgentError(
        'store_failed',
        `database has migration "${row.name}" of a newer version of the agent: run that version, or restore a backup made before the update`,
      );
    if (known.number !== row.number || checksum(known) !== row.checksum)
      throw new AgentError(
        'store_failed',
        `migration "${known.name}" is not the one that made the database ("${row.name}"): the installation is damaged`,
      );
  }
}

function checksum(migration: Migration): string {
  return createHash('sha256').update(migration.sql).digest('hex');
}
