import { describe, expect, it } from 'vitest';
import { shareOfCount } from '../../../src/core/drill/failure.ts';
import { readPlaces } from '../../../src/core/drill/places.ts';
import { expectationOf, playerRules } from '../../../src/core/drill/player-rules.ts';
import {
  type FamilyResult,
  familyResults,
  isPassed,
  type ProbeResult,
} from '../../../src/core/drill/report.ts';

const probe = (result: Partial<ProbeResult> = {}): ProbeResult => ({
  ...{ family: 'vhs', chosen: true, state: 'playing', withoutMediaMs: 0, missingMs: 0 },
  ...{ requests: 9, bytes: 900, expected: { outcome: 'moves', withinMs: 3_000 } },
  ...result,
});
const moved = { movedAfterMs: 1_900, movedTo: 'node-b', servedAfterMs: 2_000 };

const resultOf = (probes: readonly ProbeResult[], failedForMs = 10_000) => {
  const [family] = familyResults(probes, { failedForMs, isAssumed: () => false });
  if (family === undefined) throw new Error('no family');
  return family;
};

describe('how a family came through', () => {
  it.each([
    ['carried', [{ ...moved, withoutMediaMs: 999 }]],
    ['interrupted', [{ ...moved, withoutMediaMs: 1_000 }]],
    ['lost', [{ ...moved }, {}]],
    ['carried', [{ ...moved }, { chosen: false }]],
    ['unproved', [{ chosen: false }]],
    ['unproved', [{ state: 'unopened' }]],
    ['stays', [{ expected: { outcome: 'stays' } }]],
    ['waiting', [{ expected: { outcome: 'ends', withinMs: 10_001 } }]],
    ['lost', [{ expected: { outcome: 'ends', withinMs: 10_000 }, state: 'ended' }]],
  ] as const)('is %s with %j', (verdict, results) => {
    expect(resultOf(results.map(probe)).verdict).toBe(verdict);
  });

  it('is not judged before its rules would have brought it elsewhere', () => {
    expect([2_999, 3_000].map((ms) => resultOf([probe()], ms).verdict)).toEqual([
      ...['waiting', 'lost'],
    ]);
  });

  it('is told by the slowest and the worst of those who met it', () => {
    const slow = { movedAfterMs: 2_900, movedTo: 'node-c', servedAfterMs: 3_000, missingMs: 40 };
    const untouched = probe({ chosen: false, withoutMediaMs: 7_000 });
    const found = resultOf([probe({ ...moved, withoutMediaMs: 20 }), probe(slow), untouched]);
    expect(found).toMatchObject({
      ...{ probes: 3, chosen: 2, moved: 2, movedAfterMs: 2_900, servedAfterMs: 3_000 },
      ...{ withoutMediaMs: 20, missingMs: 40, to: ['node-b', 'node-c'] },
    });
  });
});

describe('a drill', () => {
  it('has passed when somebody was proved to be carried, and nobody was lost', () => {
    const families = (...verdicts: FamilyResult['verdict'][]) =>
      verdicts.map((verdict) => ({ ...resultOf([probe(moved)]), verdict }));
    expect(isPassed(families('carried', 'waiting', 'stays'))).toBe(true);
    expect(isPassed(families('carried', 'lost'))).toBe(false);
    const ended = { ...resultOf([probe()]), expected: 'ends', verdict: 'lost' } as const;
    expect(isPassed([...families('interrupted'), ended])).toBe(true);
    expect(isPassed([ended])).toBe(false);
    expect(isPassed(families('stays'))).toBe(false);
    expect(isPassed(families('unproved', 'waiting'))).toBe(false);
    expect(isPassed([])).toBe(false);
  });

  it.each([
    [4, 0, 0],
    [4, 1, 1],
    [4, 37, 1],
    [4, 38, 2],
    [4, 100, 4],
    [1, 0.1, 1],
  ])('of %i players at %d percent meets %i', (count, percent, chosen) => {
    expect(shareOfCount(count, percent)).toBe(chosen);
  });
});

describe('what is to be expected', () => {
  const facts = { rungs: 2, targetMs: 2_000, bufferMs: 6_000, slowMs: 3_000 };
  it.each([
    ['hls.js', 'not-found', 'moves', 3_000],
    ['hls.js', 'silent', 'moves', 63_000],
    ['shaka', 'silent', 'moves', 24_000],
    ['vhs', 'silent', 'moves', 48_000],
    ['media3', 'cut', 'ends', 12_000],
    ['hls.js', 'frozen', 'stays', undefined],
    ['vhs', 'frozen', 'moves', 9_000],
    ['legacy', 'not-found', 'reopens', 9_000],
    ['legacy', 'cut', 'ends', 9_000],
    ['legacy', 'frozen', 'stays', undefined],
    ['hls.js', 'slow', 'stays', undefined],
  ] as const)('of %s at %s is that it %s, within %s ms', (family, failure, outcome, withinMs) => {
    const expected = expectationOf(playerRules[family], failure, facts);
    expect([expected.outcome, expected.withinMs]).toEqual([outcome, withinMs]);
  });

  it('of answers that come later than a player waits is what silence does', () => {
    const late = (slowMs: number) =>
      expectationOf(playerRules['hls.js'], 'slow', { ...facts, slowMs }).outcome;
    expect([9_999, 10_000].map(late)).toEqual(['stays', 'moves']);
  });
});

describe('the ways through a multivariant playlist', () => {
  it('are the n-th copies of all variants, absolute, and the smallest rung is known', () => {
    const text = [
      '#EXTM3U',
      ...['high', 'low'].flatMap((name) =>
        ['', 'http://b/ch1/', ''].map(
          (base, copy) =>
            `#EXT-X-STREAM-INF:BANDWIDTH=${name === 'low' ? 1 : 2}000,CODECS="avc1"\n${base}${name}.m3u8?p=1${copy > 1 ? '&round=2' : ''}`,
        ),
      ),
    ].join('\n');
    const found = readPlaces(new TextEncoder().encode(text), 'http://a/ch1/index.m3u8?p=0');
    expect(found).toEqual({
      lowestRung: 1,
      places: [
        { rungs: ['http://a/ch1/high.m3u8?p=1', 'http://a/ch1/low.m3u8?p=1'] },
        { rungs: ['http://b/ch1/high.m3u8?p=1', 'http://b/ch1/low.m3u8?p=1'] },
        { rungs: ['http://a/ch1/high.m3u8?p=1&round=2', 'http://a/ch1/low.m3u8?p=1&round=2'] },
      ],
    });
  });

  it('are none of what is no multivariant playlist', () => {
    expect(readPlaces(new TextEncoder().encode('<html>'), 'http://a/')).toBeUndefined();
  });
});
