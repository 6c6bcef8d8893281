import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type DueSegment,
  dueSegments,
  isEmpty,
  nothingPlayed,
  played,
  withoutMediaMs,
} from '../../../src/core/drill/playback.ts';
import { readMediaPlaylist } from '../../../src/core/playlist/media-playlist.ts';

const listOf = (from: number, count: number, date?: string) => {
  const segments = Array.from({ length: count }, (_, at) => `#EXTINF:2,\ns${from + at}.ts`);
  const text = [
    '#EXTM3U',
    '#EXT-X-TARGETDURATION:2',
    `#EXT-X-MEDIA-SEQUENCE:${from}`,
    ...(date === undefined ? [] : [`#EXT-X-PROGRAM-DATE-TIME:${date}`]),
    ...segments,
  ].join('\n');
  const playlist = readMediaPlaylist(new TextEncoder().encode(text));
  if (playlist === undefined) throw new Error('not a playlist');
  return playlist;
};

const numbers = (segments: readonly DueSegment[]) => segments.map(({ number }) => number);
const segment = (number: number, durationMs = 2_000): DueSegment => ({
  ...{ number, durationMs, uri: `s${number}.ts` },
});

describe('what a player loads of a playlist', () => {
  it('is the last three segments at first, and later what is new', () => {
    expect(numbers(dueSegments(listOf(10, 6), undefined))).toEqual([13, 14, 15]);
    expect(numbers(dueSegments(listOf(10, 6), { number: 14 }))).toEqual([15]);
    expect(numbers(dueSegments(listOf(10, 6), { number: 15 }))).toEqual([]);
  });

  it('goes by dates where both have them, whatever the numbers of the other node are', () => {
    const at = '2026-07-01T12:00:00Z';
    const [, , last] = dueSegments(listOf(10, 3, at), undefined);
    const other = listOf(900, 4, at);
    expect(numbers(dueSegments(other, last))).toEqual([903]);
  });
});

describe('what a player has shown', () => {
  it('is without a break while every segment comes before the last one ends', () => {
    const first = played(nothingPlayed, segment(1), 0);
    const second = played(first, segment(2), 2_000);
    expect(second).toMatchObject({ playsUntil: 4_000, withoutMediaMs: 0, missingMs: 0 });
    expect([isEmpty(second, 3_999), isEmpty(second, 4_000)]).toEqual([false, true]);
  });

  it('counts the time with nothing to show, also when nothing comes any more', () => {
    const late = played(played(nothingPlayed, segment(1), 0), segment(2), 2_500);
    expect(late).toMatchObject({ playsUntil: 4_500, withoutMediaMs: 500 });
    expect([4_500, 4_600].map((now) => withoutMediaMs(late, now))).toEqual([500, 600]);
    expect(withoutMediaMs(nothingPlayed, 10_000)).toBe(0);
  });

  it('counts what was left out, by number', () => {
    const before = played(nothingPlayed, segment(1), 0);
    expect(played(before, segment(4), 1_000).missingMs).toBe(4_000);
  });

  it('counts by date a hole of a quarter of a second, and nothing below', () => {
    const at = (number: number, endsAt: number) => ({ ...segment(number), endsAt });
    const before = played(nothingPlayed, at(1, 2_000), 0);
    const missing = [4_249, 4_250].map((endsAt) => played(before, at(9, endsAt), 0).missingMs);
    expect(missing).toEqual([0, 250]);
  });

  it('adds up: time passed is what was shown, what there was nothing for, and what is left', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(6_000), { minLength: 1, maxLength: 30 }), (waits) => {
        let now = 0;
        let playback = nothingPlayed;
        waits.forEach((waitMs, at) => {
          if (at > 0) now += waitMs;
          playback = played(playback, segment(at), now);
        });
        const shownMs = now - playback.withoutMediaMs;
        const leftMs = (playback.playsUntil ?? 0) - now;
        expect(shownMs + leftMs).toBe(waits.length * 2_000);
        expect(playback.missingMs).toBe(0);
      }),
    );
  });
});
