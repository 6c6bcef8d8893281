import type { MediaPlaylist } from '../playlist/media-playlist.ts';
import type { SegmentEnding } from './segment-index.ts';
import { segmentEndings } from './segment-index.ts';

/** A file of a stream as viewers name it. */
export type ViewerFile = {
  /** Below `/{stream}/`, percent-encoded. */
  readonly path: string;
  readonly query: string;
  /** Value of a Range header; absent: the whole file. */
  readonly range?: string | undefined;
};

/** What has to be read to record one segment. */
export type SegmentFiles = {
  readonly ending: SegmentEnding;
  readonly segment: ViewerFile;
  readonly map?: ViewerFile | undefined;
};

/** Stands for `/{stream}/`. */
const mirror = 'http://viewer.invalid/stream/';

/**
 * The files of segment number `at` of a media playlist that viewers find at `path`. Undefined where it cannot be recorded:
 * it is a gap, lies on another host, or in one file with its initialisation segment.
 */
export function segmentFiles(
  playlist: MediaPlaylist,
  at: number,
  path: string,
): SegmentFiles | undefined {
  const listed = playlist.segments[at];
  if (listed === undefined || listed.gap) return undefined;
  const segment = viewerFile(listed.uri, path);
  const map = listed.mapUri === undefined ? undefined : viewerFile(listed.mapUri, path);
  if (segment === undefined || (listed.mapUri !== undefined && map === undefined)) return undefined;
  if (map?.path === segment.path) return undefined;
  const { byteRange } = listed;
  const range = byteRange && `bytes=${byteRange.offset}-${byteRange.offset + byteRange.length - 1}`;
  const ending = map === undefined ? endingOf(segment.path) : 'm4s';
  return { ending, segment: { ...segment, range }, map };
}

function viewerFile(uri: string, from: string): ViewerFile | undefined {
  if (!URL.canParse(uri, mirror + from)) return undefined;
  const url = new URL(uri, mirror + from);
  const isHere = url.href.startsWith(mirror);
  return isHere
    ? { path: url.href.slice(mirror.length).split(/[?#]/, 1)[0] ?? '', query: url.search.slice(1) }
    : undefined;
}

/** Names tell little, and whatever has no initialisation segment of its own is MPEG-TS as a rule. */
function endingOf(path: string): SegmentEnding {
  const ending = /\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase();
  return segmentEndings.find((known) => known === ending && known !== 'm4s') ?? 'ts';
}
