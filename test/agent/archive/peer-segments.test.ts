import { describe, expect, it } from 'vitest';
import { type ListQuestion, PeerSegments } from '../../../src/agent/archive/peer-segments.ts';
import type { OriginBody, OriginFault } from '../../../src/agent/ports.ts';
import { writeSegmentList } from '../../../src/core/archive/segment-list.ts';
import { testNow } from '../../support/builders.ts';
import { segmentsOf } from '../../support/fake-archive.ts';

const base = 'http://node-b.example.net/';
const minuteMs = 60_000;
const agoMs = Math.floor(testNow.wallMs / minuteMs) * minuteMs - 60 * minuteMs;

type Found = OriginBody | OriginFault;

/** Node B answers with `answer`; what it was asked is in `asked`. */
function createRig(answer: (url: string) => Found | Promise<Found>) {
  const asked: string[] = [];
  const segments = new PeerSegments(() => ({
    read: async (url) => {
      asked.push(url);
      return answer(url);
    },
    open: async () => ({ kind: 'fault', reason: 'not-found' }),
    close() {},
  }));
  const list = (startMs = agoMs, afterMs = 0, changes: Partial<ListQuestion> = {}) =>
    segments.list(
      {
        ...{ base, folder: `${base}ch1/~archive/v0/`, pass: () => 'p' },
        period: { startMs, endMs: startMs + minuteMs, grows: false },
        ...changes,
      },
      { wallMs: testNow.wallMs + afterMs, monoMs: testNow.monoMs + afterMs },
    );
  return { segments, asked, list };
}

function bodyOf(count: number, url = ''): Found {
  const range = { startMs: 0, endMs: count * 6_000 };
  const bytes = new TextEncoder().encode(writeSegmentList(segmentsOf([range], 'a')));
  return { kind: 'body', url, bytes };
}

const fault: Found = { kind: 'fault', reason: 'origin-timeout' };

describe('the segments of another node', () => {
  it('are asked for with a pass, and once for everybody, whatever pass they would show', async () => {
    const { asked, list } = createRig((url) => bodyOf(3, url));
    const pass = () => 'another';
    const lists = await Promise.all([list(), list(agoMs, 0, { pass }), list(agoMs, 0, { pass })]);
    expect(asked).toEqual([`${base}ch1/~archive/v0/${agoMs / 1_000}-60.json?pass=p`]);
    expect(lists[0]).toHaveLength(3);
    expect(lists[2]).toBe(lists[0]);
  });

  it('are asked for without a pass where none can be issued, and not at all where signing fails', async () => {
    const { asked, list } = createRig((url) => bodyOf(3, url));
    await list(agoMs, 0, { pass: () => undefined });
    expect(asked).toEqual([`${base}ch1/~archive/v0/${agoMs / 1_000}-60.json`]);
    const pass = () => {
      throw new Error('no key');
    };
    expect(await list(agoMs - minuteMs, 0, { pass })).toBeUndefined();
  });

  it.each([
    ['ended a minute ago', testNow.wallMs - 120_000, 60_000],
    ['ended less than a minute ago', testNow.wallMs - 119_999, 2_000],
    ['ends after now', testNow.wallMs - 1_000, 2_000],
  ])('are believed for a while: of a period that %s', async (_, startMs, keptMs) => {
    const { asked, list } = createRig((url) => bodyOf(3, url));
    await list(startMs);
    await list(startMs, keptMs);
    expect(asked).toHaveLength(1);
    await list(startMs, keptMs + 1);
    expect(asked).toHaveLength(2);
  });

  it('that come again as they were are the very same, for five minutes', async () => {
    const { asked, list } = createRig((url) => bodyOf(3, url));
    const first = await list();
    await list(agoMs - minuteMs, 61_000);
    expect(await list(agoMs, 300_000)).toBe(first);
    await list(agoMs - minuteMs, 600_001);
    expect(await list(agoMs, 600_001)).not.toBe(first);
    expect(asked).toHaveLength(5);
  });

  it('that do not come are asked for again after two seconds', async () => {
    const { asked, list } = createRig(() => fault);
    expect(await list()).toBeUndefined();
    await list(agoMs, 2_000);
    expect(asked).toHaveLength(1);
    await list(agoMs, 2_001);
    expect(asked).toHaveLength(2);
  });

  it.each([
    ['lists without segments', () => bodyOf(0)],
    ['faults', () => fault],
  ])('keep a thousand answers at most: %s', async (_, answer) => {
    const { asked, list } = createRig(answer);
    for (let at = 0; at < 1_000; at += 1) await list(agoMs - at * minuteMs);
    await list(agoMs);
    expect(asked).toHaveLength(1_000);
    await list(agoMs - 1_000 * minuteMs);
    // The one unused for longest has gone.
    await list(agoMs);
    await list(agoMs - minuteMs);
    expect(asked).toHaveLength(1_002);
  });

  it('keep 200 000 segments at most', async () => {
    const { asked, list } = createRig(() => bodyOf(50_000));
    for (const at of [0, 1, 2, 3, 0]) await list(agoMs - at * minuteMs);
    expect(asked).toHaveLength(4);
    await list(agoMs - 4 * minuteMs);
    await list(agoMs);
    expect(asked).toHaveLength(5);
    await list(agoMs - minuteMs);
    expect(asked).toHaveLength(6);
  });

  it('are asked for 64 times at once at most', async () => {
    const waiting: ((found: Found) => void)[] = [];
    const { asked, list } = createRig(() => new Promise((resolve) => void waiting.push(resolve)));
    const lists = Array.from({ length: 64 }, (_, at) => list(agoMs - at * minuteMs));
    expect(await list(agoMs - 64 * minuteMs)).toBeUndefined();
    expect(asked).toHaveLength(64);
    for (const answer of waiting) answer(bodyOf(1));
    expect((await Promise.all(lists)).map((found) => found?.length)).toEqual(Array(64).fill(1));
    const last = list(agoMs - 64 * minuteMs);
    await Promise.resolve();
    await Promise.resolve();
    waiting.at(-1)?.(bodyOf(2));
    expect(await last).toHaveLength(2);
  });
});
