import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { drillFamilies } from '../../../src/core/drill/failure.ts';
import {
  afterFault,
  afterStandstill,
  type Next,
  opened,
  type Position,
  succeeded,
  uriOf,
} from '../../../src/core/drill/moves.ts';
import { type ProbeFault, playerRules } from '../../../src/core/drill/player-rules.ts';

/** `nodes` with `rungs` each, listed twice, as the agent lists them. */
const placesOf = (nodes: number, rungs: number) =>
  Array.from({ length: nodes * 2 }, (_, place) => ({
    rungs: Array.from({ length: rungs }, (_, rung) => `http://n${place % nodes}/${place}/${rung}`),
  }));

/** What one place sees until the player has left it, or gave up: its requests, and the time they took it to. */
function until(
  family: (typeof drillFamilies)[number],
  fault: ProbeFault,
  start: Position,
  isEmpty: boolean,
) {
  let position = start;
  let now = 0;
  const asked: string[] = [];
  for (;;) {
    asked.push(uriOf(position) ?? '');
    const moved: { position: Position; next: Next } = afterFault(
      position,
      playerRules[family],
      fault,
      { now, isEmpty },
    );
    position = moved.position;
    if (moved.next.kind !== 'load' || position.at !== start.at || asked.length > 50)
      return { asked, position, next: moved.next, afterMs: now };
    now += moved.next.inMs;
  }
}

describe('a player whose playlist is answered 404', () => {
  it.each([
    ['vhs', 1, 0],
    ['media3', 1, 0],
    ['avplayer', 1, 0],
    ['shaka', 2, 1_000],
  ] as const)('%s leaves after %i requests and %i ms', (family, requests, afterMs) => {
    const left = until(family, 'status', opened(placesOf(2, 3), 1), false);
    expect([left.asked.length, left.afterMs]).toEqual([requests, afterMs]);
    expect(uriOf(left.position)).toBe('http://n1/1/1');
  });

  it('hls.js tries every rung once, then goes on at the rung where it was', () => {
    const left = until('hls.js', 'status', opened(placesOf(2, 3), 1), false);
    expect(left.asked).toEqual(['http://n0/0/1', 'http://n0/0/0', 'http://n0/0/2']);
    expect(uriOf(left.position)).toBe('http://n1/1/1');
  });

  it('a legacy player opens the stream again', () => {
    const { asked, next } = until('legacy', 'status', opened(placesOf(1, 1), 0), false);
    expect([asked.length, next]).toEqual([2, { kind: 'reopen', inMs: 5_000 }]);
  });
});

describe('a player that gets no answer', () => {
  it('Media3 goes on trying while it has something to show, and then ends', () => {
    const start = opened(placesOf(2, 1), 0);
    expect(until('media3', 'cut', start, false).asked.length).toBe(51);
    const ended = until('media3', 'cut', start, true);
    expect([ended.asked.length, ended.next.kind]).toEqual([4, 'fatal']);
  });

  it('hls.js asks each rung three times', () => {
    const left = until('hls.js', 'silent', opened(placesOf(2, 2), 0), false);
    expect(left.asked.length).toBe(6);
  });
});

describe('a player whose playlist stands still', () => {
  const facts = { now: 0, isEmpty: false, targetMs: 2_000 };
  const start = opened(placesOf(2, 1), 0);
  const nextOf = (family: (typeof drillFamilies)[number], unchangedMs: number, isEmpty = false) =>
    afterStandstill(start, playerRules[family], { ...facts, unchangedMs, isEmpty })?.next.kind;

  it('AVPlayer moves after more than one and a half target durations', () => {
    expect([2_999, 3_000, 3_001].map((ms) => nextOf('avplayer', ms))).toEqual([
      ...[undefined, undefined, 'load'],
    ]);
  });

  it('Media3 ends after more than three and a half', () => {
    expect([6_999, 7_000, 7_001].map((ms) => nextOf('media3', ms))).toEqual([
      ...[undefined, undefined, 'fatal'],
    ]);
  });

  it('VHS moves when nothing is left to show, hls.js and Shaka never', () => {
    expect([nextOf('vhs', 60_000), nextOf('vhs', 1, true)]).toEqual([undefined, 'load']);
    expect([nextOf('hls.js', 600_000, true), nextOf('shaka', 600_000, true)]).toEqual([
      ...[undefined, undefined],
    ]);
  });
});

describe('any player', () => {
  const faults = fc.constantFrom<ProbeFault>('status', 'cut', 'silent');
  const families = fc.constantFrom(...drillFamilies);

  it('asks only what it was offered, and never a place that it has just left', () => {
    fc.assert(
      fc.property(
        ...[families, fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 4 })],
        fc.array(fc.record({ fault: fc.option(faults), waitMs: fc.nat(40_000) }), {
          maxLength: 40,
        }),
        (family, nodes, rungs, events) => {
          const places = placesOf(nodes, rungs);
          const all = new Set(places.flatMap((place) => place.rungs));
          let position = opened(places, rungs - 1);
          let now = 0;
          for (const { fault, waitMs } of events) {
            now += waitMs;
            if (fault === null) {
              position = succeeded(position);
              continue;
            }
            const before = position.at;
            const facts = { now, isEmpty: true };
            const moved = afterFault(position, playerRules[family], fault, facts);
            position = moved.position;
            if (moved.next.kind === 'fatal') return;
            expect(all.has(uriOf(position) ?? '')).toBe(true);
            const { blockedUntil, at } = position;
            expect(blockedUntil[at]).toBeLessThanOrEqual(now);
            expect(at === before || (blockedUntil[before] ?? 0) >= now).toBe(true);
          }
        },
      ),
    );
  });

  it('that moves on 404 gives up no sooner than every place has failed', () => {
    const movers = families.filter((family) => playerRules[family].at.status.does === 'moves');
    fc.assert(
      fc.property(movers, fc.integer({ min: 1, max: 3 }), (family, nodes) => {
        let position = opened(placesOf(nodes, 1), 0);
        const seen = new Set<string>();
        for (;;) {
          seen.add(uriOf(position) ?? '');
          const facts = { now: 0, isEmpty: true };
          const moved = afterFault(position, playerRules[family], 'status', facts);
          if (moved.next.kind === 'fatal') break;
          position = moved.position;
        }
        expect(seen.size).toBe(nodes * 2);
      }),
    );
  });
});
