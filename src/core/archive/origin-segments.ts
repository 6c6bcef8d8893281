import type { MediaPlaylist } from '../playlist/media-playlist.ts';
import type { TimeRange } from './ranges.ts';
import type { ArchivedSegment } from './segment-list.ts';
import { segmentFiles, type ViewerFile } from './window-segments.ts';
import { startsByDate } from './window-times.ts';

/** Dates of a playlist that are further off the period that was asked for are not believed, ms. */
const datesOffMsMax = 600_000;
/** Longest name of a segment. */
const nameLengthMax = 200;
const prefix = 'origin.';
/** Segments are given to everybody, playlists are not: only what cannot be one has a name. */
const mediaFile = /\.(?:ts|m4s|mp4|m4v|m4a|cmfv|cmfa|aac|ac3|ec3|mp3|vtt)$/i;

/**
 * The segments of a media server's own archive playlist, which viewers find at `path`, in the form of recorded ones.
 * `range` is what was asked for, of `recording`. Times are the playlist's dates where it has any that can be right, else
 * they are counted from the start of the range. Timestamps go on within a recording but for discontinuities. Undefined
 * for what cannot stand in a playlist of many: encrypted segments, parts of files, files on other hosts, and addresses
 * that hold more than a name should, such as a session.
 */
export function originSegments(
  playlist: MediaPlaylist,
  at: {
    readonly path: string;
    readonly range: TimeRange;
    readonly recording: TimeRange;
    /** Of no other media server. */
    readonly server: string;
  },
): readonly ArchivedSegment[] | undefined {
  if (playlist.encrypted) return undefined;
  const starts = startsOf(playlist, at.range);
  const segments: ArchivedSegment[] = [];
  let breaks = 0;
  for (const [index, { discontinuity, gap, durationMs, mapUri }] of playlist.segments.entries()) {
    if (discontinuity) breaks += 1;
    if (gap) continue;
    const files = segmentFiles(playlist, index, at.path);
    const name = files && files.segment.range === undefined && nameOf(files.segment);
    const map = files?.map && nameOf(files.map);
    if (!name || (mapUri !== undefined && map === undefined)) return undefined;
    const startMs = Math.round(starts[index] ?? 0);
    segments.push({
      ...{ name, startMs, durationMs, bytes: 0, ...(map !== undefined && { map }) },
      run: `${at.server}-${at.recording.startMs}-${breaks}`,
      number: Math.max(0, Math.round((startMs - at.recording.startMs) / 100)),
    });
  }
  return segments;
}

/** The file of the stream that a name of {@link originSegments} stands for; undefined for every other name. */
export function readOriginName(name: string): string | undefined {
  if (!name.startsWith(prefix)) return undefined;
  try {
    const path = decodeURIComponent(name.slice(prefix.length).replaceAll('~', '%'));
    return mediaFile.test(path) ? path : undefined;
  } catch {
    return undefined;
  }
}

function nameOf({ path, query }: ViewerFile): string | undefined {
  const escaped = encodeURIComponent(path)
    .replace(/[~!*'()]/g, hex)
    .replaceAll('%', '~');
  const name = prefix + escaped;
  const isNamed = query === '' && mediaFile.test(path) && name.length <= nameLengthMax;
  return isNamed ? name : undefined;
}

function hex(letter: string): string {
  return `%${letter.charCodeAt(0).toString(16).toUpperCase()}`;
}

function startsOf(playlist: MediaPlaylist, { startMs }: TimeRange): readonly number[] {
  const dated = startsByDate(playlist);
  if (dated !== undefined && Math.abs((dated[0] ?? 0) - startMs) <= datesOffMsMax) return dated;
  let atMs = startMs;
  return playlist.segments.map(({ durationMs }) => {
    const start = atMs;
    atMs += durationMs;
    return start;
  });
}
