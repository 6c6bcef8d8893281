import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCoverageStore } from '../../../src/adapters/sqlite/coverage-store.ts';
import { openDatabase } from '../../../src/adapters/sqlite/database.ts';
import { createStreamStore } from '../../../src/adapters/sqlite/stream-store.ts';
import { Coverages } from '../../../src/agent/archive/coverages.ts';
import type { TimeRange } from '../../../src/core/archive/ranges.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const open = (dataDir = tempFolder()) => openDatabase({ dataDir, nowMs: 0 });
const range = (startMs: number, endMs: number): TimeRange => ({ startMs, endMs });
const hourMs = 3_600_000;

type Change =
  | { kind: 'add' | 'replace' | 'subtract'; ranges: TimeRange[] }
  | { kind: 'trim'; beforeMs: number };

function apply(coverages: Coverages, change: Change): void {
  if (change.kind === 'trim') coverages.trim('ch1', 'ts', change.beforeMs);
  else coverages[change.kind]('ch1', 'ts', change.ranges);
}

describe('coverage', () => {
  it('comes back over a restart, by stream and container', () => {
    const dataDir = tempFolder();
    const first = open(dataDir);
    const coverages = new Coverages(createCoverageStore(first));
    coverages.add('b', 'ts', [range(0, 1_000), range(5_000, 6_000)]);
    coverages.add('a', 'fmp4', [range(0, 1_000)]);
    coverages.add('b', 'ts', [range(6_000, 7_000)]);
    first.close();
    const again = new Coverages(createCoverageStore(open(dataDir)));
    expect(again.of('b')).toEqual([
      { stream: 'b', container: 'ts', ranges: [range(0, 1_000), range(5_000, 7_000)] },
    ]);
    expect(again.ranges('a', 'fmp4')).toEqual([range(0, 1_000)]);
  });

  it('is one row per range, however many segments made it', () => {
    const database = open();
    const coverages = new Coverages(createCoverageStore(database));
    for (let at = 0; at < 500; at += 1)
      coverages.add('ch1', 'ts', [range(at * 6_000, (at + 1) * 6_000)]);
    const rows = database.prepare('SELECT * FROM coverage').all();
    expect(rows).toEqual([{ stream: 'ch1', container: 'ts', start_ms: 0, end_ms: 3_000_000 }]);
  });

  it('in the store is what it is in memory, whatever is added, trimmed, lost and replaced', () => {
    const someRange = fc
      .tuple(fc.nat(40), fc.nat(6))
      .map(([start, length]) => range(start * 1_000, (start + length) * 1_000));
    const ranges = fc.array(someRange, { maxLength: 5 });
    const change = fc.oneof(
      fc.record({
        kind: fc.constantFrom('add' as const, 'replace' as const, 'subtract' as const),
        ranges,
      }),
      fc.record({ kind: fc.constant('trim' as const), beforeMs: fc.nat(50_000) }),
    );
    const database = open();
    fc.assert(
      fc.property(fc.array(change, { maxLength: 12 }), (changes) => {
        const store = createCoverageStore(database);
        const coverages = new Coverages(store);
        for (const one of changes) {
          apply(coverages, one);
          expect(store.list().flatMap((kept) => kept.ranges)).toEqual(
            coverages.ranges('ch1', 'ts'),
          );
        }
        coverages.remove('ch1');
        expect(store.list()).toEqual([]);
      }),
      { numRuns: 40 },
    );
  });

  it('writes only what differs: a segment more touches one row of thousands', () => {
    const database = open();
    const coverages = new Coverages(createCoverageStore(database));
    const many = Array.from({ length: 2_000 }, (_, at) => range(at * hourMs, at * hourMs + 1_000));
    coverages.replace('ch1', 'ts', many);
    const before = database.prepare('SELECT total_changes() AS n').get() as { n: number };
    coverages.add('ch1', 'ts', [range(2_000 * hourMs, 2_000 * hourMs + 6_000)]);
    coverages.trim('ch1', 'ts', 500);
    const after = database.prepare('SELECT total_changes() AS n').get() as { n: number };
    expect(after.n - before.n).toBeLessThanOrEqual(4);
  });

  it('of many streams is written at once: one transaction, whole', () => {
    const database = open();
    const store = createCoverageStore(database);
    const coverages = new Coverages(store);
    coverages.atOnce(() => {
      expect(database.inTransaction).toBe(true);
      for (const name of ['a', 'b', 'c']) coverages.add(name, 'ts', [range(0, 1_000)]);
    });
    expect(database.inTransaction).toBe(false);
    expect(store.list().map(({ stream }) => stream)).toEqual(['a', 'b', 'c']);
  });

  it('of many streams is in memory what it is in the store, too, when writing it at once fails', () => {
    const store = createCoverageStore(open());
    const coverages = new Coverages(store);
    coverages.add('a', 'ts', [range(0, 1_000)]);
    coverages.add('b', 'ts', [range(0, 1_000)]);
    const { version } = coverages;
    const failing = () =>
      coverages.atOnce(() => {
        coverages.add('a', 'ts', [range(5_000, 6_000)]);
        coverages.add('a', 'ts', [range(7_000, 8_000)]);
        coverages.remove('b');
        coverages.add('c', 'ts', [range(0, 0.5)]);
        throw new Error('the disk is gone');
      });
    expect(failing).toThrow(expect.objectContaining({ code: 'store_failed' }));
    const memory = ['a', 'b', 'c'].flatMap((name) => coverages.of(name));
    expect(memory).toEqual(store.list());
    expect(memory.map(({ ranges }) => ranges)).toEqual([[range(0, 1_000)], [range(0, 1_000)]]);
    expect(coverages.version).toBeGreaterThan(version);
    coverages.add('a', 'ts', [range(5_000, 6_000)]);
    expect(coverages.of('a')).toEqual(store.list().slice(0, 1));
  });

  it('that the schema forbids is a fault with a code, and changes nothing', () => {
    const store = createCoverageStore(open());
    store.rewrite('ch1', 'ts', range(0, 10), [range(0, 10)]);
    const wrong = () => store.rewrite('ch1', 'ts', range(0, 10), [range(0, 5), range(9, 9)]);
    expect(wrong).toThrow(expect.objectContaining({ code: 'store_failed' }));
    expect(store.list()).toEqual([{ stream: 'ch1', container: 'ts', ranges: [range(0, 10)] }]);
  });
});

describe("a stream's archive settings", () => {
  it('come back over a restart as they were given', () => {
    const dataDir = tempFolder();
    const archive = { record: { depth_h: 72, budget_mb: 500 }, refill: true };
    const database = open(dataDir);
    createStreamStore(database).put({ name: 'ch1', origin: '/srv/a', reserve: true, archive });
    database.close();
    expect(createStreamStore(open(dataDir)).list()[0]?.archive).toEqual(archive);
  });
});
