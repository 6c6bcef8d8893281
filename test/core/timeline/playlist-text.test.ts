import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type ListedSegment,
  listable,
  writeCanonicalPlaylist,
} from '../../../src/core/timeline/playlist-text.ts';
import type { TimelineRun } from '../../../src/core/timeline/run.ts';

const run: TimelineRun = {
  sequence: 7,
  foundedAt: 0,
  foundedBy: 'node-a',
  firstNumber: 100,
  originTicks: 0,
  segmentTicks: 180_000,
  targetDurationS: 2,
  layout: { video: 'h264', audio: [], others: [] },
  soundGrids: [],
};
const next = { ...run, sequence: 8 };

function aSegment(number: number, fields: Partial<ListedSegment> = {}): ListedSegment {
  const startTicks = 1_790_000_000 * 90_000 + (number - 100) * 180_000;
  return { number, startTicks, durationTicks: 180_000, isGap: false, tags: [], run, ...fields };
}

describe('the playlist of a canonical stream', () => {
  it('names numbers, durations and dates', () => {
    expect(writeCanonicalPlaylist([aSegment(100), aSegment(101)])).toBe(`#EXTM3U
#EXT-X-VERSION:8
#EXT-X-TARGETDURATION:2
#EXT-X-MEDIA-SEQUENCE:100
#EXT-X-DISCONTINUITY-SEQUENCE:7
#EXT-X-PROGRAM-DATE-TIME:2026-09-21T14:13:20.000Z
#EXTINF:2.000000,
100.ts
#EXT-X-PROGRAM-DATE-TIME:2026-09-21T14:13:22.000Z
#EXTINF:2.000000,
101.ts
`);
  });

  it('marks the first segment of the next run, gaps, and keeps tags with their segment', () => {
    const window = [
      aSegment(100),
      aSegment(101, { isGap: true }),
      aSegment(102, { run: next, tags: ['#EXT-X-CUE-OUT:30'] }),
    ];
    const lines = writeCanonicalPlaylist(window).split('\n');
    expect(lines).toContain('#EXT-X-VERSION:8');
    expect(lines.slice(lines.indexOf('#EXT-X-DISCONTINUITY'), -1)).toEqual([
      '#EXT-X-DISCONTINUITY',
      '#EXT-X-CUE-OUT:30',
      '#EXT-X-PROGRAM-DATE-TIME:2026-09-21T14:13:24.000Z',
      '#EXTINF:2.000000,',
      '102.ts',
    ]);
    expect(lines[lines.indexOf('101.ts') - 2]).toBe('#EXT-X-GAP');
  });

  it('has the same lines for a segment whatever window it is in', () => {
    const all = Array.from({ length: 20 }, (_, i) => aSegment(100 + i));
    const line = (from: number) => writeCanonicalPlaylist(all.slice(from)).split('\n').slice(5);
    expect(line(3)).toEqual(line(0).slice(9));
  });

  it('writes dates as the calendar has them', () => {
    const property = fc.property(fc.integer({ min: 0, max: 4_000_000_000_000 }), (unixMs) => {
      const text = writeCanonicalPlaylist([aSegment(100, { startTicks: unixMs * 90 })]);
      return text.includes(`#EXT-X-PROGRAM-DATE-TIME:${new Date(unixMs).toISOString()}\n`);
    });
    fc.assert(property, { numRuns: 500 });
  });
});

describe('what of a window may be listed', () => {
  it('is all of it while numbers follow each other, also into the next run', () => {
    const window = [aSegment(100), aSegment(101), aSegment(102, { run: next })];
    expect(listable(window)).toEqual(window);
  });

  it('is what comes behind a hole, or behind a run that was missed', () => {
    const later = { ...run, sequence: 9 };
    expect(listable([aSegment(100), aSegment(102), aSegment(103)])).toHaveLength(2);
    expect(listable([aSegment(100), aSegment(101, { run: later })])).toHaveLength(1);
    expect(listable([aSegment(100), aSegment(150, { run: next })])).toHaveLength(1);
    expect(listable([])).toEqual([]);
    expect(writeCanonicalPlaylist([])).toBe('');
  });
});
