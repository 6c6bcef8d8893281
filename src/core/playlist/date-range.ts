import type { UnixMs } from '../time.ts';
import type { Attribute } from './attributes.ts';
import { attributeValue, readAttributes } from './attributes.ts';
import { readLines } from './lines.ts';
import { formatDateTime, parseDateTime } from './program-date-time.ts';

/** What places an EXT-X-DATERANGE in time (RFC 8216bis 4.4.5.1). */
export type DateRange = {
  /** Empty where the tag has none. */
  readonly id: string;
  readonly startMs?: UnixMs | undefined;
  /** END-DATE. */
  readonly endMs?: UnixMs | undefined;
  /** END-DATE, or START-DATE and DURATION, or PLANNED-DURATION where nothing better is known. */
  readonly overMs?: UnixMs | undefined;
};

/** Undefined for any line but an EXT-X-DATERANGE; dates that cannot be read are absent. */
export function readDateRange(line: string): DateRange | undefined {
  const attributes = attributesOf(line);
  if (attributes === undefined) return undefined;
  const dateOf = (name: string) => parseDateTime(attributeValue(attributes, name) ?? '');
  const startMs = dateOf('START-DATE');
  const endMs = dateOf('END-DATE');
  const durationS = Number.parseFloat(
    attributeValue(attributes, 'DURATION') ?? attributeValue(attributes, 'PLANNED-DURATION') ?? '',
  );
  const overMs = endMs ?? (startMs === undefined ? undefined : startMs + durationS * 1000);
  return {
    id: attributeValue(attributes, 'ID') ?? '',
    startMs,
    endMs,
    overMs: Number.isFinite(overMs) ? overMs : undefined,
  };
}

/** The line with START-DATE and END-DATE moved, to UTC with milliseconds; what is moved by 0 stays as it stands. */
export function moveDateRange(
  line: string,
  by: { readonly startMs: number; readonly endMs: number },
): string {
  let moved = '';
  let done = 0;
  for (const { name, value, from, to } of attributesOf(line) ?? []) {
    const byMs = name === 'START-DATE' ? by.startMs : name === 'END-DATE' ? by.endMs : 0;
    const dateMs = byMs === 0 ? undefined : parseDateTime(value);
    if (dateMs === undefined) continue;
    moved += line.slice(done, from) + formatDateTime(dateMs + byMs);
    done = to;
  }
  return moved + line.slice(done);
}

function attributesOf(line: string): readonly Attribute[] | undefined {
  const tag = readLines(line)[0];
  return tag?.name === 'EXT-X-DATERANGE' ? readAttributes(tag) : undefined;
}
