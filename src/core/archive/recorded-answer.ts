import { parseDateTime } from '../playlist/program-date-time.ts';
import type { UnixMs } from '../time.ts';
import type { TimeRange } from './ranges.ts';

/** Names under which media servers give the list of recorded periods. */
const listNames = ['ranges', 'timeline', 'items'];
/** Most periods that are read of one answer. */
const periodsMax = 50_000;
/** Wrappers around the list: a stream in a list of streams, an answer in an answer. */
const depthMax = 4;

/**
 * The periods that a media server's answer lists: Flussonic `{"ranges":[{"from","duration"}]}`, also as a list of streams,
 * MediaMTX `[{"start","duration"}]`, Nimble `[{"timeline":[{"start","duration"}]}]`; times in Unix seconds or RFC 3339,
 * durations in seconds, an `end` in place of a duration. Undefined for an answer without such a list.
 */
export function readRecordedAnswer(answer: unknown): readonly TimeRange[] | undefined {
  const list = findList(answer, depthMax);
  if (list === undefined) return undefined;
  const ranges: TimeRange[] = [];
  for (const item of list.slice(0, periodsMax)) {
    const range = readRange(item);
    if (range !== undefined) ranges.push(range);
  }
  return list.length > 0 && ranges.length === 0 ? undefined : ranges;
}

/** The value that says where the next page begins; undefined on the last. */
export function nextCursor(answer: unknown): string | undefined {
  const next = isObject(answer) ? answer.next : undefined;
  return typeof next === 'string' && next !== '' && next.length <= 500 ? next : undefined;
}

/** A list of periods, or all such lists that stand one level below, one after another. */
function findList(value: unknown, depth: number): readonly unknown[] | undefined {
  if (depth === 0) return undefined;
  if (Array.isArray(value)) {
    if (value.length === 0 || value.some((item) => readRange(item) !== undefined)) return value;
    const nested = value.flatMap((item) => {
      const list = findList(item, depth - 1);
      return list === undefined ? [] : [list];
    });
    return nested.length === 0 ? undefined : nested.flat();
  }
  if (!isObject(value)) return undefined;
  for (const name of listNames) {
    const list = Array.isArray(value[name]) ? findList(value[name], depth - 1) : undefined;
    if (list !== undefined) return list;
  }
  return undefined;
}

function readRange(item: unknown): TimeRange | undefined {
  if (!isObject(item)) return undefined;
  const startMs = readTime(item.from ?? item.start);
  const durationS = item.duration;
  const endMs =
    startMs !== undefined && typeof durationS === 'number'
      ? startMs + Math.round(durationS * 1_000)
      : readTime(item.to ?? item.end);
  const isRange =
    startMs !== undefined && endMs !== undefined && Number.isFinite(endMs) && endMs > startMs;
  return isRange ? { startMs, endMs } : undefined;
}

function readTime(value: unknown): UnixMs | undefined {
  if (typeof value === 'number' && Number.isFinite(value) && value > 0)
    return Math.round(value * 1_000);
  if (typeof value !== 'string' || value.length > 40) return undefined;
  return /^\d{1,12}(?:\.\d+)?$/.test(value)
    ? Math.round(Number(value) * 1_000)
    : parseDateTime(value);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
