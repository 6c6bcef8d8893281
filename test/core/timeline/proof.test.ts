import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Mark } from '../../../src/core/timeline/marks.ts';
import {
  type ProofOptions,
  proveSameSource,
  reviewProof,
} from '../../../src/core/timeline/proof.ts';

const wrap = 2 ** 33;
const options: ProofOptions = { clockOffsetMs: 0, declared: false };
const declared: ProofOptions = { clockOffsetMs: 0, declared: true };

/** A source: what the keyframe shown at second `s` looks like. */
type Source = (second: number) => string;
const film: Source = (second) => `film-${second}`;
const loopOf =
  (length: number): Source =>
  (second) =>
    `loop-${second % length}`;
/** x264 alternates the IDR picture id: a black picture repeats every second keyframe. */
const black: Source = (second) => `black-${second % 2}`;

type Node = {
  readonly source?: Source;
  /** PTS of second 0. */
  readonly base?: number;
  readonly from?: number;
  readonly to?: number;
  /** How much later the pictures come here, ms. */
  readonly pathMs?: number;
  readonly clockMs?: number;
  readonly jitterTicks?: number;
  readonly isLost?: (second: number) => boolean;
};

function marksAt(node: Node): Mark[] {
  const { source = film, base = 0, from = 100, to = 140, pathMs = 0, clockMs = 0 } = node;
  const marks: Mark[] = [];
  for (let second = from; second < to; second += 1) {
    if (node.isLost?.(second)) continue;
    const jitter = Math.round(Math.sin(second * 7) * (node.jitterTicks ?? 0));
    marks.push({
      hash: source(second),
      pts: (((base + second * 90_000 + jitter) % wrap) + wrap) % wrap,
      arrivedAt: 1_700_000_000_000 + second * 1_000 + pathMs + clockMs,
    });
  }
  return marks;
}

describe('two members of one source', () => {
  it('are proved, with the difference of their times to the tick', () => {
    const proof = proveSameSource(marksAt({}), marksAt({ base: 123_456 }), options);
    expect(proof).toEqual({ kind: 'proved', difference: 123_456, votes: 40 });
  });

  it('are proved when one joined 7 s later and the clocks and paths differ', () => {
    const theirs = marksAt({ base: -5_000_000, from: 107, pathMs: 900, clockMs: 200_000 });
    const found = proveSameSource(marksAt({}), theirs, { ...options, clockOffsetMs: 200_000 });
    expect(found).toMatchObject({ kind: 'proved', difference: -5_000_000, votes: 33 });
  });

  it('are proved with three equal pictures, not with two', () => {
    const ours = marksAt({});
    expect(proveSameSource(ours, marksAt({ from: 137 }), options)).toMatchObject({ votes: 3 });
    const two = [...marksAt({ from: 138 }), ...marksAt({ from: 300, to: 301 })];
    expect(proveSameSource(ours, two, options)).toEqual({ kind: 'unknown', why: 'votes' });
    expect(proveSameSource(ours, marksAt({ from: 138 }), options).kind).toBe('unknown');
  });

  it('are proved across the wrap of their time stamps, whichever wraps first', () => {
    const property = fc.property(fc.nat(wrap - 1), fc.nat(wrap - 1), (a, b) => {
      const proof = proveSameSource(marksAt({ base: a }), marksAt({ base: b }), options);
      if (proof.kind !== 'proved') return false;
      return (proof.difference - (b - a)) % wrap === 0 && Math.abs(proof.difference) <= wrap / 2;
    });
    fc.assert(property, { numRuns: 100 });
  });

  it('are proved through containers that keep whole milliseconds', () => {
    const proof = proveSameSource(marksAt({ jitterTicks: 87 }), marksAt({ base: 900 }), options);
    expect(proof.kind).toBe('proved');
    expect(Math.abs((proof.kind === 'proved' ? proof.difference : 0) - 900)).toBeLessThan(90);
  });

  it('are proved when one of them loses every third keyframe', () => {
    const theirs = marksAt({ base: 77, isLost: (second) => second % 3 === 0 });
    expect(proveSameSource(marksAt({}), theirs, options)).toMatchObject({ difference: 77 });
  });

  it('are not called by a path longer than the arrival window allows', () => {
    expect(proveSameSource(marksAt({}), marksAt({ pathMs: 4_000 }), options).kind).toBe('proved');
    expect(proveSameSource(marksAt({}), marksAt({ pathMs: 4_001 }), options).kind).toBe(
      'different',
    );
  });
});

