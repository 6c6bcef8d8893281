import type { Database } from 'better-sqlite3';
import type { AuditEntry, AuditStore } from '../../agent/admin-ports.ts';
import { orStoreFailed } from './database.ts';

type Row = {
  readonly id: number;
  readonly at_ms: number;
  readonly who: string;
  readonly action: string;
  readonly target: string | null;
  readonly before_json: string | null;
  readonly after_json: string | null;
};

type Page = { beforeId: number; limit: number; who: string | null } & Pick<Row, 'target'> & {
    action: string | null;
  };

/** The changes operators made, newest first. */
export function createAuditStore(database: Database): AuditStore {
  const insert = database.prepare<[Omit<Row, 'id'>]>(
    `INSERT INTO audit (at_ms, who, action, target, before_json, after_json)
      VALUES (@at_ms, @who, @action, @target, @before_json, @after_json)`,
  );
  const select = database.prepare<[Page], Row>(`
    SELECT * FROM audit WHERE id < @beforeId AND (@who IS NULL OR who = @who)
      AND (@action IS NULL OR action = @action) AND (@target IS NULL OR target = @target)
    ORDER BY id DESC LIMIT @limit`);
  const trim = database.prepare<[{ olderThan: number; entriesMax: number }]>(`
    DELETE FROM audit WHERE at_ms < @olderThan
      OR id <= (SELECT id FROM audit ORDER BY id DESC LIMIT 1 OFFSET @entriesMax)`);
  return {
    add: (entry) =>
      orStoreFailed('change cannot be noted', () => {
        insert.run(rowOf(entry));
      }),
    list: ({ beforeId = Number.MAX_SAFE_INTEGER, limit, filter }) =>
      orStoreFailed('changes cannot be read', () => {
        const { who = null, action = null, target = null } = filter;
        return select.all({ beforeId, limit, who, action, target }).map(entryOf);
      }),
    trim: (limits) =>
      orStoreFailed('changes cannot be trimmed', () => trim.run({ ...limits }).changes),
  };
}

function rowOf({ at, who, action, target, before, after }: AuditEntry): Omit<Row, 'id'> {
  return {
    at_ms: at,
    ...{ who, action },
    target: target ?? null,
    before_json: before === undefined ? null : JSON.stringify(before),
    after_json: after === undefined ? null : JSON.stringify(after),
  };
}

function entryOf(row: Row): AuditEntry & { readonly id: number } {
  const { id, at_ms: at, who, action } = row;
  return {
    ...{ id, at, who, action },
    ...(row.target !== null && { target: row.target }),
    ...(row.before_json !== null && { before: JSON.parse(row.before_json) }),
    ...(row.after_json !== null && { after: JSON.parse(row.after_json) }),
  };
}
