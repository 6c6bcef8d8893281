import { formatDateTime } from '../playlist/program-date-time.ts';
import type { ArchiveAddress, ParsedAddress } from './archive-address.ts';
import { type Period, readSeconds, utcInstant, type Wish } from './period.ts';

/** A placeholder, `{name}` or `${name}`, with a divisor or a date format after a colon. */
const placeholder = /\$?\{([A-Za-z]+)(?::([^}]*))?\}/g;

/** What the names of placeholders stand for; those of IPTV channel lists are among them. */
const meanings: Readonly<Record<string, 'start' | 'end' | 'duration' | 'offset' | 'now'>> = {
  utc: 'start',
  start: 'start',
  from: 'start',
  utcend: 'end',
  end: 'end',
  to: 'end',
  duration: 'duration',
  offset: 'offset',
  lutc: 'now',
  now: 'now',
  timestamp: 'now',
};

/** Parts of the start's date and time, in UTC; minute is `M`, month `m`. */
const dateParts = ['Y', 'm', 'd', 'H', 'M', 'S'];

/** One run of digits, or `now`, per placeholder. */
type Capture = { readonly of: string; readonly divisor: number };

/**
 * Reads an address by a pattern, e.g. `dvr/{start}-{duration}.m3u8` or `index.m3u8?from={start}&to={end}`; undefined when it
 * does not fit. Path and query are matched apart, parameters in any order.
 */
export function matchPattern(pattern: string, address: ParsedAddress): ArchiveAddress | undefined {
  const [path = '', query = ''] = pattern.split('?', 2);
  const found = new Map<string, number | 'now'>();
  if (!capture(path, address.rest, found)) return undefined;
  const expected = query === '' ? [] : query.split('&');
  for (const parameter of expected) {
    const [name = ''] = parameter.split('=', 1);
    const value = address.parameters.get(name);
    if (value === undefined || !capture(parameter.slice(name.length + 1), value, found))
      return undefined;
  }
  const wish = wishFrom(found, address.nowMs);
  if (wish === undefined) return undefined;
  const names = expected.map((parameter) => parameter.split('=', 1)[0] ?? '');
  return {
    protocol: path.endsWith('.mpd') ? 'dash' : 'hls',
    wish,
    query: address.parameters.without(...names),
  };
}

/** The pattern's text for a period; one that grows ends now. */
export function writePattern(pattern: string, period: Period, nowMs: number): string {
  const { startMs, endMs } = period;
  const seconds: Readonly<Record<string, number>> = {
    start: startMs / 1_000,
    end: endMs / 1_000,
    duration: (endMs - startMs) / 1_000,
    offset: Math.round((nowMs - startMs) / 1_000),
    now: Math.floor(nowMs / 1_000),
  };
  const date = new Map(
    formatDateTime(startMs)
      .match(/\d+/g)
      ?.map((part, at) => [dateParts[at], part]),
  );
  return pattern.replace(placeholder, (whole, name: string, detail: string | undefined) => {
    const part = date.get(name);
    if (part !== undefined) return part;
    const meaning = Object.hasOwn(meanings, name) ? meanings[name] : undefined;
    if (meaning === undefined) return whole;
    const divisor = Number(detail ?? 1);
    if (Number.isNaN(divisor))
      return (detail ?? '').replace(/[YmdHMS]/g, (letter) => date.get(letter) ?? letter);
    return `${Math.round((seconds[meaning] ?? 0) / divisor)}`;
  });
}

/** Matches `text` whole, and notes what stands for each placeholder: seconds, or part of a date. */
function capture(pattern: string, text: string, found: Map<string, number | 'now'>): boolean {
  const captures: Capture[] = [];
  let source = '';
  let done = 0;
  for (const match of pattern.matchAll(placeholder)) {
    const [whole, name = '', detail] = match;
    source += escaped(pattern.slice(done, match.index));
    source += sourceOf(name, detail, captures);
    done = match.index + whole.length;
  }
  const values = new RegExp(`^${source}${escaped(pattern.slice(done))}$`).exec(text);
  if (values === null) return false;
  for (const [at, { of, divisor }] of captures.entries()) {
    const value = values[at + 1] ?? '';
    found.set(of, value === 'now' ? 'now' : readSeconds(value) * divisor);
  }
  return true;
}

function sourceOf(name: string, detail: string | undefined, captures: Capture[]): string {
  if (dateParts.includes(name)) return dateSource(name, captures);
  const meaning = Object.hasOwn(meanings, name) ? (meanings[name] ?? 'now') : 'now';
  const divisor = Number(detail ?? 1);
  if (Number.isNaN(divisor))
    return (detail ?? '').replace(/[YmdHMS]|[^YmdHMS]/g, (letter) =>
      dateParts.includes(letter) ? dateSource(letter, captures) : escaped(letter),
    );
  captures.push({ of: meaning, divisor });
  return '([^/&?]+?)';
}

function dateSource(part: string, captures: Capture[]): string {
  captures.push({ of: part, divisor: 1 });
  return part === 'Y' ? '(\\d{4})' : '(\\d{1,2})';
}

/** Undefined where nothing says when the period begins. */
function wishFrom(found: ReadonlyMap<string, number | 'now'>, nowMs: number): Wish | undefined {
  const fromMs = startOf(found, nowMs);
  if (fromMs === undefined) return undefined;
  const end = found.get('end');
  if (end !== undefined) return { fromMs, until: end };
  const duration = found.get('duration');
  return {
    fromMs,
    until: duration === undefined || duration === 'now' ? 'now' : fromMs + duration,
  };
}

function startOf(found: ReadonlyMap<string, number | 'now'>, nowMs: number): number | undefined {
  const start = found.get('start');
  if (start !== undefined) return start === 'now' ? Number.NaN : start;
  const offset = found.get('offset');
  if (offset !== undefined) return offset === 'now' ? Number.NaN : nowMs - offset;
  if (!found.has('Y')) return undefined;
  const parts = dateParts.flatMap((part) => found.get(part) ?? []);
  return utcInstant(parts.map((ms) => String(Number(ms) / 1_000)));
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
