import { formatDateTime, parseDateTime } from '../playlist/program-date-time.ts';
import type { ReasonCode } from '../reasons.ts';
import type { UnixMs } from '../time.ts';
import type { TimeRange } from './ranges.ts';

/** What a viewer asks for, in whole seconds; one that `grows` ends now and later at whatever is now then. */
export type Period = TimeRange & { readonly grows: boolean };

/** As an address says it, before it is judged: absolute, NaN for what is no time at all. */
export type Wish = { readonly fromMs: UnixMs; readonly until: UnixMs | 'now' };

/** Longest period in one playlist: as many segments as players can be given, and a week of them is no programme. */
export const periodMsMax = 7 * 24 * 3_600_000;

const secondMs = 1_000;

/**
 * The period that is meant, in whole seconds that hold all of it, or why it is malformed: not a time, start at or after
 * the end, start at or after now, start before the archive's depth (exactly at it is good), longer than a week. An end
 * in the future is cut to now.
 */
export function judgePeriod(
  wish: Wish,
  { nowMs, depthMs }: { readonly nowMs: UnixMs; readonly depthMs: number },
): { readonly period: Period } | { readonly reason: ReasonCode } {
  const { fromMs, until } = wish;
  const endMs = until === 'now' ? nowMs : until;
  if (!Number.isFinite(fromMs) || !Number.isFinite(endMs)) return { reason: 'period-invalid' };
  if (until !== 'now' && until <= fromMs) return { reason: 'period-empty' };
  if (fromMs >= nowMs) return { reason: 'period-future' };
  const startMs = Math.floor(fromMs / secondMs) * secondMs;
  // A time that was cut to whole seconds on its way may be a second early.
  if (startMs + secondMs <= nowMs - depthMs) return { reason: 'period-too-old' };
  const cutMs = Math.ceil(Math.min(endMs, nowMs) / secondMs) * secondMs;
  if (cutMs - startMs > periodMsMax) return { reason: 'period-too-long' };
  return { period: { startMs, endMs: cutMs, grows: until === 'now' } };
}

/** `{from}-{duration or now}` in seconds, as it stands in addresses of our own. */
export function periodName({ startMs, endMs, grows }: Period): string {
  return `${startMs / secondMs}-${grows ? 'now' : (endMs - startMs) / secondMs}`;
}

/** Reads what {@link periodName} writes: `from` in seconds and a duration in seconds, or `now`. */
export function wishOf(from: string, duration: string): Wish {
  const fromMs = readSeconds(from);
  return { fromMs, until: duration === 'now' ? 'now' : fromMs + readSeconds(duration) };
}

/** Seconds, with decimals or without, as ms; NaN for any other text. */
export function readSeconds(text: string): number {
  return /^\d{1,15}(?:\.\d{1,9})?$/.test(text) ? Math.round(Number(text) * secondMs) : Number.NaN;
}

/** Unix seconds or RFC 3339; NaN for any other text and for dates that no calendar has. */
export function readInstant(text: string): UnixMs {
  return /^\d+(?:\.\d+)?$/.test(text) ? readSeconds(text) : readDateTime(text);
}

/** An instant, or seconds before now (`-600`). */
export function readInstantOrAgo(text: string, nowMs: UnixMs): UnixMs {
  return text.startsWith('-') ? nowMs - readSeconds(text.slice(1)) : readInstant(text);
}

/** The instant of date and time in UTC, as numbers in their order from the year on; NaN if no calendar or clock has it. */
export function utcInstant(parts: readonly string[]): UnixMs {
  const [year = '', month = '', day = '', hour = '00', minute = '00', second = '00'] = parts.map(
    (part) => part.padStart(2, '0'),
  );
  return readDateTime(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
}

function readDateTime(text: string): UnixMs {
  const [, date = '', hour = '', second = ''] =
    /^(\d{4}-\d\d-\d\d)[Tt ](\d\d):\d\d(?::(\d\d))?/.exec(text) ?? [];
  const instant = parseDateTime(text);
  const midnight = parseDateTime(`${date}T00:00:00Z`);
  const isOfCalendar = midnight !== undefined && formatDateTime(midnight).startsWith(date);
  const isOfClock = Number(hour) < 24 && Number(second) < 60;
  return instant !== undefined && isOfCalendar && isOfClock ? instant : Number.NaN;
}
