import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { listedPeriods, readListed, settledMs } from '../../../src/core/archive/listed-periods.ts';
import { periodMsMax, periodName } from '../../../src/core/archive/period.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const midnight = Date.UTC(2026, 10, 30);

describe('the lists of segments that another node is asked for', () => {
  it('hold all of a span in whole minutes without a hole, none longer than a day, a week in nine at most', () => {
    const spans = fc.record({
      startMs: fc.integer({ min: 0, max: 3 * dayMs }).map((ms) => midnight + ms),
      lengthMs: fc.integer({ min: 1, max: periodMsMax }),
      agoMs: fc.integer({ min: -dayMs, max: 2 * dayMs }),
    });
    fc.assert(
      fc.property(spans, ({ startMs, lengthMs, agoMs }) => {
        const endMs = startMs + lengthMs;
        const periods = listedPeriods({ startMs, endMs }, endMs + agoMs);
        expect(periods[0]?.startMs).toBe(Math.floor(startMs / minuteMs) * minuteMs);
        expect(periods.at(-1)?.endMs).toBe(Math.ceil(endMs / minuteMs) * minuteMs);
        expect(periods.length).toBeLessThanOrEqual(9);
        for (const [at, period] of periods.entries()) {
          expect(period.startMs).toBe(periods[at - 1]?.endMs ?? period.startMs);
          const [from = '', duration = ''] = periodName(period).split('-');
          expect(readListed(from, duration)).toEqual({ period });
        }
      }),
    );
  });

  it('part what is settled from what still grows at a full hour', () => {
    const startMs = midnight - 2 * hourMs;
    const nowMs = midnight + 5 * hourMs + 30 * minuteMs;
    expect(listedPeriods({ startMs, endMs: nowMs }, nowMs).map(periodName)).toEqual([
      `${startMs / 1_000}-7200`,
      `${midnight / 1_000}-${5 * 3_600}`,
      `${midnight / 1_000 + 5 * 3_600}-1800`,
    ]);
    const [, , grown] = listedPeriods({ startMs, endMs: nowMs }, midnight + 5 * hourMs + settledMs);
    expect(grown?.startMs).toBe(midnight + 5 * hourMs);
    const [, before] = listedPeriods(
      { startMs, endMs: nowMs },
      midnight + 5 * hourMs + settledMs - 1,
    );
    expect(before?.endMs).toBe(midnight + 4 * hourMs);
  });

  it.each([
    ['a day', '86400', undefined],
    ['a second more', '86401', 'period-too-long'],
    ['a week', '604800', 'period-too-long'],
    ['nothing', '0', 'period-empty'],
    ['until now', 'now', 'period-invalid'],
  ])('are refused by their length: %s', (_, duration, reason) => {
    const listed = readListed('1790000000', duration);
    expect('reason' in listed ? listed.reason : undefined).toBe(reason);
  });

  it('may lie ahead of the clock of who is asked', () => {
    expect(readListed('99999999999', '60')).toMatchObject({ period: { grows: false } });
  });
});
