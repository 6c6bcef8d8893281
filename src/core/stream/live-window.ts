import { mapUris, type UriUse } from '../playlist/map-uris.ts';
import type { MediaPlaylist } from '../playlist/media-playlist.ts';
import type { WindowEdge } from './on-air.ts';
import {
  mapUri,
  type OriginPlace,
  type PlaylistPlace,
  resolveUri,
  toViewerPath,
} from './origin-paths.ts';

/** A file that a media playlist names. */
export type WindowFile = {
  /** Its present URL at the origin. */
  readonly url: string;
  readonly use: 'segment' | 'part' | 'map';
  /** Named once and as a whole: not by byte ranges of a file that may still grow. */
  readonly isWhole: boolean;
  /** Of a whole segment. */
  readonly durationMs?: number | undefined;
};

/** A media playlist as viewers get it, with what it says. */
export type LiveWindow = {
  /** With its URIs mapped to viewer paths; nothing else differs from what the origin sent. */
  readonly bytes: Uint8Array;
  readonly playlist: MediaPlaylist;
  readonly edge: WindowEdge;
  /** By viewer path without query. */
  readonly files: ReadonlyMap<string, WindowFile>;
};

/** Maps a media playlist found at `at`, which was read as `playlist`. */
export function mapLiveWindow(
  place: OriginPlace,
  at: PlaylistPlace,
  { bytes, playlist }: { bytes: Uint8Array; playlist: MediaPlaylist },
): LiveWindow {
  const named: { uri: string; use: UriUse }[] = [];
  const mapped = mapUris(bytes, (uri, use) => {
    named.push({ uri, use });
    const target = mapUri(place, at, uri);
    return target.kind === 'moved' ? target.uri : undefined;
  });
  return {
    bytes: mapped,
    playlist,
    edge: {
      targetDurationMs: playlist.targetDurationMs,
      mediaSequence: playlist.mediaSequence,
      segments: playlist.skippedSegments + playlist.segments.length,
      parts: playlist.trailingParts,
      endList: playlist.endList,
    },
    files: filesOf(place, at, playlist, named),
  };
}

function filesOf(
  place: OriginPlace,
  at: PlaylistPlace,
  playlist: MediaPlaylist,
  named: readonly { uri: string; use: UriUse }[],
): ReadonlyMap<string, WindowFile> {
  const files = new Map<string, WindowFile>();
  const segmentUris = named.filter(({ use }) => use === 'segment');
  // Prefetch lines and stray URI lines are no segments; where there are any, durations cannot be told by order.
  const inOrder = segmentUris.length === playlist.segments.length ? playlist.segments : [];
  let segment = 0;
  for (const { uri, use } of named) {
    if (use !== 'segment' && use !== 'part' && use !== 'map') continue;
    const meaning = use === 'segment' ? inOrder[segment++] : undefined;
    const path = toViewerPath(place, at, uri);
    const url = resolveUri(at, uri);
    if (path === undefined || url === undefined) continue;
    // A map may be named again and again; a segment or part twice is a file of which each time another range is meant.
    const isAgain = files.has(path) && use !== 'map';
    const isWhole = !isAgain && meaning?.byteRange === undefined;
    files.set(path, { url, use, isWhole, durationMs: meaning?.durationMs });
  }
  return files;
}
