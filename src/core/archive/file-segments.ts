import type { UnixMs } from '../time.ts';

/** A file of a folder, with the time it is from. */
export type TimedFile = {
  /** Below the folder. */
  readonly path: string;
  readonly startMs: UnixMs;
  /** Where it is known; else it lasts until the next one begins. */
  readonly durationMs?: number | undefined;
  readonly bytes: number;
  /** Path of its initialisation segment. */
  readonly map?: string | undefined;
};

export type FileSegment = TimedFile & {
  readonly durationMs: number;
  /** See `ArchivedSegment`. */
  readonly run: string;
  readonly number: number;
};

/** Length of the only file there is, ms: nothing tells it. */
const unknownDurationMs = 4_000;
/** What lasts longer than this share of what is usual is followed by a hole. */
const usualShareMax = 1.5;
/** Segments whose ends and starts are this close follow each other, ms. */
const followMs = 500;

/**
 * Files in any order as segments in the order of time. Durations that are not known are the distance to the next file, or
 * what is usual before a hole and for the newest. What was told of a file before (`known`, by path) stays so.
 */
export function segmentsOfFiles(
  files: readonly TimedFile[],
  known: ReadonlyMap<string, FileSegment>,
): readonly FileSegment[] {
  const sorted = files.toSorted((a, b) => a.startMs - b.startMs);
  const usualMs = usualDurationMs(sorted);
  const segments: FileSegment[] = [];
  for (const [at, file] of sorted.entries()) {
    const distanceMs = (sorted[at + 1]?.startMs ?? Infinity) - file.startMs;
    const durationMs =
      file.durationMs ?? (distanceMs <= usualMs * usualShareMax ? distanceMs : usualMs);
    segments.push(placed({ ...file, durationMs }, segments.at(-1), known.get(file.path)));
  }
  return segments;
}

function placed(
  file: TimedFile & { readonly durationMs: number },
  before: FileSegment | undefined,
  known: FileSegment | undefined,
): FileSegment {
  if (known !== undefined) {
    const isSame = known.startMs === file.startMs && known.durationMs === file.durationMs;
    return isSame ? known : { ...file, run: known.run, number: known.number };
  }
  const gapMs = before === undefined ? Infinity : file.startMs - before.startMs - before.durationMs;
  return before !== undefined && Math.abs(gapMs) <= followMs
    ? { ...file, run: before.run, number: before.number + 1 }
    : { ...file, run: `f${file.startMs}`, number: 0 };
}

/** The median distance of neighbours. */
function usualDurationMs(sorted: readonly TimedFile[]): number {
  const distances = sorted
    .slice(-1_000)
    .map(({ startMs }, at, all) => (all[at + 1]?.startMs ?? startMs) - startMs)
    .filter((distance) => distance > 0)
    .sort((a, b) => a - b);
  return distances[Math.floor(distances.length / 2)] ?? unknownDurationMs;
}
