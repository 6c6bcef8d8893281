import { attributeValue, readAttributes } from '../playlist/attributes.ts';
import { utf8Text } from '../playlist/bytes.ts';
import { classify } from '../playlist/classify.ts';
import { type DateRange, readDateRange } from '../playlist/date-range.ts';
import type { Line } from '../playlist/lines.ts';
import { parseDateTime } from '../playlist/program-date-time.ts';
import { type Definitions, readDefinitions, resolveVariables } from '../playlist/variables.ts';
import type { UnixMs } from '../time.ts';

/** What an origin's playlist says with one segment and the canonical playlist does not say by itself. */
export type SegmentTags = {
  readonly mediaSequence: number;
  /** EXTINF. */
  readonly durationMs: number;
  /** Of its first frame, as said or counted on from a segment before it in the same stretch. */
  readonly programDateTimeMs?: UnixMs | undefined;
  /** Whole, without line ends, in order. */
  readonly lines: readonly string[];
};

/** Tags beyond these are not carried. */
const linesPerSegmentMax = 100;
const lineLengthMax = 16 * 1024;
const dateRangesMax = 500;
/** Dates are cut to milliseconds, and packagers write one more or less than they mean. */
const nearMs = 5;

/** Tags that the canonical playlist writes itself, that describe the origin's bytes, or that do not belong to a segment. */
const notCarried: ReadonlySet<string> = new Set([
  'EXTM3U',
  'EXTINF',
  ...[
    'ALLOW-CACHE BITRATE BYTERANGE CONTENT-STEERING DEFINE DISCONTINUITY DISCONTINUITY-SEQUENCE ENDLIST',
    'GAP I-FRAME-STREAM-INF I-FRAMES-ONLY INDEPENDENT-SEGMENTS KEY MAP MEDIA MEDIA-SEQUENCE PART PART-INF',
    'PLAYLIST-TYPE PREFETCH PREFETCH-DISCONTINUITY PRELOAD-HINT PROGRAM-DATE-TIME RENDITION-REPORT',
    'SERVER-CONTROL SESSION-DATA SESSION-KEY SKIP START STREAM-INF TARGETDURATION VERSION',
  ].flatMap((names) => names.split(' ').map((name) => `EXT-X-${name}`)),
]);

type Writable<T> = { -readonly [key in keyof T]: T[key] };

type Reading = {
  readonly definitions: Definitions;
  readonly segments: (Writable<SegmentTags> & { lines: string[]; startMs: number })[];
  /** What is to be carried, with the index of the segment it stands before. */
  readonly tags: { readonly line: string; readonly index: number; readonly range?: DateRange }[];
  firstSequence: number;
  /** Of the segment whose URI line is still to come; times are not a number where nothing says them. */
  durationMs: number;
  startMs: number;
  tagsOfNext: number;
  ranges: number;
};

/**
 * Tags to be carried of each listed segment: cues, dateranges, everything unknown that begins with `#EXT`; no comments. A
 * variable in them is resolved; a line with one that only the player knows is left out. A daterange belongs to the
 * segment that its START-DATE dates (RFC 8216bis lets it stand anywhere), a further one of the same ID and start to the
 * segment of its END-DATE; else to the one it stands before. One behind the last segment that dates something still to
 * come waits. Empty for anything but a media playlist.
 */
export function tagsOf(bytes: Uint8Array): readonly SegmentTags[] {
  const tokens = classify(bytes);
  if (tokens.kind !== 'media') return [];
  const reading: Reading = {
    definitions: readDefinitions(tokens.lines),
    segments: [],
    tags: [],
    firstSequence: 0,
    durationMs: Number.NaN,
    startMs: Number.NaN,
    tagsOfNext: 0,
    ranges: 0,
  };
  for (const line of tokens.lines) {
    if (line.kind === 'uri') endSegment(reading);
    else if (line.kind === 'tag') readTag(reading, line);
  }
  placeTags(reading);
  return reading.segments.map(({ startMs: _, ...segment }) => segment);
}

function readTag(reading: Reading, line: Line): void {
  switch (line.name) {
    case 'EXT-X-MEDIA-SEQUENCE':
      reading.firstSequence += Number.parseInt(line.value, 10) || 0;
      return;
    case 'EXT-X-SKIP':
      reading.firstSequence +=
        Number.parseInt(attributeValue(readAttributes(line), 'SKIPPED-SEGMENTS') ?? '', 10) || 0;
      return;
    case 'EXTINF':
      reading.durationMs = Math.max(0, Number.parseFloat(line.value) * 1000 || 0);
      return;
    case 'EXT-X-PROGRAM-DATE-TIME':
      reading.startMs = parseDateTime(line.value) ?? Number.NaN;
      return;
    case 'EXT-X-DISCONTINUITY':
      reading.startMs = Number.NaN;
      return;
    default:
      if (!notCarried.has(line.name)) keepTag(reading, line);
  }
}

function keepTag(reading: Reading, { content }: Line): void {
  const isKept = content.length <= lineLengthMax && reading.tagsOfNext < linesPerSegmentMax;
  const meant = isKept ? resolveVariables(content, reading.definitions) : undefined;
  const line = meant === undefined ? undefined : utf8Text(meant);
  if (line === undefined || line.length > lineLengthMax) return;
  const range = readDateRange(line);
  if (range !== undefined) reading.ranges += 1;
  if (reading.ranges > dateRangesMax && range !== undefined) return;
  reading.tagsOfNext += 1;
  const index = reading.segments.length;
  reading.tags.push(range === undefined ? { line, index } : { line, index, range });
}

/** A URI line without EXTINF is no segment (RFC 8216bis 4.4.4.1). */
function endSegment(reading: Reading): void {
  const { durationMs, startMs, firstSequence, segments } = reading;
  if (Number.isNaN(durationMs)) return;
  segments.push({
    mediaSequence: firstSequence + segments.length,
    durationMs: Math.round(durationMs),
    ...(Number.isNaN(startMs) ? {} : { programDateTimeMs: Math.round(startMs) }),
    lines: [],
    startMs,
  });
  reading.startMs += durationMs;
  reading.durationMs = Number.NaN;
  reading.tagsOfNext = 0;
}

function placeTags(reading: Reading): void {
  const starts = new Map<string, UnixMs | undefined>();
  for (const { line, index, range } of reading.tags) {
    const isFirst = range?.startMs !== undefined && starts.get(range.id) !== range.startMs;
    if (isFirst) starts.set(range.id, range.startMs);
    const place = range === undefined ? index : placeOf(reading, range, { index, isFirst });
    reading.segments[place]?.lines.push(line);
  }
}

/** Index of the segment that a daterange belongs to; no segment's where it waits. */
function placeOf(
  { segments, startMs }: Reading,
  range: DateRange,
  stands: { readonly index: number; readonly isFirst: boolean },
): number {
  const dates = [stands.isFirst ? range.startMs : undefined, range.endMs];
  for (const date of dates) {
    const near = (date ?? Number.NaN) + nearMs;
    const dated = segments.findLastIndex(
      (segment) => near >= segment.startMs && near < segment.startMs + segment.durationMs,
    );
    if (dated >= 0) return dated;
  }
  // After the last segment the reading stands at the end of it.
  const isToCome = dates.some((date) => date !== undefined && date + nearMs >= startMs);
  const isBehind = stands.index === segments.length;
  return isBehind && !isToCome ? segments.length - 1 : stands.index;
}
