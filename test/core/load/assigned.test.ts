import { describe, expect, it } from 'vitest';
import { assignedMax, assignedOf } from '../../../src/core/load/assigned.ts';

describe('where the viewers of a node would go', () => {
  it('is told by the backups they hold, alike ones together, largest first', () => {
    expect(
      assignedOf('a', [
        { home: 'a', backups: ['b', 'c'], sessions: 3 },
        { home: 'a', backups: ['c', 'b'], sessions: 5 },
        { home: 'a', backups: ['b', 'c'], sessions: 4 },
      ]),
    ).toEqual([
      { first: 'b', second: 'c', sessions: 7 },
      { first: 'c', second: 'b', sessions: 5 },
    ]);
  });

  it('leaves out who has no backup', () => {
    expect(assignedOf('a', [{ home: 'a', backups: [], sessions: 3 }])).toEqual([]);
  });

  it('takes a viewer of another node back to its home after its last backup', () => {
    const alike = [
      { home: 'x', backups: ['c'], sessions: 1 },
      { home: 'x', backups: [], sessions: 2 },
    ];
    expect(assignedOf('a', alike)).toEqual([
      { first: 'x', sessions: 2 },
      { first: 'c', second: 'x', sessions: 1 },
    ]);
  });

  it('keeps the largest pairs when there are too many', () => {
    const alike = Array.from({ length: assignedMax + 1 }, (_, at) => ({
      home: 'a',
      backups: [`n${at}`],
      sessions: at + 1,
    }));
    const assigned = assignedOf('a', alike);
    expect(assigned).toHaveLength(assignedMax);
    expect(assigned.at(-1)?.sessions).toBe(2);
  });
});
