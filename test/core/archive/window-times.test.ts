import { describe, expect, it } from 'vitest';
import { timeWindow, type WindowMemory } from '../../../src/core/archive/window-times.ts';
import { readMediaPlaylist } from '../../../src/core/playlist/media-playlist.ts';

const datesOffMsMax = 600_000;
const baseMs = Date.UTC(2026, 10, 30, 12);
const at = (passedMs: number, wallOffsetMs = 0) => ({
  wallMs: baseMs + wallOffsetMs + passedMs,
  monoMs: 5_000 + passedMs,
});

/** A window of segments of 4 s from `first` on; `date` (of the first) and other lines where given. */
function window(
  first: number,
  count: number,
  extra: { date?: number; before?: Record<number, string>; head?: string } = {},
) {
  const lines = ['#EXTM3U', '#EXT-X-TARGETDURATION:4', `#EXT-X-MEDIA-SEQUENCE:${first}`];
  if (extra.head !== undefined) lines.push(extra.head);
  if (extra.date !== undefined)
    lines.push(`#EXT-X-PROGRAM-DATE-TIME:${new Date(extra.date).toISOString()}`);
  for (let number = first; number < first + count; number += 1)
    lines.push(...[extra.before?.[number] ?? []].flat(), '#EXTINF:4,', `${number}.ts`);
  const playlist = readMediaPlaylist(Buffer.from(`${lines.join('\n')}\n`));
  if (playlist === undefined) throw new Error('the playlist of the test is wrong');
  return playlist;
}

type Look = ReturnType<typeof timeWindow>;
const numbers = ({ fresh }: Look) => fresh.map(({ number }) => number);
const offsets = ({ fresh }: Look) => fresh.map(({ startMs }) => startMs - baseMs);
const breaks = ({ fresh }: Look) => fresh.flatMap((one) => (one.isBreak ? one.number : []));

describe('times of a window with dates', () => {
  it('gives each new segment its date once', () => {
    const first = timeWindow(window(10, 3, { date: baseMs }), undefined, at(12_000));
    const next = timeWindow(window(11, 3, { date: baseMs + 4_000 }), first.memory, at(16_000));
    expect([numbers(first), offsets(first)]).toEqual([
      [10, 11, 12],
      [0, 4_000, 8_000],
    ]);
    expect([numbers(next), offsets(next), breaks(next)]).toEqual([[13], [12_000], []]);
    expect(
      numbers(timeWindow(window(11, 3, { date: baseMs + 4_000 }), next.memory, at(17_000))),
    ).toEqual([]);
  });

  it('counts back from the first date and on from the last', () => {
    const date = `#EXT-X-PROGRAM-DATE-TIME:${new Date(baseMs).toISOString()}`;
    const look = timeWindow(window(10, 4, { before: { 12: date } }), undefined, at(8_000));
    expect(offsets(look)).toEqual([-8_000, -4_000, 0, 4_000]);
  });

  it.each([
    [datesOffMsMax - 1, true],
    [datesOffMsMax, true],
    [datesOffMsMax + 1, false],
  ])('believes dates that end %i ms before now: %s', (offMs, believed) => {
    const look = timeWindow(window(10, 1, { date: baseMs - 4_000 - offMs }), undefined, at(0));
    expect(offsets(look)).toEqual([believed ? -4_000 - offMs : -4_000]);
  });

  it('takes a packager that began again at 0 for a break, and loses nothing of it', () => {
    const first = timeWindow(window(10, 3, { date: baseMs }), undefined, at(12_000));
    const again = timeWindow(window(0, 2, { date: baseMs + 15_000 }), first.memory, at(23_000));
    expect([numbers(again), breaks(again)]).toEqual([[0, 1], [0]]);
  });

  it('does not take an older answer for something new', () => {
    const first = timeWindow(window(10, 3, { date: baseMs }), undefined, at(12_000));
    const older = timeWindow(window(9, 3, { date: baseMs - 4_000 }), first.memory, at(13_000));
    expect(numbers(older)).toEqual([]);
    expect(older.memory?.number).toBe(12);
  });

  it('goes on when the dates of the origin are set back by an hour', () => {
    const first = timeWindow(window(10, 3, { date: baseMs }), undefined, at(12_000));
    const setBack = window(11, 3, { date: baseMs + 4_000 - 300_000 });
    expect(numbers(timeWindow(setBack, first.memory, at(16_000)))).toContain(13);
  });

  it('breaks at a discontinuity, seen or fallen out of the window unseen, not at a hole', () => {
    const first = timeWindow(window(10, 3, { date: baseMs }), undefined, at(12_000));
    const tag = window(12, 3, { date: baseMs + 8_000, before: { 14: '#EXT-X-DISCONTINUITY' } });
    expect(breaks(timeWindow(tag, first.memory, at(20_000)))).toEqual([14]);
    const hole = window(20, 2, { date: baseMs + 40_000 });
    expect(breaks(timeWindow(hole, first.memory, at(48_000)))).toEqual([]);
    const unseen = { date: baseMs + 40_000, head: '#EXT-X-DISCONTINUITY-SEQUENCE:1' };
    expect(breaks(timeWindow(window(20, 2, unseen), first.memory, at(48_000)))).toEqual([20]);
  });
});

