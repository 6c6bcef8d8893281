import type { Database } from 'better-sqlite3';
import type { TimelineStore } from '../../agent/ports.ts';
import type { Remembered } from '../../core/timeline/resume.ts';
import { orStoreFailed } from './database.ts';

/** Rises when the form of what is remembered changes. */
const form = 1;
/** Rows kept so long after they were written last, ms: streams come back from maintenance. */
const keptMsMax = 30 * 86_400_000;

/** Where the streams of this node stand on their timelines. */
export function createTimelineStore(database: Database): TimelineStore {
  const select = database.prepare<[string, number], { readonly remembered: string }>(
    'SELECT remembered FROM timelines WHERE stream = ? AND form = ?',
  );
  const insert = database.prepare(
    'INSERT OR REPLACE INTO timelines (stream, form, remembered, kept_at_ms) VALUES (?, ?, ?, ?)',
  );
  const forget = database.prepare<[number]>('DELETE FROM timelines WHERE kept_at_ms < ?');
  return {
    read: (stream) =>
      orStoreFailed('timelines cannot be read', () => {
        const row = select.get(stream, form);
        return row && (JSON.parse(row.remembered) as Remembered);
      }),
    write: (stream, remembered) =>
      orStoreFailed('timelines cannot be kept', () => {
        insert.run(stream, form, JSON.stringify(remembered), Math.floor(remembered.at));
        forget.run(Math.floor(remembered.at) - keptMsMax);
      }),
  };
}
