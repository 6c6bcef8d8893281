import type { Database } from 'better-sqlite3';
import type { StreamStore } from '../../agent/ports.ts';
import type { StreamConfig } from '../../core/stream/stream.ts';
import { orStoreFailed } from './database.ts';

type Row = {
  readonly name: string;
  readonly origin: string | null;
  readonly dash: string | null;
  readonly group_name: string | null;
  readonly reserve: 0 | 1;
  readonly source: string | null;
  readonly archive: string | null;
  readonly canonical: 0 | 1 | null;
};

/** Streams that came through the API, by name. */
export function createStreamStore(database: Database): StreamStore {
  const select = database.prepare<[], Row>('SELECT * FROM streams ORDER BY name');
  const upsert = database.prepare<[Row]>(`
    INSERT INTO streams VALUES (@name, @origin, @dash, @group_name, @reserve, @source, @archive, @canonical)
    ON CONFLICT (name) DO UPDATE SET origin = excluded.origin, dash = excluded.dash,
      group_name = excluded.group_name, reserve = excluded.reserve, source = excluded.source, archive = excluded.archive,
      canonical = excluded.canonical`);
  const remove = database.prepare<[string]>('DELETE FROM streams WHERE name = ?');
  return {
    list: () => orStoreFailed('streams cannot be read', () => select.all().map(streamOf)),
    put: (stream) =>
      orStoreFailed(`stream "${stream.name}" cannot be kept`, () => {
        upsert.run(rowOf(stream));
      }),
    remove: (name) =>
      orStoreFailed(`stream "${name}" cannot be removed`, () => {
        remove.run(name);
      }),
  };
}

function rowOf(stream: StreamConfig): Row {
  return {
    name: stream.name,
    origin: stream.origin ?? null,
    dash: stream.dash ?? null,
    group_name: stream.group ?? null,
    reserve: stream.reserve ? 1 : 0,
    source: stream.source ?? null,
    archive: stream.archive === undefined ? null : JSON.stringify(stream.archive),
    canonical: stream.canonical === undefined ? null : stream.canonical ? 1 : 0,
  };
}

function streamOf(row: Row): StreamConfig {
  return {
    name: row.name,
    reserve: row.reserve === 1,
    ...(row.origin !== null && { origin: row.origin }),
    ...(row.dash !== null && { dash: row.dash }),
    ...(row.group_name !== null && { group: row.group_name }),
    ...(row.source !== null && { source: row.source }),
    ...(row.archive !== null && { archive: JSON.parse(row.archive) }),
    ...(row.canonical !== null && { canonical: row.canonical === 1 }),
  };
}
