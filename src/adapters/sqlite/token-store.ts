import type { Database } from 'better-sqlite3';
import type { AdminScope, AdminToken, TokenStore } from '../../agent/admin-ports.ts';
import { orStoreFailed } from './database.ts';

type Row = {
  readonly id: string;
  readonly name: string;
  readonly scope: AdminScope;
  readonly hash: Uint8Array;
  readonly created_at_ms: number;
  readonly created_by: string;
};

/** Bearer tokens made through the API, oldest first; hashes only. */
export function createTokenStore(database: Database): TokenStore {
  const select = database.prepare<[], Row>('SELECT * FROM tokens ORDER BY created_at_ms, id');
  const insert = database.prepare<[Row]>(
    'INSERT INTO tokens VALUES (@id, @name, @scope, @hash, @created_at_ms, @created_by)',
  );
  const remove = database.prepare<[string]>('DELETE FROM tokens WHERE id = ?');
  return {
    list: () => orStoreFailed('tokens cannot be read', () => select.all().map(tokenOf)),
    add: ({ id, name, scope, hash, createdAt, createdBy }) =>
      orStoreFailed('token cannot be kept', () => {
        insert.run({ id, name, scope, hash, created_at_ms: createdAt, created_by: createdBy });
      }),
    remove: (id) =>
      orStoreFailed('token cannot be removed', () => {
        remove.run(id);
      }),
  };
}

function tokenOf({ id, name, scope, hash, ...row }: Row): AdminToken {
  return { id, name, scope, hash, createdAt: row.created_at_ms, createdBy: row.created_by };
}
