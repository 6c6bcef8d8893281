import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AlertCode } from '../../../src/core/alert/alert.ts';
import {
  type SeenFault,
  type Watch,
  watchedMax,
  watchFaults,
  watchTold,
} from '../../../src/core/alert/holds.ts';
import { testNow } from '../../support/builders.ts';

const at = (ms: number) => ({ wallMs: testNow.wallMs + ms, monoMs: testNow.monoMs + ms });

function aFault(code: AlertCode = 78, more: Partial<SeenFault> = {}): SeenFault {
  return { code, group: 'ch1', node: 'node-b', cause: 'unreachable', text: 'gone', ...more };
}

/** Looks each second for `seconds`; `seen` says what is there in that second. The kinds with their second. */
function told(seconds: number, seen: (second: number) => readonly SeenFault[], mayRaise = true) {
  let watch: Watch = new Map();
  const story: string[] = [];
  for (let second = 0; second <= seconds; second += 1) {
    const step = watchFaults(watch, seen(second), { now: at(second * 1000), mayRaise });
    watch = step.watch;
    for (const { kind } of step.transitions) story.push(`${kind} ${second}`);
  }
  return { story, watch };
}

describe('a fault', () => {
  it.each([
    [70, 2, []],
    [70, 3, ['raised 3']],
    [78, 9, []],
    [78, 10, ['raised 10']],
  ] as const)('of alert %i that lasts %i s is told: %j', (code, lasts, story) => {
    expect(told(lasts, () => [aFault(code)]).story).toEqual(story);
  });

  it('is raised since it was seen first, not since it was told, whatever the wall clock did meanwhile', () => {
    const seen = [aFault()];
    const first = watchFaults(new Map(), seen, { now: at(0), mayRaise: false });
    const second = watchFaults(first.watch, seen, { now: at(25_000), mayRaise: false });
    const now = { wallMs: at(45_000).wallMs + 3_600_000, monoMs: at(45_000).monoMs };
    const { transitions } = watchFaults(second.watch, seen, { now, mayRaise: true });
    expect(transitions.map(({ alert }) => now.wallMs - alert.raisedAt)).toEqual([45_000]);
  });

  it('is not raised before the beginning of 1970 by a clock that was not set yet', () => {
    const first = watchFaults(new Map(), [aFault()], { now: at(0), mayRaise: true });
    const now = { wallMs: 7, monoMs: at(10_000).monoMs };
    const { transitions } = watchFaults(first.watch, [aFault()], { now, mayRaise: true });
    expect(transitions.map(({ alert }) => alert.raisedAt)).toEqual([0]);
  });

  it('that was away for less than 30 s has not been away', () => {
    expect(told(35, (s) => (s <= 5 || s >= 34 ? [aFault()] : [])).story).toEqual(['raised 34']);
    expect(told(45, (s) => (s <= 5 || s >= 36 ? [aFault()] : [])).story).toEqual([]);
  });

  it('is over a minute after it went', () => {
    const { story } = told(100, (s) => (s <= 20 ? [aFault()] : []));
    expect(story).toEqual(['raised 10', 'cleared 80']);
  });

  it('that lasted longer must stay away twice as long, five minutes at most', () => {
    expect(told(200, (s) => (s <= 40 ? [aFault()] : [])).story).toEqual([
      'raised 10',
      'cleared 120',
    ]);
    expect(told(1_400, (s) => (s <= 1_000 ? [aFault()] : [])).story).toEqual([
      'raised 10',
      'cleared 1300',
    ]);
  });

  it('of another cause is the same alert, changed', () => {
    const { story } = told(20, (s) => [aFault(78, { cause: s < 15 ? 'unreachable' : 'frozen' })]);
    expect(story).toEqual(['raised 10', 'changed 15']);
  });

  it('is not told while little is known', () => {
    expect(told(60, () => [aFault()], false).story).toEqual([]);
  });

  it('that is not sure keeps what was told, and raises nothing', () => {
    const unsure = aFault(70, { onlyKeeps: true });
    expect(told(60, () => [unsure]).story).toEqual([]);
    expect(told(600, (s) => [s < 5 ? aFault(70) : unsure]).story).toEqual(['raised 3']);
  });

  it('told before a restart stands until it has been away for a minute', () => {
    const { seenAt: _, onlyKeeps: __, ...fault } = aFault();
    const watch = watchTold([{ ...fault, raisedAt: 7 }], at(0));
    const before = watchFaults(watch, [], { now: at(59_999), mayRaise: true });
    expect(before.transitions).toEqual([]);
    const after = watchFaults(before.watch, [], { now: at(60_000), mayRaise: true });
    expect(after.transitions).toEqual([
      { kind: 'cleared', alert: { ...fault, raisedAt: 7, clearedAt: at(60_000).wallMs } },
    ]);
  });

  it('is one of at most 2,000', () => {
    const many = Array.from({ length: watchedMax + 1 }, (_, group) =>
      aFault(78, { group: `ch${group}` }),
    );
    expect(told(10, () => many).watch.size).toBe(watchedMax);
  });
});

describe('refusals', () => {
  const refusal = (second: number) => [aFault(79, { seenAt: at(second * 1000).monoMs })];

  it('are told when they go on for longer than 30 s', () => {
    expect(told(30, refusal).story).toEqual([]);
    expect(told(31, refusal).story).toEqual(['raised 31']);
  });

  it('are over 30 s after the last one, which is remembered all the time', () => {
    const { story, watch } = told(200, (s) => refusal(Math.min(s, 40)));
    expect(story).toEqual(['raised 31', 'cleared 70']);
    expect(watch.size).toBe(0);
  });

  it('go on with less than 30 s between them', () => {
    expect(told(70, (s) => refusal(s - (s % 29))).story).toEqual(['raised 58']);
    expect(told(300, (s) => refusal(s - (s % 30))).story).toEqual([]);
  });
});

describe('a square wave of failures', () => {
  it.each([70, 78] as const)('of ten minutes raises alert %i once', (code) => {
    const halfPeriod = fc.integer({ min: 1, max: 600 });
    fc.assert(
      fc.property(halfPeriod, (half) => {
        const isBad = (s: number) => s <= 600 && Math.floor(s / half) % 2 === 0;
        const { story } = told(1_000, (s) => (isBad(s) ? [aFault(code)] : []));
        expect(story.map((line) => line.split(' ')[0])).toEqual(['raised', 'cleared']);
      }),
      { numRuns: 60 },
    );
  });

  it('of refusals with pauses of less than 30 s raises once', () => {
    const { story } = told(700, (s) => {
      const isBad = s <= 600 && Math.floor(s / 25) % 2 === 0;
      return isBad ? [aFault(79, { seenAt: at(s * 1000).monoMs })] : [];
    });
    expect(story).toEqual(['raised 50', 'cleared 630']);
  });
});
