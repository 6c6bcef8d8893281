import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { budgetCut, cutInstant } from '../../../src/core/archive/budget-cut.ts';
import { watchClock } from '../../../src/core/archive/clock-watch.ts';
import { inOrderOfTime } from '../../../src/core/archive/segment-order.ts';
import { segmentFiles } from '../../../src/core/archive/window-segments.ts';
import { readMediaPlaylist } from '../../../src/core/playlist/media-playlist.ts';

describe('whether the wall clock is to be believed', () => {
  const [steadyMs, correctionMsMax] = [600_000, 60_000];
  const at = (monoMs: number, setMs = 0) => ({ wallMs: 1e12 + monoMs + setMs, monoMs });

  it.each([
    [steadyMs - 1, false],
    [steadyMs, true],
    [steadyMs + 1, true],
  ])('%i ms after the first look: %s', (passedMs, isSteady) => {
    const first = watchClock(undefined, at(0));
    expect(first.isSteady).toBe(false);
    expect(watchClock(first, at(passedMs)).isSteady).toBe(isSteady);
  });

  it.each([
    [correctionMsMax, true],
    [-correctionMsMax, true],
    [correctionMsMax + 1, false],
    [-correctionMsMax - 1, false],
  ])('after it was set by %i ms: %s', (setMs, isSteady) => {
    const steady = watchClock(watchClock(undefined, at(0)), at(steadyMs));
    expect(watchClock(steady, at(steadyMs + 1_000, setMs)).isSteady).toBe(isSteady);
  });
});

describe('what has to go for the rest to fit', () => {
  const hours = [
    { startMs: 0, bytes: 100 },
    { startMs: 1, bytes: 50 },
    { startMs: 2, bytes: 10 },
  ];

  it.each([
    [161, { hours: [] }],
    [160, { hours: [] }],
    [159, { hours: [], partly: { startMs: 0, bytes: 1 } }],
    [61, { hours: [], partly: { startMs: 0, bytes: 99 } }],
    [60, { hours: [0] }],
    [59, { hours: [0], partly: { startMs: 1, bytes: 1 } }],
    [0, { hours: [0, 1, 2] }],
  ])('into %i bytes', (budget, cut) => {
    expect(budgetCut(hours, budget)).toEqual(cut);
  });

  it('of one hour are the segments that end first', () => {
    const segments = [8_000, 0, 4_000].map((startMs) => ({
      startMs,
      durationMs: 4_000,
      bytes: 10,
    }));
    expect([1, 10, 11, 30, 99].map((bytes) => cutInstant(segments, bytes))).toEqual([
      4_000, 4_000, 8_000, 12_000, 12_000,
    ]);
  });
});

describe('segments in the order of time', () => {
  const segment = (startMs: number, durationMs = 4_000) => ({ startMs, durationMs });

  it('are the same list where nothing has to be sorted', () => {
    const recorded = [segment(0), segment(4_000), segment(8_500)];
    expect(inOrderOfTime(recorded)).toBe(recorded);
  });

  it.each([
    [1_999, 2],
    [2_000, 2],
    [2_001, 1],
  ])('that share %i ms of 4 s are %i', (sharedMs, count) => {
    expect(inOrderOfTime([segment(0), segment(4_000 - sharedMs)])).toHaveLength(count);
  });

  it('hold what was filled in later in its place', () => {
    const filled = [segment(0), segment(8_000), segment(4_000)];
    expect(inOrderOfTime(filled).map(({ startMs }) => startMs)).toEqual([0, 4_000, 8_000]);
  });

  it('hold all of what was recorded last, and nothing more than half twice', () => {
    const someSegment = fc.record({
      startMs: fc.integer({ min: 0, max: 60_000 }),
      durationMs: fc.integer({ min: 1, max: 8_000 }),
    });
    fc.assert(
      fc.property(fc.array(someSegment, { maxLength: 30 }), (recorded) => {
        const ordered = inOrderOfTime(recorded);
        const last = recorded.at(-1);
        if (last !== undefined) expect(ordered).toContain(last);
        for (const [at, next] of ordered.entries()) {
          const before = ordered[at - 1];
          if (before === undefined) continue;
          const sharedMs = before.startMs + before.durationMs - next.startMs;
          expect(next.startMs).toBeGreaterThanOrEqual(before.startMs);
          expect(sharedMs).toBeLessThanOrEqual(Math.min(before.durationMs, next.durationMs) / 2);
        }
      }),
    );
  });
});

describe('the files of a segment', () => {
  const files = (uri: string, tags: readonly string[] = [], path = 'v0/index.m3u8') => {
    const lines = ['#EXTM3U', '#EXT-X-TARGETDURATION:4', ...tags, '#EXTINF:4,', uri];
    const playlist = readMediaPlaylist(Buffer.from(lines.join('\n')));
    return playlist && segmentFiles(playlist, 0, path);
  };

  it.each([
    ['seg.ts', { path: 'v0/seg.ts', query: '', range: undefined }, 'ts'],
    ['../a/seg.aac?x=1&y', { path: 'a/seg.aac', query: 'x=1&y', range: undefined }, 'aac'],
    ['seg%20%C3%A4.ts', { path: 'v0/seg%20%C3%A4.ts', query: '', range: undefined }, 'ts'],
    ['media', { path: 'v0/media', query: '', range: undefined }, 'ts'],
    ['text.vtt', { path: 'v0/text.vtt', query: '', range: undefined }, 'vtt'],
  ])('%s is found from its playlist', (uri, segment, ending) => {
    expect(files(uri)).toEqual({ ending, segment, map: undefined });
  });

  it('a range of a file is asked for as such', () => {
    expect(files('all.ts', ['#EXT-X-BYTERANGE:100@50'])?.segment.range).toBe('bytes=50-149');
  });

  it('with an initialisation segment is fragmented MP4, whatever it is called', () => {
    const found = files('1.mp4', ['#EXT-X-MAP:URI="init.mp4?s=1"']);
    expect(found).toMatchObject({ ending: 'm4s', map: { path: 'v0/init.mp4', query: 's=1' } });
  });

  it.each([
    ['https://elsewhere.example.net/1.ts', []],
    ['/outside.ts', []],
    ['gap.ts', ['#EXT-X-GAP']],
    ['one.mp4', ['#EXT-X-MAP:URI="one.mp4"', '#EXT-X-BYTERANGE:100@50']],
  ])('%s with %j is not recorded', (uri, tags) => {
    expect(files(uri, tags)).toBeUndefined();
  });
});
