import { cutRanges, subtractRanges, type TimeRange } from './ranges.ts';

/** What one node has of a period: sorted, disjoint, cut to the period. */
export type Holder = { readonly id: string; readonly ranges: readonly TimeRange[] };

/** A stretch of a period from one node, or from nobody; `isLost`: nobody has it now, but it was offered before. */
export type Piece = TimeRange & { readonly node: string | undefined; readonly isLost?: boolean };

/**
 * One archive out of many: the whole period in pieces, in order, without a hole between them. What `own` has is taken
 * from there; each hole of it from whoever goes on for longest, the earlier one of `others` where that is equal. So the
 * time that nobody has is all that is missing, and nodes change as seldom as they can within a hole.
 */
export function planPieces(
  period: TimeRange,
  own: Holder,
  others: readonly Holder[],
): readonly Piece[] {
  const pieces: Piece[] = [];
  const cursors = others.map(() => 0);
  let atMs = period.startMs;
  for (const { startMs, endMs } of own.ranges) {
    fillHole({ startMs: atMs, endMs: startMs }, others, cursors, pieces);
    pieces.push({ startMs, endMs, node: own.id });
    atMs = endMs;
  }
  fillHole({ startMs: atMs, endMs: period.endMs }, others, cursors, pieces);
  return pieces;
}

/** Marks what nobody has of the pieces, but `lost`, sorted, holds. */
export function markLost(pieces: readonly Piece[], lost: readonly TimeRange[]): readonly Piece[] {
  if (lost.length === 0) return pieces;
  return pieces.flatMap((piece) => {
    if (piece.node !== undefined) return [piece];
    const parts: Piece[] = [
      ...cutRanges(lost, piece).map((part) => ({ ...part, node: undefined, isLost: true })),
      ...subtractRanges([piece], lost).map((part) => ({ ...part, node: undefined })),
    ];
    return parts.sort((a, b) => a.startMs - b.startMs);
  });
}

/** How much of the pieces nobody has, ms; only before `untilMs` where that is given. */
export function missingMs(pieces: readonly Piece[], untilMs = Infinity): number {
  let sum = 0;
  for (const { startMs, endMs, node } of pieces)
    if (node === undefined) sum += Math.max(0, Math.min(endMs, untilMs) - startMs);
  return sum;
}

/** Holes come in the order of time, so that the cursors only go forward. */
function fillHole(
  hole: TimeRange,
  others: readonly Holder[],
  cursors: number[],
  pieces: Piece[],
): void {
  let atMs = hole.startMs;
  while (atMs < hole.endMs) {
    const next = farthest(atMs, others, cursors);
    const endMs = Math.min(next.untilMs, hole.endMs);
    pieces.push({ startMs: atMs, endMs, node: next.node });
    atMs = endMs;
  }
}

/** Who has `atMs` and what follows for longest; nobody, until the next one begins. Runs for every piece of every plan. */
function farthest(atMs: number, others: readonly Holder[], cursors: number[]) {
  let node: string | undefined;
  let untilMs = atMs;
  let nextStartMs = Infinity;
  for (let index = 0; index < others.length; index += 1) {
    const ranges = others[index]?.ranges ?? [];
    let cursor = cursors[index] ?? 0;
    let range = ranges[cursor];
    while (range !== undefined && range.endMs <= atMs) {
      cursor += 1;
      range = ranges[cursor];
    }
    cursors[index] = cursor;
    if (range === undefined) continue;
    if (range.startMs > atMs) nextStartMs = Math.min(nextStartMs, range.startMs);
    else if (range.endMs > untilMs) {
      node = others[index]?.id;
      untilMs = range.endMs;
    }
  }
  return node === undefined ? { node, untilMs: nextStartMs } : { node, untilMs };
}
