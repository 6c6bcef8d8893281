import { opendir, readFile, stat } from 'node:fs/promises';
import { join, posix } from 'node:path';
import type { TimedFile } from '../../core/archive/file-segments.ts';
import type { ReadNameTime } from '../../core/archive/name-times.ts';
import { startsByDate } from '../../core/archive/window-times.ts';
import { readMediaPlaylist } from '../../core/playlist/media-playlist.ts';

/** Most files of one folder that are looked at; whatever is found beyond is left out. */
const filesMax = 100_000;
const foldersDeepMax = 8;
const playlistBytesMax = 16 * 1024 * 1024;
/** A file that was changed less than this ago may still be written to, ms. */
const settledMs = 2_000;

const segmentForm = /\.(?:ts|m4s|aac|vtt)$/i;
const initForm = /(?:^|\/)[^/]*init[^/]*\.mp4$/i;

/** Sizes and times of files that were looked at before, by path: they do not change any more. */
export type KnownFiles = Map<string, { readonly mtimeMs: number; readonly bytes: number }>;

/** Segments by the times in their names, or by when they were written. Rejects as the file system does. */
export async function filesByName(
  folder: string,
  options: {
    readonly timeOf: ReadNameTime | undefined;
    readonly known: KnownFiles;
    readonly nowMs: number;
  },
): Promise<readonly TimedFile[]> {
  const paths: string[] = [];
  await walk(folder, '', foldersDeepMax, paths);
  const inits = new Map(
    paths.filter((path) => initForm.test(path)).map((path) => [posix.dirname(path), path]),
  );
  const found: TimedFile[] = [];
  for (const path of paths.filter((name) => segmentForm.test(name))) {
    const startMs = options.timeOf?.(path);
    if (options.timeOf !== undefined && startMs === undefined) continue;
    const file = await look(folder, path, options);
    if (file === undefined) continue;
    const map = path.endsWith('.m4s') ? inits.get(posix.dirname(path)) : undefined;
    found.push({ path, startMs: startMs ?? file.mtimeMs, bytes: file.bytes, map });
  }
  const there = new Set(paths);
  for (const path of options.known.keys()) if (!there.has(path)) options.known.delete(path);
  return options.timeOf === undefined ? endedToStarted(found) : found;
}

/** Segments that the newest playlist in the folder names, by its dates. Rejects as the file system does. */
export async function filesOfPlaylist(folder: string): Promise<readonly TimedFile[]> {
  const paths: string[] = [];
  await walk(folder, '', 1, paths);
  const playlists = await Promise.all(
    paths
      .filter((path) => /\.m3u8?$/i.test(path))
      .slice(0, 16)
      .map(async (path) => ({ path, ...(await stat(join(folder, path))) })),
  );
  const newest = playlists
    .sort((a, b) => b.mtimeMs - a.mtimeMs)
    .find(({ size }) => size <= playlistBytesMax);
  if (newest === undefined) throw new Error('there is no playlist in the folder');
  const playlist = readMediaPlaylist(await readFile(join(folder, newest.path)));
  const starts = playlist && startsByDate(playlist);
  if (playlist === undefined || starts === undefined)
    throw new Error('the playlist has no EXT-X-PROGRAM-DATE-TIME');
  return playlist.segments.flatMap(({ uri, durationMs, gap, mapUri, byteRange }, at) => {
    const path = pathOf(uri);
    const startMs = starts[at];
    if (gap || byteRange !== undefined || path === undefined || startMs === undefined) return [];
    return [{ path, startMs, durationMs, bytes: 0, map: mapUri && pathOf(mapUri) }];
  });
}

/** Without the folder's own name before it; nothing outside of it. */
function pathOf(uri: string): string | undefined {
  const base = 'http://folder.invalid/';
  if (!URL.canParse(uri, base)) return undefined;
  const url = new URL(uri, base);
  if (url.origin !== new URL(base).origin) return undefined;
  const path = decoded(url.pathname.slice(1));
  return path === undefined || path.split('/').some((part) => part === '..' || part === '')
    ? undefined
    : path;
}

function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

async function walk(folder: string, below: string, deep: number, paths: string[]): Promise<void> {
  for await (const entry of await opendir(join(folder, below))) {
    if (paths.length >= filesMax) return;
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isFile()) paths.push(path);
    else if (entry.isDirectory() && deep > 1) await walk(folder, path, deep - 1, paths);
  }
}

/** Undefined for a file that vanished, or that may still be written to. */
async function look(
  folder: string,
  path: string,
  { known, nowMs }: { readonly known: KnownFiles; readonly nowMs: number },
): Promise<{ readonly mtimeMs: number; readonly bytes: number } | undefined> {
  const before = known.get(path);
  if (before !== undefined) return before;
  const found = await stat(join(folder, path)).catch(() => undefined);
  if (found === undefined || nowMs - found.mtimeMs < settledMs) return undefined;
  const file = { mtimeMs: Math.round(found.mtimeMs), bytes: found.size };
  known.set(path, file);
  return file;
}

/** A file is written when its segment ends: each begins where the one before it ended. */
function endedToStarted(files: readonly TimedFile[]): readonly TimedFile[] {
  const byEnd = files.toSorted((a, b) => a.startMs - b.startMs);
  const distances = byEnd
    .map(({ startMs }, at) => startMs - (byEnd[at - 1]?.startMs ?? startMs))
    .filter((distance) => distance > 0)
    .sort((a, b) => a - b);
  const usualMs = distances[Math.floor(distances.length / 2)] ?? 4_000;
  return byEnd.map((file, at) => {
    const distanceMs = file.startMs - (byEnd[at - 1]?.startMs ?? -Infinity);
    const durationMs = distanceMs <= usualMs * 1.5 ? distanceMs : usualMs;
    return { ...file, startMs: file.startMs - durationMs, durationMs };
  });
}
