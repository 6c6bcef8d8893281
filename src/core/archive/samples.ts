import { intersectRanges, subtractRanges, type TimeRange, totalMs } from './ranges.ts';

/** Length of a stretch that is asked for as a sample, ms. */
const sampleMs = 30_000;
/** Multiples of it, modulo 1, never come close to each other: in time every part is looked at. */
const goldenShare = 0.618_033_988_75;

/** The stretch of sorted `ranges` to look at in turn number `turn`; undefined when there is nothing to look at. */
export function sampleAt(ranges: readonly TimeRange[], turn: number): TimeRange | undefined {
  const lengthMs = totalMs(ranges);
  let leftMs = Math.floor(((turn * goldenShare) % 1) * lengthMs);
  for (const { startMs, endMs } of ranges) {
    if (leftMs < endMs - startMs) {
      const fromMs = Math.max(startMs, Math.min(startMs + leftMs, endMs - sampleMs));
      return { startMs: fromMs, endMs: Math.min(endMs, fromMs + sampleMs) };
    }
    leftMs -= endMs - startMs;
  }
  return undefined;
}

/** The range that holds `sample`, in `count` equal parts, to find out how much of it is gone. */
export function partsAround(
  ranges: readonly TimeRange[],
  sample: TimeRange,
  count: number,
): readonly TimeRange[] {
  const around = ranges.find(
    (range) => range.startMs <= sample.startMs && sample.endMs <= range.endMs,
  );
  if (around === undefined) return [];
  const partMs = Math.max(sampleMs, Math.ceil((around.endMs - around.startMs) / count));
  const parts: TimeRange[] = [];
  for (let startMs = around.startMs; startMs < around.endMs; startMs += partMs)
    parts.push({ startMs, endMs: Math.min(startMs + partMs, around.endMs) });
  return parts;
}

/** The stretch in the middle of a part that stands for it. */
export function middleOf({ startMs, endMs }: TimeRange): TimeRange {
  const fromMs = Math.max(startMs, Math.floor((startMs + endMs - sampleMs) / 2));
  return { startMs: fromMs, endMs: Math.min(endMs, fromMs + sampleMs) };
}

/** Whether all of `part` is in `ranges`. */
export function isCovered(ranges: readonly TimeRange[], part: TimeRange): boolean {
  return subtractRanges([part], intersectRanges([part], ranges)).length === 0;
}
