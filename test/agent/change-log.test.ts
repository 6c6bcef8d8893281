import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ChangeLog } from '../../src/agent/change-log.ts';

/** Somebody who asks again and again, and what it believes. */
function createReader(log: ChangeLog<string>, max: number) {
  const known = new Set<string>();
  let version = 0;
  return {
    known,
    read() {
      const changes = log.since(version, max);
      if (changes.full) known.clear();
      for (const key of changes.removed) known.delete(key);
      for (const value of changes.put) known.add(value);
      version = changes.version;
      return changes;
    },
  };
}

describe('a log of changes', () => {
  it('brings every reader to the same, however often it asks and however little it is told at once', () => {
    const step = fc.record({
      key: fc.integer({ min: 0, max: 9 }),
      put: fc.boolean(),
      reads: fc.boolean(),
    });
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 60 }),
        fc.integer({ min: 1, max: 4 }),
        (steps, max) => {
          const log = new ChangeLog<string>();
          const kept = new Set<string>();
          const reader = createReader(log, max);
          for (const { key, put, reads } of steps) {
            const name = `k${key}`;
            if (put) log.put(name, name);
            else log.remove(name);
            if (put) kept.add(name);
            else kept.delete(name);
            if (reads) reader.read();
          }
          while (reader.read().more);
          expect([...reader.known].sort()).toEqual([...kept].sort());
          expect(log.size).toBe(kept.size);
        },
      ),
    );
  });

  it('tells everything to one that may have missed a removal', () => {
    const log = new ChangeLog<string>();
    const reader = createReader(log, 100_000);
    log.put('stays', 'stays');
    log.put('goes', 'goes');
    reader.read();
    log.remove('goes');
    for (let at = 0; at < 6_000; at += 1) {
      log.put(`x${at}`, `x${at}`);
      log.remove(`x${at}`);
    }
    expect(reader.read().full).toBe(true);
    expect([...reader.known]).toEqual(['stays']);
  });

  it('has nothing to tell before anything happened, nor to one that knows all', () => {
    const log = new ChangeLog<string>();
    expect(log.since(0, 10)).toMatchObject({ version: 0, full: false, put: [], more: false });
    log.put('a', 'a');
    const { version } = log.since(0, 10);
    expect(log.since(version, 10)).toMatchObject({ version, full: false, put: [], removed: [] });
  });

  it('says nothing of what it forgets', () => {
    const log = new ChangeLog<string>();
    log.put('a', 'a');
    const { version } = log.since(0, 10);
    log.forget('a');
    expect(log.since(version, 10).removed).toEqual([]);
    expect(log.since(0, 10).put).toEqual([]);
  });
});
