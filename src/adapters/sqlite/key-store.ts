import type { Database } from 'better-sqlite3';
import type { KeyStore, ViewingKey } from '../../agent/ports.ts';
import { orStoreFailed } from './database.ts';

type Row = {
  readonly id: string;
  readonly generation: number;
  readonly created_at_ms: number;
  readonly superseded_at_ms: number | null;
  readonly secret: Uint8Array;
};

/** The viewing keys of this node, newest generation first. */
export function createKeyStore(database: Database): KeyStore {
  const select = database.prepare<[], Row>(
    'SELECT * FROM viewing_keys ORDER BY generation DESC, created_at_ms DESC, id DESC',
  );
  const clear = database.prepare('DELETE FROM viewing_keys');
  const insert = database.prepare<[Row]>(
    'INSERT INTO viewing_keys VALUES (@id, @generation, @created_at_ms, @superseded_at_ms, @secret)',
  );
  const replace = database.transaction((keys: readonly ViewingKey[]) => {
    clear.run();
    for (const key of keys) insert.run(rowOf(key));
  });
  return {
    list: () => orStoreFailed('viewing keys cannot be read', () => select.all().map(keyOf)),
    replace: (keys) => orStoreFailed('viewing keys cannot be kept', () => replace.immediate(keys)),
  };
}

function rowOf(key: ViewingKey): Row {
  return {
    id: key.id,
    generation: key.generation,
    created_at_ms: key.createdAt,
    superseded_at_ms: key.supersededAt ?? null,
    secret: key.secret,
  };
}

function keyOf(row: Row): ViewingKey {
  return {
    id: row.id,
    generation: row.generation,
    createdAt: row.created_at_ms,
    secret: new Uint8Array(row.secret),
    ...(row.superseded_at_ms !== null && { supersededAt: row.superseded_at_ms }),
  };
}
