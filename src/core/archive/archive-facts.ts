import { type Container, containers } from '../stream/stream.ts';
import type { UnixMs } from '../time.ts';
import type { TimeRange } from './ranges.ts';

/** What one node has recorded of a stream, as members tell each other. */
export type ArchiveFacts = {
  /** How far back it may be asked, ms. */
  readonly depthMs: number;
  /** Protocols over which it answers for the archive. */
  readonly hls: boolean;
  readonly dash: boolean;
  /** Whether it can tell its segments, so that others take them into their playlists. */
  readonly lists: boolean;
  /** Recorded ranges per container, packed. */
  readonly ts?: PackedRanges | undefined;
  readonly fmp4?: PackedRanges | undefined;
};

/**
 * Ranges in the order of time as `start, length, gap, length, gap, ...` in ms: half the text of instants. Where the last
 * length is missing the range still grows, so that a recording that goes on is nothing to tell.
 */
export type PackedRanges = readonly number[];

/** Most ranges told of one stream and container: the newest. */
const toldRangesMax = 1_000;

/** Longest packed list that is believed. */
export const packedLengthMax = 2 * toldRangesMax;

/** A range that reaches this close to now grows, ms: longer than any segment, and than the time until it is noted. */
const growingMs = 60_000;

/** A start that only moved on less, because the oldest was trimmed, is not told again, ms. */
const retoldMs = 60_000;

/** Packs sorted ranges; the same array as `before` as long as it says the same, trimming by less than a minute aside. */
export function packRanges(
  ranges: readonly TimeRange[],
  nowMs: UnixMs,
  before: PackedRanges | undefined,
): PackedRanges | undefined {
  const told = ranges.slice(-toldRangesMax);
  const last = told.at(-1);
  if (last === undefined) return undefined;
  const packed: number[] = [];
  let endMs = 0;
  for (const range of told) {
    packed.push(range.startMs - endMs, range.endMs - range.startMs);
    endMs = range.endMs;
  }
  if (last.endMs >= nowMs - growingMs) packed.pop();
  return before !== undefined && saysTheSame(packed, before) ? before : packed;
}

function saysTheSame(packed: PackedRanges, before: PackedRanges): boolean {
  if (packed.length !== before.length) return false;
  const movedMs = (packed[0] ?? 0) - (before[0] ?? 0);
  if (movedMs < 0 || movedMs >= retoldMs) return false;
  const isSameLength = packed.length === 1 || (packed[1] ?? 0) + movedMs === before[1];
  return isSameLength && packed.every((value, at) => at < 2 || value === before[at]);
}

/** Starts and ends in turn; a range that grows ends at Infinity. Unpacked once per list. */
type Bounds = Float64Array;

const unpacked = new WeakMap<PackedRanges, Bounds>();

function boundsOf(packed: PackedRanges): Bounds {
  const known = unpacked.get(packed);
  if (known !== undefined) return known;
  const bounds = new Float64Array(packed.length + (packed.length % 2));
  let at = 0;
  for (let index = 0; index < packed.length; index += 1) {
    at += packed[index] ?? 0;
    bounds[index] = at;
  }
  if (packed.length % 2 === 1) bounds[packed.length] = Infinity;
  unpacked.set(packed, bounds);
  return bounds;
}

/** What of the packed ranges lies within `period`, cut to it. Costs the logarithm of all ranges and those within. */
export function rangesWithin(
  packed: PackedRanges | undefined,
  { startMs, endMs }: TimeRange,
): readonly TimeRange[] {
  if (packed === undefined) return [];
  const bounds = boundsOf(packed);
  const within: TimeRange[] = [];
  for (let at = firstEndAfter(bounds, startMs); at < bounds.length; at += 2) {
    const [from = Infinity, to = 0] = [bounds[at], bounds[at + 1]];
    if (from >= endMs) break;
    within.push({ startMs: Math.max(from, startMs), endMs: Math.min(to, endMs) });
  }
  return within;
}

/** Index of the start of the first range that ends after `ms`. */
function firstEndAfter(bounds: Bounds, ms: number): number {
  let low = 0;
  let high = bounds.length / 2;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((bounds[2 * middle + 1] ?? Infinity) > ms) high = middle;
    else low = middle + 1;
  }
  return 2 * low;
}

/** The first start and the last end; Infinity where it grows. Undefined when nothing is packed. */
export function packedSpan(packed: PackedRanges | undefined): TimeRange | undefined {
  if (packed === undefined || packed.length === 0) return undefined;
  const bounds = boundsOf(packed);
  return { startMs: bounds[0] ?? 0, endMs: bounds[bounds.length - 1] ?? 0 };
}

/** All that is packed, a range that grows ending at `nowMs`. */
export function unpackRanges(
  packed: PackedRanges | undefined,
  nowMs: UnixMs,
): readonly TimeRange[] {
  return rangesWithin(packed, { startMs: -Infinity, endMs: nowMs });
}

/** Whether `value` can be believed to be packed ranges: whole numbers, lengths and gaps above 0, not too many. */
export function isPackedRanges(value: readonly number[]): boolean {
  return (
    value.length <= packedLengthMax &&
    value.every((step, at) => Number.isSafeInteger(step) && (at === 0 || step > 0))
  );
}

/** The containers that answer a request: fragmented MP4 is DASH's only one. */
export function containersFor(
  protocol: 'hls' | 'dash',
  known: Container | undefined,
): readonly Container[] {
  if (protocol === 'dash') return ['fmp4'];
  return known === undefined ? containers : [known];
}
