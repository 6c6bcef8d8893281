/** What is recorded of a stream in one hour, all rungs together. */
type Hour = { readonly startMs: number; readonly bytes: number };

/** What has to go, oldest first, for the rest to fit: whole hours, and bytes of the hour after them. */
export type BudgetCut = {
  readonly hours: readonly number[];
  /** Absent: the whole hours are enough. */
  readonly partly?: { readonly startMs: number; readonly bytes: number } | undefined;
};

/** `hours` in the order of time. Nothing has to go when they fit `bytesMax` exactly. */
export function budgetCut(hours: readonly Hour[], bytesMax: number): BudgetCut {
  let excess = hours.reduce((sum, { bytes }) => sum + bytes, 0) - bytesMax;
  const whole: number[] = [];
  for (const { startMs, bytes } of hours) {
    if (excess <= 0) break;
    if (bytes > excess) return { hours: whole, partly: { startMs, bytes: excess } };
    whole.push(startMs);
    excess -= bytes;
  }
  return { hours: whole };
}

type Segment = { readonly startMs: number; readonly durationMs: number; readonly bytes: number };

/** The instant before which segments of at least `bytes` together end; with fewer than that, where the last ends. */
export function cutInstant(segments: readonly Segment[], bytes: number): number {
  const byEnd = segments
    .map((segment) => ({ endMs: segment.startMs + segment.durationMs, bytes: segment.bytes }))
    .sort((a, b) => a.endMs - b.endMs);
  let left = bytes;
  let instant = byEnd[0]?.endMs ?? 0;
  for (const segment of byEnd) {
    if (left <= 0) break;
    left -= segment.bytes;
    instant = segment.endMs;
  }
  return instant;
}