describe('what is not one source', () => {
  it('is told apart when the same film was encoded twice', () => {
    const twin = marksAt({ source: (second) => `other-encoder-${second}` });
    expect(proveSameSource(marksAt({}), twin, options)).toEqual({ kind: 'different' });
  });

  it('is told apart when the same film runs half a minute later', () => {
    const late = marksAt({ base: 5_000, pathMs: 30_000 });
    expect(proveSameSource(marksAt({}), late, options)).toEqual({
      kind: 'different',
      shift: 2_700_000,
    });
  });

  it('stays unknown while too little of both was seen at the same time', () => {
    const other = (from: number) =>
      marksAt({ source: (second) => `other-${second}`, from, to: 171 });
    expect(proveSameSource(marksAt({}), other(132), options)).toEqual({
      kind: 'unknown',
      why: 'votes',
    });
    expect(proveSameSource(marksAt({}), other(131), options)).toEqual({ kind: 'different' });
  });
});

describe('pictures that repeat', () => {
  it('are refused, never taken for another moment: black with silence', () => {
    const property = fc.property(fc.integer({ min: -3_900, max: 3_900 }), (pathMs) => {
      const theirs = marksAt({ source: black, base: 44, pathMs });
      const proof = proveSameSource(marksAt({ source: black }), theirs, options);
      return proof.kind === 'unknown' && proof.why === 'ambiguous';
    });
    fc.assert(property);
  });

  it('are right by arrival where the operator declares the source', () => {
    const theirs = marksAt({ source: black, base: 44, pathMs: 300 });
    const proof = proveSameSource(marksAt({ source: black }), theirs, declared);
    expect(proof).toMatchObject({ kind: 'proved', difference: 44 });
    const halfway = marksAt({ source: black, base: 44, pathMs: 1_000 });
    expect(proveSameSource(marksAt({ source: black }), halfway, declared).kind).toBe('unknown');
  });

  it('are right or refused for a looped channel, whatever the path', () => {
    const loops = fc.integer({ min: 2, max: 60 });
    const property = fc.property(
      loops,
      fc.integer({ min: -4_000, max: 4_000 }),
      (length, pathMs) => {
        const source = loopOf(length);
        const theirs = marksAt({ source, base: 9_000, pathMs });
        const proof = proveSameSource(marksAt({ source }), theirs, options);
        return proof.kind === 'unknown' || (proof.kind === 'proved' && proof.difference === 9_000);
      },
    );
    fc.assert(property, { numRuns: 300 });
    const theirs = marksAt({ source: loopOf(20), base: 9_000 });
    const proof = proveSameSource(marksAt({ source: loopOf(20) }), theirs, options);
    expect(proof).toMatchObject({ kind: 'proved', difference: 9_000 });
  });

  it('do not hide the moment when the picture moves again', () => {
    const source: Source = (second) => (second < 120 ? black(second) : film(second));
    const proof = proveSameSource(marksAt({ source }), marksAt({ source, base: 8 }), options);
    expect(proof).toMatchObject({ kind: 'proved', difference: 8 });
  });
});

describe('a proof', () => {
  const ours = marksAt({});
  const known = proveSameSource(ours, marksAt({ base: 500 }), options);

  it('is kept when the peer falls silent, and for ever after', () => {
    const theirLast = marksAt({ base: 500 });
    const later = marksAt({ from: 400, to: 440 });
    expect(reviewProof(known, later, theirLast, options)).toBe(known);
    expect(reviewProof(known, later, [], options)).toBe(known);
  });

  it('is kept when most of the keyframes are lost at the peer', () => {
    const theirs = marksAt({ base: 500, isLost: (second) => second % 5 !== 0 });
    expect(reviewProof(known, ours, theirs, options)).toBe(known);
  });

  it('is made anew when the packager of the peer starts over', () => {
    const theirs = marksAt({ base: 7_000_000, from: 120 });
    expect(reviewProof(known, ours, theirs, options)).toMatchObject({ difference: 7_000_000 });
  });

  it('falls when the peer is seen to be elsewhere in the same pictures', () => {
    const source = black;
    const wrong = { kind: 'proved', difference: 540_000, votes: 3 } as const;
    const moving: Source = (second) => (second < 119 ? source(second) : film(second));
    const theirs = marksAt({ source: moving });
    const found = reviewProof(wrong, marksAt({ source: moving }), theirs, options);
    expect(found).toMatchObject({ kind: 'proved', difference: 0 });
  });

  it('falls when the peer carries something else from now on', () => {
    const switched: Source = (second) => (second < 110 ? film(second) : `news-${second}`);
    const theirs = marksAt({ source: switched, base: 500, from: 125, to: 165 });
    const found = reviewProof(known, marksAt({ from: 125, to: 165 }), theirs, options);
    expect(found).toEqual({ kind: 'different' });
  });

  it('is not lost by one picture that is elsewhere', () => {
    const theirs = marksAt({ base: 500 }).map((mark, index) =>
      index === 38 ? { ...mark, hash: 'film-105' } : mark,
    );
    expect(reviewProof(known, ours, theirs, options)).toBe(known);
  });
});
