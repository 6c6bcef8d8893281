import { describe, expect, it } from 'vitest';
import { Coverages } from '../../../src/agent/archive/coverages.ts';
import type { ListQuestion } from '../../../src/agent/archive/peer-segments.ts';
import { Refill } from '../../../src/agent/archive/refill.ts';
import type { DvrStream, SegmentToKeep } from '../../../src/agent/archive-ports.ts';
import { packRanges } from '../../../src/core/archive/archive-facts.ts';
import { periodName } from '../../../src/core/archive/period.ts';
import type { TimeRange } from '../../../src/core/archive/ranges.ts';
import { judgeCandidates } from '../../../src/core/placement/candidates.ts';
import { aNode, aPeer, aStreamFacts, testKeyId, testNow } from '../../support/builders.ts';
import { segmentsOf } from '../../support/fake-archive.ts';
import { createFakeLog } from '../../support/fake-log.ts';
import { memoryCoverageStore } from '../../support/memory-coverage-store.ts';

const minuteMs = 60_000;
const fromMs = Math.floor(testNow.wallMs / minuteMs) * minuteMs - 60 * minuteMs;
const part = (from: number, to: number): TimeRange => ({
  startMs: fromMs + from * minuteMs,
  endMs: fromMs + to * minuteMs,
});

/** Node A has `own`, node B `theirs`, both of `ch1`; nothing runs until `tick`. */
function createRig(parts: {
  own: readonly TimeRange[];
  theirs: readonly TimeRange[];
  source?: string;
  answers?: (url: string) => boolean;
  run?: string;
}) {
  const { own, theirs, source = 'studio', answers = () => true, run = 'group' } = parts;
  const coverages = new Coverages(memoryCoverageStore());
  coverages.replace('ch1', 'ts', own);
  const archive = { depthMs: 1e8, hls: true, dash: false, lists: true };
  const ts = packRanges(theirs, testNow.wallMs, undefined);
  const candidates = judgeCandidates({
    ...{ self: aNode(), name: 'ch1', own: aStreamFacts(), signingKeyId: testKeyId, now: testNow },
    peers: [aPeer({ streams: [aStreamFacts({ source, archive: { ...archive, ts } })] })],
  });
  const kept: SegmentToKeep[] = [];
  const asked: string[] = [];
  const shown: (string | undefined)[] = [];
  const there = segmentsOf(theirs, run);
  const dvr = {
    keep: async (_: unknown, segment: SegmentToKeep) => void kept.push(segment),
  } as Partial<DvrStream> as DvrStream;
  const refill = new Refill({
    streams: () => ['ch1'],
    recordings: () => dvr,
    archive: {
      coverages,
      reader: {
        reads: () => true,
        lists: () => true,
        rungs: (stream) => [{ stream, container: 'ts', rung: 'v0/index.m3u8' }],
        entry: () => undefined,
        list: async () => [segmentsOf(own, 'group')],
        open: async () => ({ kind: 'fault', reason: 'not-found' }),
      },
      peerSegments: {
        list: async ({ folder, period, pass }: ListQuestion) => {
          const url = `${folder}${periodName(period)}.json`;
          asked.push(url);
          shown.push(await pass());
          return answers(url) ? there : undefined;
        },
        segment: async (_: string, url: string) => {
          asked.push(url);
          return answers(url) ? new Uint8Array(5) : undefined;
        },
      } as never,
    },
    viewing: {
      live: { facts: () => aStreamFacts() } as never,
      outlook: { candidates: () => candidates } as never,
      self: () => aNode(),
      newId: () => 'id',
      keys: { signing: () => ({ id: testKeyId }) } as never,
      passes: { issue: (claims) => `pass of ${claims.iss} for ${claims.aud}` },
    },
    log: createFakeLog(),
  });
  return { refill, coverages, kept, asked, shown };
}

describe("a hole in this node's own recording", () => {
  it('is filled by a member with the same source, a minute at a time', async () => {
    const { refill, coverages, kept, asked, shown } = createRig({
      own: [part(0, 10), part(12, 20)],
      theirs: [part(0, 60)],
    });
    await refill.tick(testNow);
    expect(coverages.ranges('ch1', 'ts')).toEqual([part(0, 11), part(12, 20)]);
    expect(kept.map(({ startMs }) => startMs)).toEqual(
      Array.from({ length: 10 }, (_, at) => part(10, 11).startMs + at * 6_000),
    );
    expect(kept[0]).toMatchObject({ ending: 'ts', run: 'group', durationMs: 6_000 });
    expect(asked[0]).toBe(
      `http://node-b.example.net/ch1/~archive/v0/index.m3u8/${part(10, 11).startMs / 1_000}-60.json`,
    );
    expect(shown).toEqual(['pass of node-a for node-b']);
    await refill.tick(testNow);
    expect(coverages.ranges('ch1', 'ts')).toEqual([part(0, 20)]);
    await refill.tick(testNow);
    expect(kept).toHaveLength(20);
  });

  it.each([
    ['the member has another source', { theirs: [part(0, 60)], source: 'another' }],
    ['the member has it not', { theirs: [part(0, 10)] }],
    ['the member has made its segments apart', { theirs: [part(0, 60)], run: 'another' }],
    ['the member does not answer', { theirs: [part(0, 60)], answers: () => false }],
    [
      'a segment does not come',
      { theirs: [part(0, 60)], answers: (url: string) => url.endsWith('json') },
    ],
  ])('stays when %s', async (_, parts) => {
    const own = [part(0, 10), part(12, 20)];
    const { refill, coverages } = createRig({ own, ...parts });
    await refill.tick(testNow);
    expect(coverages.ranges('ch1', 'ts')).toEqual(own);
  });

  it('that could not be filled is left alone for ten minutes', async () => {
    const { refill, asked } = createRig({
      own: [part(0, 10), part(10.5, 20)],
      theirs: [part(0, 60)],
      answers: () => false,
    });
    const later = (ms: number) => ({ ...testNow, monoMs: testNow.monoMs + ms });
    await refill.tick(testNow);
    await refill.tick(later(599_999));
    expect(asked).toHaveLength(1);
    await refill.tick(later(600_000));
    expect(asked).toHaveLength(2);
  });

  it('that ended less than two minutes ago is left to the recorder', async () => {
    const endMs = testNow.wallMs - 119_000;
    const { refill, asked } = createRig({
      own: [part(0, 10), { startMs: endMs, endMs: endMs + 10_000 }],
      theirs: [part(0, 60)],
    });
    await refill.tick(testNow);
    expect(asked).toEqual([]);
  });
});
