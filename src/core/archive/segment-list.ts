import type { UnixMs } from '../time.ts';

/** One recorded segment. */
export type ArchivedSegment = {
  /** Its path below `/{stream}/~archive/{rung}/`: URL-safe, one segment, the same for as long as it is kept. */
  readonly name: string;
  readonly startMs: UnixMs;
  readonly durationMs: number;
  /** Size of the file; 0 if not known. */
  readonly bytes: number;
  /** One life of what made the segments: timestamps go on from one to the next while run and number do. */
  readonly run: string;
  readonly number: number;
  /** The initialisation segment, in the form of `name`; absent for `ts`. */
  readonly map?: string | undefined;
};

/** Most segments of a list that is believed; a week of segments of 3 s. */
const segmentsMax = 200_000;

/** Longest segment that is believed, ms. */
const durationMsMax = 120_000;

const namePattern = /^[\w.~-]{1,200}$/;

/** What a node tells another of its segments: JSON, one short list per segment. */
export function writeSegmentList(segments: readonly ArchivedSegment[]): string {
  return JSON.stringify(
    segments.map(({ name, startMs, durationMs, bytes, run, number, map }) =>
      map === undefined
        ? [name, startMs, durationMs, bytes, run, number]
        : [name, startMs, durationMs, bytes, run, number, map],
    ),
  );
}

/** Reads what {@link writeSegmentList} wrote, sorted by time; undefined for anything else. Never throws. */
export function readSegmentList(text: string): readonly ArchivedSegment[] | undefined {
  const list = parse(text);
  if (!Array.isArray(list) || list.length > segmentsMax) return undefined;
  const segments: ArchivedSegment[] = [];
  for (const item of list) {
    const segment = Array.isArray(item) ? readSegment(item) : undefined;
    if (segment === undefined) return undefined;
    segments.push(segment);
  }
  return segments.sort((a, b) => a.startMs - b.startMs);
}

/** `list`, of the segments of `before` as far as they are the same: `before` itself where all are. */
export function renewedList(
  before: readonly ArchivedSegment[],
  list: readonly ArchivedSegment[],
): readonly ArchivedSegment[] {
  const renewed = list.map((segment, at) => {
    const known = before[at];
    return known !== undefined && isSame(known, segment) ? known : segment;
  });
  const isAll = renewed.length === before.length && renewed.every((one, at) => one === before[at]);
  return isAll ? before : renewed;
}

function isSame(a: ArchivedSegment, b: ArchivedSegment): boolean {
  return (
    a.name === b.name &&
    a.startMs === b.startMs &&
    a.durationMs === b.durationMs &&
    a.run === b.run &&
    a.number === b.number &&
    a.map === b.map &&
    a.bytes === b.bytes
  );
}

function readSegment(item: readonly unknown[]): ArchivedSegment | undefined {
  const [name, startMs, durationMs, bytes, run, number, map] = item;
  const isGood =
    isName(name) &&
    isCount(startMs) &&
    isCount(durationMs) &&
    durationMs <= durationMsMax &&
    isCount(bytes) &&
    typeof run === 'string' &&
    run.length <= 100 &&
    isCount(number);
  if (!isGood || (map !== undefined && !isName(map))) return undefined;
  return { name, startMs, durationMs, bytes, run, number, map };
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && namePattern.test(value);
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
