type Timed = { readonly startMs: number; readonly durationMs: number };

/**
 * Segments in the order of time, each stretch of time once. `recorded` is in the order of recording: where more than half
 * of a segment is another one's time as well, as after a clock was set back, the one recorded later is right.
 */
export function inOrderOfTime<T extends Timed>(recorded: readonly T[]): readonly T[] {
  if (isInOrder(recorded)) return recorded;
  const sorted = recorded
    .map((segment, order) => ({ segment, order }))
    .sort((a, b) => a.segment.startMs - b.segment.startMs || a.order - b.order);
  const kept: typeof sorted = [];
  for (const next of sorted) {
    let last = kept.at(-1);
    while (
      last !== undefined &&
      isSameTime(last.segment, next.segment) &&
      last.order < next.order
    ) {
      kept.pop();
      last = kept.at(-1);
    }
    if (last === undefined || !isSameTime(last.segment, next.segment)) kept.push(next);
  }
  return kept.map(({ segment }) => segment);
}

/** The usual case: nothing to sort, nothing recorded twice. */
function isInOrder(recorded: readonly Timed[]): boolean {
  for (let at = 1; at < recorded.length; at += 1) {
    const [before, next] = [recorded[at - 1], recorded[at]];
    if (before === undefined || next === undefined) return false;
    if (next.startMs < before.startMs || isSameTime(before, next)) return false;
  }
  return true;
}

/** `earlier` does not start after `later`. */
function isSameTime(earlier: Timed, later: Timed): boolean {
  const sharedMs = endOf(earlier) - later.startMs;
  return sharedMs > Math.min(earlier.durationMs, later.durationMs) / 2;
}

function endOf({ startMs, durationMs }: Timed): number {
  return startMs + durationMs;
}
