import type { UnixMs } from '../time.ts';
import { joinToleranceMs } from './coverage.ts';
import type { TimeRange } from './ranges.ts';

/** What of a recorded segment stands in a playlist. */
export type ListedSegment = {
  readonly name: string;
  readonly startMs: UnixMs;
  readonly durationMs: number;
  readonly run: string;
  readonly number: number;
  readonly map?: string | undefined;
};

type Blocks<S extends ListedSegment = ListedSegment> = readonly (readonly S[])[];

/** Segments `from` up to `to` (exclusive) of a block; `prefix` stands before their names: empty for this node's own. */
export type Slice<S extends ListedSegment = ListedSegment> = {
  readonly block: readonly S[];
  readonly from: number;
  readonly to: number;
  readonly prefix: string;
  /** See {@link Taken}. */
  readonly lostMs?: number;
};

/** A stretch of time and the blocks, in the order of time, that it is taken from. */
export type Taken<S extends ListedSegment = ListedSegment> = TimeRange & {
  readonly blocks: Blocks<S>;
  readonly prefix: string;
  /** How much before it is out of reach, and stands in the playlist that the player has. */
  readonly lostMs?: number;
};

/** A segment that reaches into a stretch by less than this is not part of it, ms: clocks and durations are rounded. */
const touchMs = 100;

/**
 * The segments of the stretches in the order of time, each segment that reaches into its stretch and beyond what was
 * taken before. Two recordings that were made apart each have their own idea of the time (when a segment was seen, or what
 * its packager says): where one gives way to the other they share the time of a whole segment at least, so that nothing
 * is left out unless they are further apart than that.
 */
export function takeSegments<S extends ListedSegment>(
  stretches: readonly Taken<S>[],
): readonly Slice<S>[] {
  const slices: Slice<S>[] = [];
  let lostMs = 0;
  for (const [at, stretch] of stretches.entries()) {
    lostMs += stretch.lostMs ?? 0;
    const startMs = firstNeeded(slices.at(-1), stretch);
    const endMs = lastNeeded(stretch, stretches[at + 1]);
    const [first, ...others] = slicesOf(stretch, { startMs, endMs });
    if (first === undefined) continue;
    slices.push(lostMs > 0 ? { ...first, lostMs } : first, ...others);
    lostMs = 0;
  }
  return slices;
}

/** Blocks may begin with what the one before ends with. */
function slicesOf<S extends ListedSegment>(
  { blocks, prefix }: Taken<S>,
  { startMs, endMs }: TimeRange,
): readonly Slice<S>[] {
  let takenMs = startMs;
  return blocks.flatMap((block) => {
    const from = firstIndex(block, (segment) => endOf(segment) > takenMs + touchMs);
    const to = firstIndex(block, (segment) => segment.startMs >= endMs - touchMs);
    const last = block[to - 1];
    if (from >= to || last === undefined) return [];
    takenMs = endOf(last);
    return [{ block, from, to, prefix }];
  });
}

/** From when on a stretch is taken, after what was taken before: earlier at a seam, by segments that lie in a row. */
function firstNeeded(before: Slice | undefined, { blocks, prefix, startMs }: Taken): UnixMs {
  const last = before?.block[before.to - 1];
  if (last === undefined) return startMs;
  const plainMs = Math.max(startMs, endOf(last));
  let first = firstAfter(blocks, plainMs);
  if (first === undefined || before?.prefix === prefix) return plainMs;
  while (isUnsure(last, first)) {
    const previous = lastBefore(blocks, first.startMs);
    if (previous === undefined || !isInRow(previous, first)) break;
    first = previous;
  }
  return Math.min(plainMs, first.startMs);
}

/** Until when a stretch is taken, before the one that follows: longer at a seam, by segments that lie in a row. */
function lastNeeded({ blocks, prefix, endMs }: Taken, next: Taken | undefined): UnixMs {
  const first = next && firstAfter(next.blocks, Math.max(endMs, next.startMs));
  let last = lastBefore(blocks, endMs - touchMs);
  const isSeam = next?.prefix !== prefix;
  if (first === undefined || last === undefined || !isSeam) return endMs;
  if (first.startMs - endMs > joinToleranceMs) return endMs;
  while (isUnsure(last, first)) {
    const following = firstAfter(blocks, endOf(last));
    if (following === undefined || !isInRow(last, following)) break;
    last = following;
  }
  return Math.max(endMs, endOf(last));
}

/** Whether something may be missing between two segments of recordings that were made apart. */
function isUnsure(last: ListedSegment, first: ListedSegment): boolean {
  const sharedMs = endOf(last) - first.startMs;
  const marginMs = Math.max(last.durationMs, first.durationMs) - touchMs;
  return last.run !== first.run && sharedMs < marginMs;
}

function isInRow(before: ListedSegment, next: ListedSegment): boolean {
  return next.startMs - endOf(before) <= joinToleranceMs;
}

export function endOf({ startMs, durationMs }: ListedSegment): UnixMs {
  return startMs + durationMs;
}

/** The first segment that reaches beyond `ms`. */
function firstAfter(blocks: Blocks, ms: UnixMs): ListedSegment | undefined {
  for (const block of blocks) {
    const found = block[firstIndex(block, (segment) => endOf(segment) > ms + touchMs)];
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The last segment that begins before `ms`. */
function lastBefore(blocks: Blocks, ms: UnixMs): ListedSegment | undefined {
  let last: ListedSegment | undefined;
  for (const block of blocks)
    last = block[firstIndex(block, ({ startMs }) => startMs >= ms) - 1] ?? last;
  return last;
}

/** The first index for which `is` holds, which it then does for all that follow. */
function firstIndex<S>(block: readonly S[], is: (segment: S) => boolean): number {
  let low = 0;
  let high = block.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const segment = block[middle];
    if (segment !== undefined && is(segment)) high = middle;
    else low = middle + 1;
  }
  return low;
}