describe('times of a window without dates', () => {
  it('lets the newest segment end now, and the next ones follow without holes', () => {
    const first = timeWindow(window(10, 3), undefined, at(0));
    const next = timeWindow(window(11, 3), first.memory, at(4_700));
    const later = timeWindow(window(12, 3), next.memory, at(7_900));
    expect([...offsets(first), ...offsets(next), ...offsets(later)]).toEqual([
      -12_000, -8_000, -4_000, 0, 4_000,
    ]);
  });

  it.each([
    [5_999, 0],
    [6_000, 0],
    [6_001, 6_001],
  ])('follows an arrival that is %i ms late with start %i', (lateMs, startMs) => {
    const first = timeWindow(window(10, 3), undefined, at(0));
    const next = timeWindow(window(11, 3), first.memory, at(4_000 + lateMs));
    expect(offsets(next)).toEqual([startMs]);
  });

  it.each([3_600_000, -3_600_000])(
    'sets times with a wall clock that was set by %i ms',
    (stepMs) => {
      const first = timeWindow(window(10, 3), undefined, at(0));
      const next = timeWindow(window(11, 3), first.memory, at(4_200, stepMs));
      const later = timeWindow(window(12, 3), next.memory, at(8_000, stepMs));
      expect([numbers(next), numbers(later)]).toEqual([[13], [14]]);
      expect([...offsets(next), ...offsets(later)]).toEqual([stepMs, stepMs + 4_000]);
      expect([...breaks(next), ...breaks(later)]).toEqual([]);
    },
  );

  it('takes numbers that fell back for a new life of the packager', () => {
    const first = timeWindow(window(10, 3), undefined, at(0));
    const again = timeWindow(window(0, 2), first.memory, at(9_000));
    expect([numbers(again), breaks(again), offsets(again)]).toEqual([[0, 1], [0], [1_000, 5_000]]);
  });

  it('knows the segments that were recorded before the agent was started again', () => {
    const recorded: WindowMemory = { number: 12, endMs: baseMs + 300 };
    const look = timeWindow(window(11, 4), recorded, at(8_000));
    expect([numbers(look), offsets(look), breaks(look)]).toEqual([[13, 14], [300, 4_300], []]);
  });

  it('claims after a restart of the agent that nothing goes on over a hole', () => {
    const recorded: WindowMemory = { number: 12, endMs: baseMs };
    expect(breaks(timeWindow(window(20, 3), recorded, at(40_000)))).toEqual([20]);
    expect(breaks(timeWindow(window(13, 3), recorded, at(3_600_000)))).toEqual([13]);
  });

  it('records numbers again that were used long before the agent was started', () => {
    const recorded: WindowMemory = { number: 12, endMs: baseMs - 3_600_000 };
    expect(numbers(timeWindow(window(10, 3), recorded, at(0)))).toEqual([10, 11, 12]);
  });
});

it('remembers what it knew when a window is empty', () => {
  const memory: WindowMemory = { number: 12, endMs: baseMs };
  const look = timeWindow(window(13, 0), memory, at(0));
  expect([look.fresh, look.memory?.number]).toEqual([[], 12]);
});
