import type { Container } from '../stream/stream.ts';
import { mergeRanges, type TimeRange } from './ranges.ts';

/**
 * Recorded ranges that lie at most this far apart are one: rounding of durations and of wall clocks, less than any
 * segment that could be missing between them.
 */
export const joinToleranceMs = 500;

/** Most ranges kept of one stream and container; the oldest go first. */
const rangesMax = 10_000;

/** What is recorded of one stream in one container: sorted ranges more than {@link joinToleranceMs} apart. */
export type Coverage = {
  readonly stream: string;
  readonly container: Container;
  readonly ranges: readonly TimeRange[];
};

/** `ranges` with `more`, joined where they lie close enough; at most {@link rangesMax}, the newest. */
export function addToCoverage(
  ranges: readonly TimeRange[],
  more: readonly TimeRange[],
): readonly TimeRange[] {
  return mergeRanges([...ranges, ...more], joinToleranceMs).slice(-rangesMax);
}

/** What of sorted `ranges` is left when everything before `beforeMs` is forgotten. */
export function trimCoverage(ranges: readonly TimeRange[], beforeMs: number): readonly TimeRange[] {
  const [first] = ranges;
  if (first === undefined || first.startMs >= beforeMs) return ranges;
  return ranges
    .filter(({ endMs }) => endMs > beforeMs)
    .map(({ startMs, endMs }) => ({ startMs: Math.max(startMs, beforeMs), endMs }));
}
