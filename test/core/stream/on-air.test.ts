import { describe, expect, it } from 'vitest';
import {
  type AirWatch,
  airState,
  excusePause,
  isMovementDue,
  neverSeen,
  observe,
  type Sighting,
  type WindowEdge,
} from '../../../src/core/stream/on-air.ts';
import type { Now } from '../../../src/core/time.ts';

const targetDurationMs = 4000;
const at = (monoMs: number, wallMs = 1_790_000_000_000 + monoMs): Now => ({ monoMs, wallMs });
const onAir = { onAir: true };
const off = (reason: string) => ({ onAir: false, reason });

function sight(window: Partial<WindowEdge>): Sighting {
  const whole = { targetDurationMs, mediaSequence: 100, segments: 5, parts: 0, endList: false };
  return { kind: 'window', window: { ...whole, ...window } };
}

const unreachable: Sighting = { kind: 'fault', reason: 'origin-unreachable' };
const status = (code: number): Sighting => ({
  kind: 'fault',
  reason: 'origin-status',
  status: code,
});

/** Sightings with the moments at which they were made. */
function seen(...sightings: (readonly [number, Sighting])[]): AirWatch {
  return sightings.reduce((watch, [ms, sighting]) => observe(watch, sighting, at(ms)), neverSeen);
}

/** A window seen to move at 1000 ms. */
const moving = seen([0, sight({})], [1000, sight({ mediaSequence: 101 })]);

describe('a stream that was never seen', () => {
  it('is starting', () => expect(airState(neverSeen, at(0))).toEqual(off('starting')));

  it('is on air with its first window, and has 1.5 target durations to show that it moves', () => {
    const watch = seen([0, sight({})]);
    expect(airState(watch, at(5999))).toEqual(onAir);
    expect(airState(watch, at(6000))).toEqual(onAir);
    expect(airState(watch, at(6001))).toEqual(off('frozen'));
    expect(watch.lastMovedAt).toBeUndefined();
  });

  it('is starting as long as no segment is listed', () => {
    const empty = seen([0, sight({ segments: 0 })]);
    expect(airState(empty, at(0))).toEqual(off('starting'));
    expect(observe(empty, sight({ segments: 1 }), at(10)).state).toEqual(onAir);
  });

  it.each([
    [unreachable, 'origin-unreachable'],
    [status(404), 'origin-status'],
    [status(503), 'origin-status'],
  ] as const)('says why it is not on air: %j', (fault, reason) =>
    expect(seen([0, fault]).state).toEqual(off(reason)),
  );

  it('is on air with its first window after faults', () => {
    expect(seen([0, unreachable], [10, unreachable], [20, sight({})]).state).toEqual(onAir);
  });
});

describe('a window that moves', () => {
  it.each([
    ['by a segment', { mediaSequence: 102 }],
    ['by growing', { mediaSequence: 101, segments: 6 }],
    ['by a part', { mediaSequence: 101, parts: 1 }],
    ['by a jump ahead', { mediaSequence: 9000 }],
  ])('%s keeps the stream on air', (_, window) => {
    const watch = observe(moving, sight(window), at(5000));
    expect(airState(watch, at(11_000))).toEqual(onAir);
    expect(airState(watch, at(11_001))).toEqual(off('frozen'));
    expect(watch.lastMovedAt).toBe(at(5000).wallMs);
  });

  it('has not moved when only its beginning did', () => {
    const watch = observe(moving, sight({ mediaSequence: 102, segments: 4 }), at(5000));
    expect(airState(watch, at(7001))).toEqual(off('frozen'));
  });

  it('counts segments that a delta update leaves out by their number only', () => {
    const watch = observe(moving, sight({ mediaSequence: 101, segments: 5 }), at(5000));
    expect(watch.movedAt).toBe(1000);
  });
});

describe('a window that stands still', () => {
  it('takes the stream off air after 1.5 target durations, not before', () => {
    const stands = sight({ mediaSequence: 101 });
    expect(observe(moving, stands, at(6999)).state).toEqual(onAir);
    expect(observe(moving, stands, at(7000)).state).toEqual(onAir);
    expect(observe(moving, stands, at(7001)).state).toEqual(off('frozen'));
  });

  it('does so also when nobody reads it', () => {
    expect(airState(moving, at(7000))).toEqual(onAir);
    expect(airState(moving, at(7001))).toEqual(off('frozen'));
  });

  it('is on air again with the next segment, and only then', () => {
    const frozen = observe(moving, sight({ mediaSequence: 101 }), at(8000));
    expect(observe(frozen, sight({ mediaSequence: 101 }), at(9000)).state).toEqual(off('frozen'));
    expect(observe(frozen, sight({ mediaSequence: 102 }), at(9000)).state).toEqual(onAir);
  });

  it('is believed for 90 s at most, whatever target duration is claimed', () => {
    const watch = seen([0, sight({ targetDurationMs: 3_600_000 })]);
    expect(airState(watch, at(90_000))).toEqual(onAir);
    expect(airState(watch, at(90_001))).toEqual(off('frozen'));
  });
});

