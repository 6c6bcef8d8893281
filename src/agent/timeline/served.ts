import { rangeAnswer, resolveRange } from '../../core/stream/byte-range.ts';
import { readCanonicalName } from '../../core/timeline/names.ts';
import type { MediaSnapshot } from '../live-snapshots.ts';
import type { StoredSegment } from '../segment-fill.ts';
import type { CanonicalWindow } from './canonical-window.ts';
import type { StreamTimeline } from './stream-timeline.ts';

const contentType = 'application/vnd.apple.mpegurl';
const segmentHeaders = { 'content-type': 'video/mp2t' };

/** One snapshot for each playlist, so that who compares them sees that nothing changed. */
const snapshots = new WeakMap<Uint8Array, MediaSnapshot>();

/** The media playlist of a canonical window as viewers get it; undefined while there is none. */
export function playlistSnapshot(window: CanonicalWindow): MediaSnapshot | undefined {
  const bytes = window.playlist;
  if (bytes === undefined) return undefined;
  const known = snapshots.get(bytes);
  if (known !== undefined) return known;
  const snapshot: MediaSnapshot = {
    ...{ kind: 'media', bytes, contentType },
    fetchedAt: window.newest?.publishedAt ?? 0,
    targetDurationMs: window.targetDurationS * 1_000,
    segments: window.listed.length,
  };
  snapshots.set(bytes, snapshot);
  return snapshot;
}

/** A canonical segment, or a range of it; undefined for any other path. */
export function storedSegment(
  timeline: StreamTimeline,
  path: string,
  range: string | undefined,
): StoredSegment | undefined {
  const name = readCanonicalName(path);
  const segment = name && timeline.window(name.rung)?.get(name.number);
  if (segment === undefined) return undefined;
  const etag = `"${segment.checksum}"`;
  return stored(segment.bytes, { ...segmentHeaders, etag }, range);
}

/** Bytes that are there whole, or a range of them. */
export function stored(
  bytes: Uint8Array,
  known: Readonly<Record<string, string>>,
  range: string | undefined,
): StoredSegment {
  const part = resolveRange(range, bytes.length);
  const { status, headers } = rangeAnswer(part, bytes.length, known);
  const from = part.kind === 'part' ? part.first : 0;
  const to = part.kind === 'part' ? part.last + 1 : part.kind === 'whole' ? bytes.length : 0;
  return { kind: 'stored', status, headers, bytes: bytes.subarray(from, to) };
}
