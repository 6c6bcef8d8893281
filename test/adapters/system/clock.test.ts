import { expect, it } from 'vitest';
import { systemClock, systemTimers } from '../../../src/adapters/system/clock.ts';
import { newBytes, newId } from '../../../src/adapters/system/ids.ts';
import { onSchedule } from '../../../src/adapters/system/schedule.ts';
import { createFakeLog } from '../../support/fake-log.ts';

it('reads both clocks of the machine', () => {
  const before = Date.now();
  const first = systemClock.now();
  const second = systemClock.now();
  expect(first.wallMs).toBeGreaterThanOrEqual(before);
  expect(second.monoMs).toBeGreaterThanOrEqual(first.monoMs);
});

it('calls back once, and not at all when taken back', async () => {
  const calls: string[] = [];
  const takeBack = systemTimers.after(1, () => calls.push('taken back'));
  takeBack();
  systemTimers.after(2 ** 40, () => calls.push('in 35 years'))();
  await new Promise<void>((resolve) => systemTimers.after(5, resolve));
  expect(calls).toEqual([]);
});

it('makes ids of 22 URL-safe characters and bytes of any number, never the same twice', () => {
  const ids = new Set(Array.from({ length: 100 }, newId));
  expect(ids.size).toBe(100);
  for (const id of ids) expect(id).toMatch(/^[\w-]{22}$/);
  expect(newBytes(32)).toHaveLength(32);
  expect(newBytes(32)).not.toEqual(newBytes(32));
});

it('runs scheduled work again after a run that threw, until it is ended', async () => {
  const log = createFakeLog();
  let runs = 0;
  let end = () => {};
  await new Promise<void>((resolve) => {
    end = onSchedule({
      // Six fields: each second; the configuration takes five only.
      cron: '* * * * * *',
      name: 'key rotation',
      log,
      run: () => {
        runs += 1;
        if (runs === 1) throw new Error('first run fails');
        resolve();
      },
    });
  });
  end();
  expect(runs).toBe(2);
  expect(log.lines.filter(({ level }) => level === 'error')).toEqual([
    expect.objectContaining({
      event: 'scheduled work failed',
      fields: { work: 'key rotation', cause: new Error('first run fails') },
    }),
  ]);
});
