import { rangeAnswer, resolveRange } from '../core/stream/byte-range.ts';
import type { OriginStream } from './ports.ts';

/** A segment from memory; `bytes` are shared by all viewers and never written to. */
export type StoredSegment = {
  readonly kind: 'stored';
  readonly status: 200 | 206 | 416;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Uint8Array;
};

/** Room taken at first for a segment whose length is not told. */
export const firstRoomBytes = 256 * 1024;

/** A segment on its way from the origin; its viewers read what is there and wait for more. */
export type Fill = {
  readonly kind: 'fill';
  readonly headers: Readonly<Record<string, string>>;
  /** Whole length, where the origin told it. */
  readonly length: number | undefined;
  bytes: Uint8Array;
  size: number;
  end: 'open' | 'complete' | 'broken';
  wake: () => void;
  changed: Promise<void>;
};

/** Nothing has come yet. */
export function newFill(
  headers: Readonly<Record<string, string>>,
  length: number | undefined,
): Fill {
  const fill: Fill = {
    kind: 'fill',
    headers,
    length,
    bytes: new Uint8Array(length ?? firstRoomBytes),
    size: 0,
    end: 'open',
    wake: () => undefined,
    changed: Promise.resolve(),
  };
  renew(fill);
  return fill;
}

function renew(fill: Fill): void {
  fill.changed = new Promise((resolve) => {
    fill.wake = resolve;
  });
}

/** Tells the viewers that wait that there is more, or that this is all. */
export function notify(fill: Fill, end: Fill['end']): void {
  fill.end = end;
  const { wake } = fill;
  renew(fill);
  wake();
}

/**
 * What a viewer gets, whether the segment is whole already or still coming. Undefined when a range is asked of a segment
 * whose length is not known yet, or that broke off.
 */
export function answerFrom(
  fill: Fill,
  range: string | undefined,
): StoredSegment | OriginStream | undefined {
  const isComplete = fill.end === 'complete';
  const length = isComplete ? fill.size : fill.length;
  if (fill.end === 'broken') return undefined;
  if (length === undefined) {
    if (range !== undefined) return undefined;
    return { kind: 'stream', status: 200, headers: fill.headers, body: readFill(fill), close };
  }
  if (isComplete) return stored(fill.bytes.subarray(0, length), fill.headers, range);
  const { from, to, ...answer } = partOf(range, length, fill.headers);
  return { kind: 'stream', ...answer, body: readFill(fill, from, to), close };
}

/** Bytes that are there whole, or a range of them. */
export function stored(
  bytes: Uint8Array,
  known: Readonly<Record<string, string>>,
  range: string | undefined,
): StoredSegment {
  const { from, to, ...answer } = partOf(range, bytes.length, known);
  return { kind: 'stored', ...answer, bytes: bytes.subarray(from, to) };
}

/** What is answered to a range of so many bytes, and which of them, `to` left out. */
function partOf(
  range: string | undefined,
  length: number,
  known: Readonly<Record<string, string>>,
) {
  const part = resolveRange(range, length);
  const from = part.kind === 'part' ? part.first : 0;
  const to = part.kind === 'part' ? part.last + 1 : part.kind === 'whole' ? length : 0;
  return { ...rangeAnswer(part, length, known), from, to };
}

/** A viewer who goes away does not stop the fill: the next one is waiting for it. */
function close(): void {}

async function* readFill(
  fill: Fill,
  from = 0,
  to = Number.POSITIVE_INFINITY,
): AsyncGenerator<Uint8Array> {
  for (let at = from; at < to; ) {
    const { changed } = fill;
    const end = Math.min(fill.size, to);
    if (end > at) {
      yield fill.bytes.subarray(at, end);
      at = end;
    } else if (fill.end === 'complete') return;
    else if (fill.end === 'broken') throw new Error('the origin broke off within a segment');
    else await changed;
  }
}
