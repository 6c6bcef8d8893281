import type { UnixMs } from '../time.ts';
import { attributeValue, readAttributes } from './attributes.ts';
import { classify } from './classify.ts';
import type { Line } from './lines.ts';
import { parseDateTime } from './program-date-time.ts';
import { meantUri } from './uri-text.ts';
import { type Definitions, readDefinitions } from './variables.ts';

/** `offset` counts from the file's first byte. */
type SegmentBytes = { readonly length: number; readonly offset: number };

/** One segment. URIs are ASCII, with the playlist's own variables resolved, see `mapUris`. */
type Segment = {
  readonly uri: string;
  readonly durationMs: number;
  /** EXT-X-GAP: listed, but not to be had. */
  readonly gap: boolean;
  /** EXT-X-DISCONTINUITY stands before it. */
  readonly discontinuity: boolean;
  /** Only where the playlist says it; absent where it would have to be counted on. */
  readonly programDateTimeMs?: UnixMs | undefined;
  readonly byteRange?: SegmentBytes | undefined;
  /** URI of the initialization section in force (EXT-X-MAP). */
  readonly mapUri?: string | undefined;
};

/** What the agent judges a media playlist by. */
export type MediaPlaylist = {
  readonly targetDurationMs: number;
  /** Number of the first segment, of the skipped ones if there are any. */
  readonly mediaSequence: number;
  readonly discontinuitySequence: number;
  /** Segments that a delta update left out before the first listed one (EXT-X-SKIP). */
  readonly skippedSegments: number;
  readonly segments: readonly Segment[];
  /** In force at the end of the playlist; absent when segments need none. */
  readonly mapUri?: string | undefined;
  /** Parts after the last whole segment. */
  readonly trailingParts: number;
  readonly partTargetMs?: number | undefined;
  readonly hasPreloadHint: boolean;
  /** The playlist has parts. */
  readonly lowLatency: boolean;
  /** The origin answers blocking reloads (`CAN-BLOCK-RELOAD`). */
  readonly canBlockReload: boolean;
  readonly endList: boolean;
  /** A key other than METHOD=NONE stands in the playlist. */
  readonly encrypted: boolean;
};

/**
 * Reads what the agent needs to know of a media playlist, in one pass. Undefined when the body is no media playlist, has
 * no EXT-X-TARGETDURATION above zero, or a media sequence that numbers cannot hold: such a stream cannot be judged.
 */
export function readMediaPlaylist(bytes: Uint8Array): MediaPlaylist | undefined {
  const tokens = classify(bytes);
  if (tokens.kind !== 'media') return undefined;
  const reading = newReading(readDefinitions(tokens.lines));
  for (const line of tokens.lines) {
    if (line.kind === 'uri')
      endSegment(reading, meantUri(line.content, reading.definitions) ?? line.content);
    else if (line.kind === 'tag') readTag(reading, line);
  }
  const { next: _, lastBytes: __, definitions: ___, ...playlist } = reading;
  const isUsable = playlist.targetDurationMs > 0 && Number.isSafeInteger(playlist.mediaSequence);
  return isUsable ? playlist : undefined;
}

type Writable<T> = { -readonly [key in keyof T]: T[key] };

type Reading = Writable<Omit<MediaPlaylist, 'segments'>> & {
  segments: Segment[];
  /** Of the segment whose URI line is still to come; `durationMs` is there once its EXTINF was read. */
  next: { durationMs?: number; gap: boolean; discontinuity: boolean } & Partial<
    Pick<Writable<Segment>, 'programDateTimeMs'>
  > & { bytes?: { length: number; offset: number | undefined } };
  lastBytes: { uri: string; end: number };
  readonly definitions: Definitions;
};

function newReading(definitions: Definitions): Reading {
  return {
    definitions,
    targetDurationMs: 0,
    mediaSequence: 0,
    discontinuitySequence: 0,
    skippedSegments: 0,
    segments: [],
    mapUri: undefined,
    trailingParts: 0,
    partTargetMs: undefined,
    hasPreloadHint: false,
    lowLatency: false,
    canBlockReload: false,
    endList: false,
    encrypted: false,
    next: { gap: false, discontinuity: false },
    lastBytes: { uri: '', end: 0 },
  };
}

