import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  neverOffered,
  type Settling,
  settle,
  settledAir,
} from '../../../src/core/stream/settling.ts';
import type { AirState } from '../../../src/core/stream/stream.ts';

const on: AirState = { onAir: true };
const off: AirState = { onAir: false, reason: 'frozen' };
const settling: AirState = { onAir: false, reason: 'settling' };

type Options = { readonly targetDurationMs?: number; readonly segments?: number };

/** A stream that others could serve unless told otherwise; `see` gives what is told of it at that time. */
function aStream(options: Options = {}) {
  let state: Settling = neverOffered;
  const window = { targetDurationMs: 2_000, segments: 5, ...options };
  return {
    window,
    see(air: AirState, at: number, canServe = true): AirState {
      state = settle(state, { air, window, canOthersServe: () => canServe }, at);
      return settledAir(state, air);
    },
    get troubles() {
      return state.troubles;
    },
  };
}

/** On air, in trouble and back, the n-th time at once after it was offered; the answer is when it was offered again. */
function failTimes(stream: ReturnType<typeof aStream>, times: number): readonly number[] {
  stream.see(on, 0);
  let at = 0;
  return Array.from({ length: times }, () => {
    stream.see(off, at + 100);
    const backAt = at + 200;
    at = backAt;
    while (!stream.see(on, at).onAir) at += 100;
    return at - backAt;
  });
}

describe('a stream that begins', () => {
  it('is offered at once, and off air for its own reason before', () => {
    const stream = aStream();
    const starting: AirState = { onAir: false, reason: 'starting' };
    expect(stream.see(starting, 0)).toEqual(starting);
    expect(stream.see(on, 100)).toEqual(on);
    expect(stream.see(on, 200)).toEqual(on);
  });
});

describe('a stream that comes back', () => {
  it.each([
    ['6 s where segments are short', 1_000, 6_000],
    ['6 s at 2 s segments, which is 3 target durations', 2_000, 6_000],
    ['3 target durations where they are longer', 4_000, 12_000],
  ])('is held for %s', (_, targetDurationMs, holdMs) => {
    const stream = aStream({ targetDurationMs });
    stream.see(on, 0);
    expect(stream.see(off, 50_000)).toEqual(off);
    expect(stream.see(on, 60_000)).toEqual(settling);
    expect(stream.see(on, 60_000 + holdMs - 1)).toEqual(settling);
    expect(stream.see(on, 60_000 + holdMs)).toEqual(on);
    expect(stream.see(on, 60_000 + holdMs + 1)).toEqual(on);
  });

  it('is held anew, not longer, when it fails while it is held', () => {
    const stream = aStream();
    stream.see(on, 0);
    stream.see(off, 1_000);
    for (const at of [2_000, 12_000, 22_000]) {
      expect(stream.see(on, at)).toEqual(settling);
      expect(stream.see(on, at + 5_999)).toEqual(settling);
      expect(stream.see(off, at + 5_999)).toEqual(off);
    }
    expect(stream.troubles).toBe(1);
    stream.see(on, 40_000);
    expect(stream.see(on, 46_000)).toEqual(on);
  });

  it('is held twice as long with each trouble that follows, up to 120 s', () => {
    expect(failTimes(aStream(), 7)).toEqual([
      6_000, 12_000, 24_000, 48_000, 96_000, 120_000, 120_000,
    ]);
    expect(failTimes(aStream({ targetDurationMs: 60_000 }), 2)).toEqual([120_000, 120_000]);
  });

  it.each([
    ['not forgiven after 1 ms less than 10 min', 599_999, 12_000],
    ['forgiven after 10 min', 600_000, 6_000],
    ['forgiven after 1 ms more', 600_001, 6_000],
  ])('has its earlier troubles %s', (_, quietMs, holdMs) => {
    const stream = aStream();
    failTimes(stream, 1);
    const offeredAt = 6_200;
    stream.see(off, offeredAt + quietMs);
    const backAt = offeredAt + quietMs + 1_000;
    expect(stream.see(on, backAt)).toEqual(settling);
    expect(stream.see(on, backAt + holdMs - 1)).toEqual(settling);
    expect(stream.see(on, backAt + holdMs)).toEqual(on);
  });

  it('is offered as soon as nobody else could serve it, and then stays so', () => {
    const stream = aStream();
    stream.see(on, 0);
    stream.see(off, 1_000);
    expect(stream.see(on, 2_000, false)).toEqual(on);
    expect(stream.see(on, 2_100, true)).toEqual(on);
    stream.see(off, 3_000);
    expect(stream.see(on, 4_000, true)).toEqual(settling);
    expect(stream.see(on, 5_000, false)).toEqual(on);
  });
});

describe('the window of a stream that comes back', () => {
  it.each([
    ['as many segments as before', 5, 5],
    ['six where there were more', 12, 6],
  ])('must have %s', (_, before, needed) => {
    const stream = aStream({ segments: before });
    stream.see(on, 0);
    stream.see(off, 1_000);
    stream.window.segments = needed - 1;
    stream.see(on, 2_000);
    expect(stream.see(on, 17_999)).toEqual(settling);
    stream.window.segments = needed;
    expect(stream.see(on, 17_999)).toEqual(on);
  });

  it('is waited for 8 target durations, no longer: its packager may list fewer now', () => {
    const stream = aStream({ segments: 10 });
    stream.see(on, 0);
    stream.see(off, 1_000);
    stream.window.segments = 3;
    stream.see(on, 2_000);
    expect(stream.see(on, 17_999)).toEqual(settling);
    expect(stream.see(on, 18_000)).toEqual(on);
  });

  it('may not be known, as that of an MPD is', () => {
    let state = neverOffered;
    const see = (air: AirState, at: number) => {
      state = settle(state, { air, window: undefined, canOthersServe: () => true }, at);
      return settledAir(state, air);
    };
    see(on, 0);
    see(off, 1_000);
    expect(see(on, 2_000)).toEqual(settling);
    expect(see(on, 7_999)).toEqual(settling);
    expect(see(on, 8_000)).toEqual(on);
  });
});

describe('whatever happens to a stream', () => {
  it('it is never told on air while it is not, and always is after 2 min of good air', () => {
    const event = fc.record({
      isOn: fc.boolean(),
      afterMs: fc.nat(30_000),
      canServe: fc.boolean(),
      segments: fc.nat(10),
    });
    fc.assert(
      fc.property(fc.array(event, { maxLength: 40 }), (events) => {
        const stream = aStream();
        let at = 0;
        for (const { isOn, afterMs, canServe, segments } of events) {
          at += afterMs;
          stream.window.segments = segments;
          const told = stream.see(isOn ? on : off, at, canServe);
          if (!isOn) expect(told).toEqual(off);
        }
        stream.see(on, at);
        expect(stream.see(on, at + 120_000)).toEqual(on);
      }),
    );
  });
});