describe('field report 9: a media sequence that falls back', () => {
  it.each([
    ['its beginning', { mediaSequence: 100 }],
    ['its end', { mediaSequence: 101, segments: 4 }],
    ['all of it', { mediaSequence: 2 }],
  ])('%s takes the stream off air at once', (_, window) => {
    const watch = observe(moving, sight(window), at(1100));
    expect(airState(watch, at(1100))).toEqual(off('sequence-fell-back'));
  });

  it('is on air again when the new numbers move', () => {
    const fallen = observe(moving, sight({ mediaSequence: 2 }), at(1100));
    const stands = observe(fallen, sight({ mediaSequence: 2 }), at(9000));
    expect(stands.state).toEqual(off('sequence-fell-back'));
    expect(observe(stands, sight({ mediaSequence: 3 }), at(9500)).state).toEqual(onAir);
  });
});

describe('ENDLIST', () => {
  it('takes the stream off air at once, however it got there', () => {
    const ended = sight({ mediaSequence: 102, endList: true });
    expect(observe(moving, ended, at(1100)).state).toEqual(off('ended'));
    expect(seen([0, sight({ endList: true })]).state).toEqual(off('ended'));
  });

  it('is over when the window moves again without it', () => {
    const ended = observe(moving, sight({ mediaSequence: 101, endList: true }), at(1100));
    expect(observe(ended, sight({ mediaSequence: 101 }), at(1200)).state).toEqual(off('ended'));
    expect(observe(ended, sight({ mediaSequence: 102 }), at(1200)).state).toEqual(onAir);
  });
});

describe('an origin that fails', () => {
  it.each(['playlist-invalid', 'origin-too-large', 'origin-refused'] as const)(
    'with %s takes the stream off air at once',
    (reason) => {
      expect(observe(moving, { kind: 'fault', reason }, at(1100)).state).toEqual(off(reason));
    },
  );

  it.each([404, 410])('with status %d takes it off air when that is confirmed', (code) => {
    const once = observe(moving, status(code), at(1100));
    expect(once.state).toEqual(onAir);
    expect(observe(once, status(code), at(1200)).state).toEqual(off('origin-status'));
  });

  it.each([unreachable, status(500), { kind: 'fault', reason: 'origin-timeout' } as const])(
    'otherwise takes it off air with the third fault in a row: %j',
    (fault) => {
      const twice = observe(observe(moving, fault, at(1100)), fault, at(1200));
      expect(twice.state).toEqual(onAir);
      expect(observe(twice, fault, at(1300)).state).toMatchObject({ onAir: false });
      const mended = observe(twice, sight({ mediaSequence: 101 }), at(1300));
      expect(observe(mended, fault, at(1400)).state).toEqual(onAir);
    },
  );

  it('has 1.5 target durations in total since the last movement', () => {
    expect(observe(moving, unreachable, at(7000)).state).toEqual(onAir);
    expect(observe(moving, unreachable, at(7001)).state).toEqual(off('origin-unreachable'));
    const once = observe(moving, unreachable, at(3000));
    expect(airState(once, at(7001))).toEqual(off('origin-unreachable'));
  });

  it('is on air again when the window moved, not when it is merely readable', () => {
    const down = [1100, 1200, 1300].reduce(
      (watch, ms) => observe(watch, unreachable, at(ms)),
      moving,
    );
    const readable = observe(down, sight({ mediaSequence: 101 }), at(1400));
    expect(readable.state).toEqual(off('origin-unreachable'));
    expect(observe(readable, sight({ mediaSequence: 102 }), at(1500)).state).toEqual(onAir);
  });
});

it('does not depend on the wall clock', () => {
  const stepped = observe(moving, sight({ mediaSequence: 102 }), at(5000, 0));
  expect(airState(stepped, at(11_000, 9e15))).toEqual(onAir);
  expect(airState(stepped, at(11_001, -9e15))).toEqual(off('frozen'));
});

it('expects a movement one target duration after the last, and when numbers began again', () => {
  expect(isMovementDue(moving, at(4999))).toBe(false);
  expect(isMovementDue(moving, at(5000))).toBe(true);
  expect(isMovementDue(observe(moving, sight({ mediaSequence: 1 }), at(1100)), at(1100))).toBe(
    true,
  );
  expect(
    isMovementDue(
      observe(moving, sight({ endList: true, mediaSequence: 101 }), at(1100)),
      at(9000),
    ),
  ).toBe(false);
});

describe('an agent that had no processor itself', () => {
  it('gives a window so much longer to move', () => {
    const watch = excusePause(excusePause(moving, 300), 400);
    expect(airState(watch, at(7_700))).toEqual(onAir);
    expect(airState(watch, at(7_701))).toEqual(off('frozen'));
    expect(observe(watch, sight({ mediaSequence: 101 }), at(7_700)).state).toEqual(onAir);
    expect(observe(watch, sight({ mediaSequence: 101 }), at(7_701)).state).toEqual(off('frozen'));
  });

  it('gives it twice the time at most, and the usual one after it has moved', () => {
    const watch = excusePause(excusePause(moving, 5_999), 60_000);
    expect(airState(watch, at(13_000))).toEqual(onAir);
    expect(airState(watch, at(13_001))).toEqual(off('frozen'));
    const again = observe(watch, sight({ mediaSequence: 102 }), at(13_000));
    expect(airState(again, at(19_000))).toEqual(onAir);
    expect(airState(again, at(19_001))).toEqual(off('frozen'));
  });

  it('knows no more of a window that it never saw', () => {
    expect(airState(excusePause(neverSeen, 1_000), at(0))).toEqual(off('starting'));
  });
});
