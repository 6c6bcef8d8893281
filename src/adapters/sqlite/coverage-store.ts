import type { Database } from 'better-sqlite3';
import type { CoverageStore } from '../../agent/archive-ports.ts';
import type { Coverage } from '../../core/archive/coverage.ts';
import type { TimeRange } from '../../core/archive/ranges.ts';
import type { Container } from '../../core/stream/stream.ts';
import { orStoreFailed } from './database.ts';

type Row = {
  readonly stream: string;
  readonly container: Container;
  readonly start_ms: number;
  readonly end_ms: number;
};

/** What is recorded, as merged ranges. */
export function createCoverageStore(database: Database): CoverageStore {
  const select = database.prepare<[], Row>(
    'SELECT * FROM coverage ORDER BY stream, container, start_ms',
  );
  const insert = database.prepare<[Row]>(
    'INSERT INTO coverage VALUES (@stream, @container, @start_ms, @end_ms)',
  );
  const removeWithin = database.prepare<[string, Container, number, number]>(`
    DELETE FROM coverage WHERE stream = ? AND container = ? AND start_ms >= ? AND start_ms < ?`);
  const removeAll = database.prepare<[string]>('DELETE FROM coverage WHERE stream = ?');
  const rewrite = database.transaction(
    (stream: string, container: Container, within: TimeRange, ranges: readonly TimeRange[]) => {
      removeWithin.run(stream, container, within.startMs, within.endMs);
      for (const { startMs, endMs } of ranges)
        insert.run({ stream, container, start_ms: startMs, end_ms: endMs });
    },
  );
  const atOnce = database.transaction((work: () => void) => work());
  return {
    list: () => orStoreFailed('coverage cannot be read', () => coveragesOf(select.all())),
    rewrite: (stream, container, within, ranges) =>
      orStoreFailed(`coverage of stream "${stream}" cannot be kept`, () =>
        rewrite.immediate(stream, container, within, ranges),
      ),
    remove: (stream) =>
      orStoreFailed(`coverage of stream "${stream}" cannot be removed`, () => {
        removeAll.run(stream);
      }),
    atOnce: (work) => orStoreFailed('coverage cannot be kept', () => atOnce.immediate(work)),
  };
}

/** Rows come by stream and container. */
function coveragesOf(rows: readonly Row[]): readonly Coverage[] {
  const coverages: { stream: string; container: Container; ranges: TimeRange[] }[] = [];
  for (const { stream, container, start_ms, end_ms } of rows) {
    const last = coverages.at(-1);
    const range = { startMs: start_ms, endMs: end_ms };
    if (last?.stream === stream && last.container === container) last.ranges.push(range);
    else coverages.push({ stream, container, ranges: [range] });
  }
  return coverages;
}
