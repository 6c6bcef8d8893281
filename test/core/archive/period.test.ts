import { describe, expect, it } from 'vitest';
import { originPeriodUrl } from '../../../src/core/archive/origin-period.ts';
import { judgePeriod, periodMsMax, periodName } from '../../../src/core/archive/period.ts';
import { originPlace } from '../../../src/core/stream/origin-paths.ts';

const nowMs = 1_794_744_000_000;
const hourMs = 3_600_000;
const depthMs = 24 * hourMs;
const judge = (fromMs: number, until: number | 'now', depth = depthMs) =>
  judgePeriod({ fromMs, until }, { nowMs, depthMs: depth });

describe('a period asked for', () => {
  it.each([
    ['start is no time', Number.NaN, nowMs, 'period-invalid'],
    ['end is no time', nowMs - hourMs, Number.NaN, 'period-invalid'],
    ['start and end are equal', nowMs - hourMs, nowMs - hourMs, 'period-empty'],
    ['start and end are swapped', nowMs - hourMs, nowMs - 2 * hourMs, 'period-empty'],
    ['start is now', nowMs, 'now', 'period-future'],
    ['start is in the future', nowMs + 1, nowMs + hourMs, 'period-future'],
    ['start is a second before the depth', nowMs - depthMs - 1_000, nowMs, 'period-too-old'],
  ] as const)('is malformed when the %s', (_, fromMs, until, reason) => {
    expect(judge(fromMs, until)).toEqual({ reason });
  });

  it.each([
    ['at', nowMs - depthMs],
    ['above', nowMs - depthMs + 1_000],
  ])('may start %s the depth', (_, fromMs) => {
    expect(judge(fromMs, 'now')).toHaveProperty('period.startMs', fromMs);
  });

  it.each([
    ['just below', periodMsMax - 1_000, true],
    ['at', periodMsMax, true],
    ['just above', periodMsMax + 1_000, false],
  ])('may be %s a week long, or not', (_, lengthMs, isGood) => {
    const judged = judge(nowMs - lengthMs, nowMs, 2 * periodMsMax);
    expect('period' in judged).toBe(isGood);
    if (!isGood) expect(judged).toEqual({ reason: 'period-too-long' });
  });

  it('is cut to now where it ends in the future, and then does not grow', () => {
    expect(judge(nowMs - hourMs, nowMs + hourMs)).toEqual({
      period: { startMs: nowMs - hourMs, endMs: nowMs, grows: false },
    });
  });

  it('holds what was asked for in whole seconds', () => {
    const judged = judge(nowMs - hourMs + 1, nowMs - 1);
    expect(judged).toEqual({ period: { startMs: nowMs - hourMs, endMs: nowMs, grows: false } });
  });

  it('goes over midnight and over changes of summer time like over any other second', () => {
    const changeMs = Date.UTC(2026, 9, 25, 1);
    const judged = judge(changeMs - hourMs, changeMs + hourMs, 60 * depthMs);
    expect(judged).toHaveProperty('period.endMs', changeMs + hourMs);
    if ('period' in judged) expect(periodName(judged.period)).toMatch(/-7200$/);
  });
});

describe("the media server's own address of a period", () => {
  const period = { startMs: nowMs - hourMs, endMs: nowMs - 60_000, grows: false };
  const [from, to] = [period.startMs / 1_000, period.endMs / 1_000];
  const entry = 'http://127.0.0.1:8888/live/u/p/ch1.m3u8?key=1';
  const write = (form: string, protocol: 'hls' | 'dash' = 'hls', grows = false) => {
    const place = originPlace(entry, 'index.m3u8');
    if (place === undefined) throw new Error('no place');
    return originPeriodUrl(form, { place, protocol, period: { ...period, grows }, nowMs });
  };
  const folder = 'http://127.0.0.1:8888/live/u/p/';

  it.each([
    ['flussonic', `${folder}archive-${from}-3540.m3u8?key=1`],
    ['nimble', `${folder}playlist_dvr_range-${from}-3540.m3u8?key=1`],
    [
      'wowza',
      `${folder}ch1.m3u8?DVR&wowzadvrplayliststart=20261115110000&wowzadvrplaylistduration=3540000&key=1`,
    ],
    ['mediapackage', `${folder}ch1.m3u8?start=${from}&end=${to}&key=1`],
    ['unified', `${folder}ch1.m3u8?vbegin=${from}&vend=${to}&key=1`],
    ['shift', `${folder}ch1.m3u8?utc=${from}&lutc=${to}&key=1`],
    ['xc', 'http://127.0.0.1:8888/timeshift/u/p/59/2026-11-15:11-00/ch1.m3u8?key=1'],
    ['dvr/{start}-{duration:60}.m3u8', `${folder}dvr/${from}-59.m3u8?key=1`],
    ['x.m3u8?b={Y}{m}{d}&e={end}', `${folder}x.m3u8?b=20261115&e=${to}&key=1`],
  ])('is written in the form %s', (form, url) => {
    expect(write(form)).toBe(url);
  });

  it('has no end where the period grows', () => {
    expect(write('flussonic', 'hls', true)).toBe(`${folder}archive-${from}-now.m3u8?key=1`);
    expect(write('unified', 'hls', true)).toBe(`${folder}ch1.m3u8?vbegin=${from}&key=1`);
  });

  it('never leaves the host of the entry', () => {
    expect(write('../../../../../{start}.m3u8')).toBe(`http://127.0.0.1:8888/${from}.m3u8?key=1`);
    expect(write('xc', 'dash')).toBeUndefined();
  });
});
