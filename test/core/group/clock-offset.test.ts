import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addReading,
  type ClockReading,
  clockSample,
  skewVerdict,
  whoIsWrong,
} from '../../../src/core/group/clock-offset.ts';

const start = { wallMs: 1_800_000_000_000, monoMs: 5_000 };

/** Readings of a peer `offsetMs` ahead: each exchange takes `there` and `back` ms and begins at `sentAt`. */
function readings(
  exchanges: readonly { sentAt: number; there: number; back: number; offsetMs: number }[],
): readonly ClockReading[] {
  return exchanges.reduce<readonly ClockReading[]>(
    (before, { sentAt, there, back, offsetMs }) =>
      addReading(before, {
        at: start.wallMs - start.monoMs + sentAt + there + offsetMs,
        sentAt,
        receivedAt: sentAt + there + back,
      }),
    [],
  );
}

function nowAt(monoMs: number, steppedMs = 0) {
  return { monoMs, wallMs: start.wallMs - start.monoMs + monoMs + steppedMs };
}

describe('the clock offset of a peer', () => {
  it.each([312_000, -312_000, 259_200_000, 0])('of %i ms is measured', (offsetMs) => {
    const taken = readings([{ sentAt: 6_000, there: 5, back: 5, offsetMs }]);
    expect(clockSample(taken, nowAt(6_010))).toEqual({ offsetMs, roundTripMs: 10 });
  });

  it('comes from the exchange with the shortest round trip', () => {
    const taken = readings([
      { sentAt: 6_000, there: 40, back: 200, offsetMs: 1_000 },
      { sentAt: 7_000, there: 5, back: 5, offsetMs: 1_000 },
      { sentAt: 8_000, there: 90, back: 0, offsetMs: 1_000 },
    ]);
    expect(clockSample(taken, nowAt(8_100))).toEqual({ offsetMs: 1_000, roundTripMs: 10 });
  });

  it('is wrong by half a round trip at most', () => {
    const ms = fc.integer({ min: 0, max: 1_500 });
    const offset = fc.integer({ min: -400_000, max: 400_000 });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(ms, ms), { minLength: 1, maxLength: 20 }),
        offset,
        (trips, offsetMs) => {
          const taken = readings(
            trips.map(([there, back], index) => ({
              sentAt: 6_000 + index * 1_000,
              there,
              back,
              offsetMs,
            })),
          );
          const clock = clockSample(taken, nowAt(6_000 + trips.length * 1_000));
          expect(Math.abs((clock?.offsetMs ?? Number.NaN) - offsetMs)).toBeLessThanOrEqual(
            (clock?.roundTripMs ?? 0) / 2 + 1,
          );
        },
      ),
    );
  });

  it('rests on the last eight readings only', () => {
    const exchange = (sentAt: number, there: number) => ({
      sentAt,
      there,
      back: there,
      offsetMs: 0,
    });
    const taken = readings([exchange(6_000, 1), ...[7, 8, 9, 10, 11, 12, 13, 14].map((s) => exchange(s * 1_000, 30))]); // biome-ignore format: one row
    expect(taken).toHaveLength(8);
    expect(clockSample(taken, nowAt(14_100))?.roundTripMs).toBe(60);
  });

  it.each([
    [60_000, true],
    [60_001, false],
  ])('is still known %i ms after the last reading: %s', (age, known) => {
    const taken = readings([{ sentAt: 6_000, there: 5, back: 5, offsetMs: 0 }]);
    expect(clockSample(taken, nowAt(6_010 + age)) !== undefined).toBe(known);
  });

  it('is right at once when our own wall clock was stepped, also in the middle of an exchange', () => {
    const taken = readings([{ sentAt: 6_000, there: 5, back: 5, offsetMs: 100 }]);
    expect(clockSample(taken, nowAt(6_500, 300_000))?.offsetMs).toBe(100 - 300_000);
    expect(clockSample(taken, nowAt(6_500, -300_000))?.offsetMs).toBe(100 + 300_000);
  });

  it('is right with the first exchange after the clock of the peer was stepped', () => {
    const taken = readings([
      { sentAt: 6_000, there: 1, back: 1, offsetMs: 0 },
      { sentAt: 7_000, there: 60, back: 40, offsetMs: 300_000 },
    ]);
    expect(taken).toHaveLength(1);
    expect(clockSample(taken, nowAt(7_100))).toEqual({ offsetMs: 300_010, roundTripMs: 100 });
  });
});

describe('the skew limit', () => {
  it.each([
    [239_900, undefined],
    [240_000, undefined],
    [240_001, 'clock-skew'],
    [240_100, 'clock-skew'],
  ])('at %i ms either way: %s', (offsetMs, verdict) => {
    expect(skewVerdict({ offsetMs, roundTripMs: 2 })).toBe(verdict);
    expect(skewVerdict({ offsetMs: -offsetMs, roundTripMs: 2 })).toBe(verdict);
  });

  it('is not judged before a clock was measured', () => {
    expect(skewVerdict(undefined)).toBe('clock-unknown');
  });
});

describe('whose clock is wrong', () => {
  const wrong = (...offsets: number[]) =>
    whoIsWrong('self', new Map(offsets.map((offsetMs, index) => [`p${index + 1}`, offsetMs])));

  it.each([
    ['a peer far from all others', [0, 312_000, 5], ['p2']],
    ['a peer at the limit', [0, 240_000], []],
    ['a peer just above the limit', [0, 240_001], ['p2']],
    ['this node, when all peers agree against it', [312_000, 312_010], ['self']],
    ['this node, when it is slow', [-312_000, -312_000, -311_000], ['self']],
    ['one of four', [0, 0, -600_000], ['p3']],
    ['two of five', [0, 0, 600_000, -900_000], ['p3', 'p4']],
    ['nobody nameable with two nodes', [312_000], []],
    ['nobody nameable when two stand against two', [0, 600_000, 600_000], []],
    ['nobody nameable when no two agree', [300_000, 600_000], []],
    ['nobody without peers', [], []],
  ])('%s', (_, offsets, ids) => {
    expect(wrong(...offsets)).toEqual(ids);
  });
});
