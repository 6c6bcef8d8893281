import type { Database } from 'better-sqlite3';
import type { AdminTokenStore } from '../../agent/admin-ports.ts';
import { orStoreFailed } from './database.ts';

/** The hash of the generated bearer token of the REST API. */
export function createAdminTokenStore(database: Database): AdminTokenStore {
  const select = database.prepare<[], { hash: Uint8Array }>('SELECT hash FROM admin_token');
  const insert = database.prepare<[Uint8Array, number]>(
    'INSERT INTO admin_token (only_row, hash, created_at_ms) VALUES (1, ?, ?)',
  );
  return {
    read: () => orStoreFailed('admin token cannot be read', () => select.get()?.hash),
    write: (hash, nowMs) =>
      orStoreFailed('admin token cannot be kept', () => {
        insert.run(hash, nowMs);
      }),
  };
}
