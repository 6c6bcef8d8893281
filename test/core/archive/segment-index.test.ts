import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  encodeLost,
  encodeRun,
  encodeSegment,
  encodeTrim,
  type IndexedSegment,
  readIndex,
  recordBytes,
  runLengthMax,
  segmentEndings,
} from '../../../src/core/archive/segment-index.ts';

const someStartMs = 1_790_000_000_000;

function aSegment(number: number, changes: Partial<IndexedSegment> = {}): IndexedSegment {
  const startMs = someStartMs + number * 4_000;
  const ending = 'ts';
  return { ending, startMs, durationMs: 4_000, number, bytes: 1_000, run: 'a', map: 0, ...changes };
}

function join(...records: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(records));
}

const ofRunA = (...numbers: readonly number[]) =>
  join(encodeRun('a', 0), ...numbers.map((number) => encodeSegment(aSegment(number), 0)));

describe('the index of an hour', () => {
  it('gives back every segment as it was written', () => {
    const anySegment = fc.record({
      ending: fc.constantFrom(...segmentEndings),
      startMs: fc.integer({ min: 0, max: 2 ** 43 }),
      durationMs: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
      number: fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
      bytes: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
      run: fc.stringMatching(/^[A-Za-z0-9._-]{1,28}$/),
      map: fc.integer({ min: 0, max: 2 ** 48 - 1 }),
    });
    fc.assert(
      fc.property(fc.array(anySegment, { maxLength: 20 }), (segments) => {
        const records = segments.flatMap((segment, at) => [
          encodeRun(segment.run, at),
          encodeSegment(segment, at),
        ]);
        const index = join(...records);
        expect(readIndex(index)).toEqual({
          segments,
          wholeBytes: index.length,
        });
      }),
    );
  });

  it('loses nothing but the record that was cut off, wherever the crash cut', () => {
    const index = ofRunA(1, 2, 3);
    for (let length = 0; length <= index.length; length += 1) {
      const { segments, wholeBytes } = readIndex(index.subarray(0, length));
      const whole = Math.floor(length / recordBytes);
      expect(segments).toHaveLength(Math.max(0, whole - 1));
      expect(wholeBytes).toBe(whole * recordBytes);
    }
  });

  it('takes a tail of zeros, as file systems leave after a power cut, for cut off', () => {
    const index = join(ofRunA(1), new Uint8Array(3 * recordBytes));
    const { segments, wholeBytes } = readIndex(index);
    expect([segments.length, wholeBytes]).toEqual([1, 2 * recordBytes]);
  });

  it('leaves out a damaged record and keeps those behind it', () => {
    for (let at = recordBytes; at < 2 * recordBytes; at += 1) {
      const index = ofRunA(1, 2, 3);
      index[at] = (index[at] ?? 0) ^ 0x10;
      const { segments, wholeBytes } = readIndex(index);
      expect(segments.map(({ number }) => number)).toEqual([2, 3]);
      expect(wholeBytes).toBe(index.length);
    }
  });

  it('says of no segment that it goes on when the record of its run is damaged', () => {
    const index = ofRunA(1, 2);
    index[9] = 0xff;
    const runs = readIndex(index).segments.map(({ run }) => run);
    expect(new Set(runs).size).toBe(2);
  });

  it('keeps a segment that ends after the instant of a trim, not one that ends at it', () => {
    const endMs = aSegment(2).startMs + 4_000;
    const index = (beforeMs: number) => join(ofRunA(1, 2, 3), encodeTrim(beforeMs));
    const kept = (beforeMs: number) =>
      readIndex(index(beforeMs)).segments.map(({ number }) => number);
    expect(kept(endMs - 1)).toEqual([2, 3]);
    expect(kept(endMs)).toEqual([3]);
    expect(kept(endMs + 1)).toEqual([3]);
  });

  it('lets segments of an older time in again after a trim: the clock may have been set back', () => {
    const index = join(ofRunA(5), encodeTrim(aSegment(9).startMs), encodeSegment(aSegment(1), 0));
    expect(readIndex(index).segments.map(({ number }) => number)).toEqual([1]);
  });

  it('forgets one segment whose file is lost, and no other', () => {
    const index = join(ofRunA(1, 2, 3), encodeLost(aSegment(2)), encodeLost(aSegment(7)));
    expect(readIndex(index).segments.map(({ number }) => number)).toEqual([1, 3]);
  });

  it(`cuts the text of a run to ${runLengthMax} characters`, () => {
    const index = join(encodeRun('x'.repeat(40), 0), encodeSegment(aSegment(1), 0));
    expect(readIndex(index).segments[0]?.run).toBe('x'.repeat(runLengthMax));
  });

  it('never throws on bytes that are no index', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => void readIndex(bytes)));
  });
});
