import type { Reading } from '../../src/core/media/units.ts';
import type { MonoMs } from '../../src/core/time.ts';
import type { SharedSource, SourcePart } from './shared-source.ts';

export type PackagerOptions = Pick<
  SourcePart,
  'rung' | 'kind' | 'encoder' | 'isMissing' | 'isDamaged' | 'soundLate'
> & {
  /** Time of the first picture it takes, ticks modulo 2^33; without one it keeps the times of the source. */
  readonly base?: number | undefined;
  /** Segments are at least so long, and begin with a keyframe. */
  readonly segmentMs?: number;
  /** So much later than its last picture a segment is there. */
  readonly latenessMs?: number;
};

/** A segment that a packager has written. */
export type Packaged = {
  readonly reading: Reading;
  /** When it was there, virtual time. */
  readonly completeAt: MonoMs;
};

/** One packager of a shared source, without bytes: it says what an agent would have read of its segments. */
export type SyntheticPackager = {
  /** Segments that were finished since the last call, in order. */
  take(at: MonoMs): readonly Packaged[];
  /** What an agent that starts now would find listed, the last 16 s of it. */
  listed(at: MonoMs): readonly Packaged[];
  /** Begins anew with the next keyframe `afterMs` from now: with another base, or keeping times. */
  restart(
    at: MonoMs,
    how?: { readonly base?: number | undefined; readonly afterMs?: number },
  ): void;
  /** Writes no more until it is restarted. */
  freeze(): void;
  /** Is another packager from the next segment on, with other losses for example. */
  set(change: Partial<PackagerOptions>): void;
};

const listedMs = 16_000;

type Span = { readonly from: number; readonly to: number; readonly base: number };

/** `startAt`: when picture 0 of the source is shown. The packager starts at the first keyframe from `at` on. */
export function createSyntheticPackager(
  source: SharedSource,
  startAt: MonoMs,
  at: MonoMs,
  given: PackagerOptions = {},
): SyntheticPackager {
  let options = given;
  const { periodMs, periodTicks } = source;
  const timeOf = (picture: number) => startAt + picture * periodMs;
  const keyFrom = (picture: number) => {
    let key = Math.max(0, Math.ceil(picture));
    while (!source.isKey(key)) key += 1;
    return key;
  };
  const baseFor = (first: number, base: number | undefined) =>
    base === undefined ? 0 : base - Math.round(first * periodTicks);
  let next = keyFrom((at - startAt) / periodMs);
  let base = baseFor(next, options.base);
  let scan = next + 1;
  let isFrozen = false;
  let written: (Span & { completeAt: MonoMs })[] = [];
  let taken = 0;

  /** Writes what is complete by now. */
  function write(now: MonoMs): void {
    const { segmentMs = 2_000, latenessMs = 0 } = options;
    while (!isFrozen && timeOf(scan) + latenessMs <= now) {
      if (source.isKey(scan) && (scan - next) * periodMs >= segmentMs - 0.5) {
        written.push({ from: next, to: scan, base, completeAt: timeOf(scan) + latenessMs });
        next = scan;
      }
      scan += 1;
    }
    const old = written.findIndex(({ completeAt }) => completeAt > now - 2 * listedMs);
    const drop = Math.min(old < 0 ? written.length : old, taken);
    written = written.slice(drop);
    taken -= drop;
  }

  function readingOf({ from, to, base: of, completeAt }: (typeof written)[number]): Packaged {
    return { reading: source.read({ ...options, from, to, base: of }), completeAt };
  }

  return {
    take(now) {
      write(now);
      const fresh = written.slice(taken);
      taken = written.length;
      return fresh.map(readingOf);
    },
    listed(now) {
      write(now);
      taken = written.length;
      return written.filter(({ completeAt }) => completeAt > now - listedMs).map(readingOf);
    },
    restart(now, how = {}) {
      const { afterMs = 0 } = how;
      next = keyFrom((now + afterMs - startAt) / periodMs);
      scan = next + 1;
      if ('base' in how) base = baseFor(next, how.base);
      isFrozen = false;
    },
    freeze() {
      isFrozen = true;
    },
    set(change) {
      options = { ...options, ...change };
    },
  };
}
