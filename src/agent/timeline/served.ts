import { readCanonicalName } from '../../core/timeline/names.ts';
import type { MediaSnapshot } from '../live-snapshots.ts';
import { type StoredSegment, stored } from '../segment-fill.ts';
import type { CanonicalWindow } from './canonical-window.ts';
import type { StreamTimeline } from './stream-timeline.ts';

const contentType = 'application/vnd.apple.mpegurl';
const segmentHeaders = { 'content-type': 'video/mp2t' };

/** What cutting, comparing and publishing may add to the time between two segments, ms. */
const publishMsMax = 1_500;

/** So long a canonical window may stand still while what it is made of goes on: 1.5 target durations and the publishing, ms. */
export function standstillMsMax(targetDurationMs: number): number {
  return 1.5 * targetDurationMs + publishMsMax;
}

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