function readTag(reading: Reading, line: Line): void {
  switch (line.name) {
    case 'EXTINF':
      reading.next.durationMs = secondsToMs(line.value);
      return;
    case 'EXT-X-PART':
      reading.trailingParts += 1;
      reading.lowLatency = true;
      return;
    case 'EXT-X-PROGRAM-DATE-TIME':
      reading.next.programDateTimeMs = parseDateTime(line.value);
      return;
    case 'EXT-X-BYTERANGE':
      reading.next.bytes = readBytes(line.value);
      return;
    case 'EXT-X-DISCONTINUITY':
      reading.next.discontinuity = true;
      return;
    case 'EXT-X-GAP':
      reading.next.gap = true;
      return;
    default:
      readPlaylistTag(reading, line);
  }
}

function readPlaylistTag(reading: Reading, line: Line): void {
  switch (line.name) {
    case 'EXT-X-TARGETDURATION':
      reading.targetDurationMs = secondsToMs(line.value);
      return;
    case 'EXT-X-MEDIA-SEQUENCE':
      reading.mediaSequence = integer(line.value);
      return;
    case 'EXT-X-DISCONTINUITY-SEQUENCE':
      reading.discontinuitySequence = integer(line.value);
      return;
    case 'EXT-X-MAP':
      reading.mapUri = readUri(reading, line);
      return;
    case 'EXT-X-KEY':
      reading.encrypted ||= (read(line, 'METHOD') ?? 'NONE') !== 'NONE';
      return;
    case 'EXT-X-ENDLIST':
      reading.endList = true;
      return;
    default:
      readLowLatencyTag(reading, line);
  }
}

function readLowLatencyTag(reading: Reading, line: Line): void {
  switch (line.name) {
    case 'EXT-X-PART-INF':
      reading.lowLatency = true;
      reading.partTargetMs = secondsToMs(read(line, 'PART-TARGET') ?? '') || undefined;
      return;
    case 'EXT-X-PRELOAD-HINT':
      reading.hasPreloadHint = true;
      return;
    case 'EXT-X-SERVER-CONTROL':
      reading.canBlockReload = read(line, 'CAN-BLOCK-RELOAD') === 'YES';
      return;
    case 'EXT-X-SKIP':
      reading.skippedSegments = integer(read(line, 'SKIPPED-SEGMENTS') ?? '');
      return;
  }
}

/** A URI line without EXTINF is no segment (RFC 8216bis 4.4.4.1), whatever else stood before it. */
function endSegment(reading: Reading, uri: string): void {
  const { durationMs, bytes, ...rest } = reading.next;
  if (durationMs === undefined) return;
  const byteRange = bytes && {
    length: bytes.length,
    offset: bytes.offset ?? implied(reading, uri),
  };
  reading.lastBytes = { uri, end: byteRange ? byteRange.offset + byteRange.length : 0 };
  reading.segments.push({ uri, durationMs, ...rest, byteRange, mapUri: reading.mapUri });
  reading.next = { gap: false, discontinuity: false };
  reading.trailingParts = 0;
}

/** Without an offset a range begins where the one before it in the same file ended. */
function implied({ lastBytes }: Reading, uri: string): number {
  return lastBytes.uri === uri ? lastBytes.end : 0;
}

function readBytes(value: string): { length: number; offset: number | undefined } {
  const [length, offset] = value.split('@');
  return {
    length: integer(length ?? ''),
    offset: offset === undefined ? undefined : integer(offset),
  };
}

function readUri({ definitions }: Reading, line: Line): string | undefined {
  const uri = read(line, 'URI');
  return uri === undefined ? undefined : (meantUri(uri, definitions) ?? uri);
}

function read(line: Line, name: string): string | undefined {
  return attributeValue(readAttributes(line), name);
}

/** Not a number: 0, as a missing EXTINF duration is no reason to lose the playlist. */
function secondsToMs(text: string): number {
  const seconds = Number.parseFloat(text);
  return Number.isFinite(seconds) && seconds > 0 ? Math.round(seconds * 1000) : 0;
}

function integer(text: string): number {
  return Number.parseInt(text, 10) || 0;
}
