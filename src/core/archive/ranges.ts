import type { UnixMs } from '../time.ts';

/** A stretch of time, half-open: `startMs` belongs to it, `endMs` does not. Without length when both are equal. */
export type TimeRange = { readonly startMs: UnixMs; readonly endMs: UnixMs };

/**
 * `ranges`, in any order and overlapping as they like, as sorted ranges that lie more than `toleranceMs` apart. A gap of
 * exactly `toleranceMs` is closed; with 0 only touching and overlapping ranges join. Ranges without length vanish.
 */
export function mergeRanges(ranges: readonly TimeRange[], toleranceMs = 0): readonly TimeRange[] {
  const sorted = ranges.filter(hasLength).toSorted((a, b) => a.startMs - b.startMs);
  const merged: TimeRange[] = [];
  for (const range of sorted) {
    const last = merged.at(-1);
    if (last === undefined || range.startMs - last.endMs > toleranceMs) merged.push(range);
    else if (range.endMs > last.endMs)
      merged[merged.length - 1] = { startMs: last.startMs, endMs: range.endMs };
  }
  return merged;
}

/** What of `ranges` is in none of `taken`; both sorted and disjoint, and so is the result. */
export function subtractRanges(
  ranges: readonly TimeRange[],
  taken: readonly TimeRange[],
): readonly TimeRange[] {
  const left: TimeRange[] = [];
  let at = 0;
  for (const { startMs, endMs } of ranges) {
    while ((taken[at]?.endMs ?? Infinity) <= startMs) at += 1;
    let fromMs = startMs;
    for (let next = at; fromMs < endMs; next += 1) {
      const cut = taken[next];
      if (cut === undefined || cut.startMs >= endMs) {
        left.push({ startMs: fromMs, endMs });
        break;
      }
      if (cut.startMs > fromMs) left.push({ startMs: fromMs, endMs: cut.startMs });
      fromMs = Math.max(fromMs, cut.endMs);
    }
  }
  return left;
}

/** What is in both; each sorted and disjoint, and so is the result. */
export function intersectRanges(
  some: readonly TimeRange[],
  others: readonly TimeRange[],
): readonly TimeRange[] {
  const both: TimeRange[] = [];
  let at = 0;
  for (const { startMs, endMs } of some) {
    while ((others[at]?.endMs ?? Infinity) <= startMs) at += 1;
    for (let next = at; ; next += 1) {
      const other = others[next];
      if (other === undefined || other.startMs >= endMs) break;
      both.push({
        startMs: Math.max(startMs, other.startMs),
        endMs: Math.min(endMs, other.endMs),
      });
    }
  }
  return both.filter(hasLength);
}

/** What of sorted, disjoint ranges lies within `period`; the very same array where that is all of them. */
export function cutRanges(ranges: readonly TimeRange[], period: TimeRange): readonly TimeRange[] {
  const from = countUntil(ranges, ({ endMs }) => endMs > period.startMs);
  const to = countUntil(ranges, ({ startMs }) => startMs >= period.endMs);
  const first = ranges[from];
  const last = ranges[to - 1];
  if (from >= to || first === undefined || last === undefined) return [];
  const isWhole = first.startMs >= period.startMs && last.endMs <= period.endMs;
  const within = from === 0 && to === ranges.length ? ranges : ranges.slice(from, to);
  return isWhole ? within : intersectRanges(within, [period]);
}

/** How many sorted ranges there are before the first for which `is` holds, as it does for all after it. */
function countUntil(ranges: readonly TimeRange[], is: (range: TimeRange) => boolean): number {
  let low = 0;
  let high = ranges.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const range = ranges[middle];
    if (range !== undefined && is(range)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** How long disjoint ranges are together, ms. */
export function totalMs(ranges: readonly TimeRange[]): number {
  return ranges.reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0);
}

/** The holes inside the span of sorted, disjoint ranges: between the first start and the last end. */
export function gapsOf(ranges: readonly TimeRange[]): readonly TimeRange[] {
  const span = spanOf(ranges);
  return span === undefined ? [] : subtractRanges([span], ranges);
}

/** From the first start to the last end of sorted, disjoint ranges; undefined when there is none. */
export function spanOf(ranges: readonly TimeRange[]): TimeRange | undefined {
  const [first] = ranges;
  const last = ranges.at(-1);
  return first && last && { startMs: first.startMs, endMs: last.endMs };
}

function hasLength({ startMs, endMs }: TimeRange): boolean {
  return startMs < endMs;
}
