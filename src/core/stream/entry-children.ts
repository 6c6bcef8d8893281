import { mapUris } from '../playlist/map-uris.ts';
import {
  mapUri,
  type OriginPlace,
  type PlaylistPlace,
  resolveUri,
  toViewerPath,
} from './origin-paths.ts';

/** A media playlist that the entry names: where viewers find it and where it is at the origin now. */
export type Child = {
  /** Viewer path, without query. */
  readonly path: string;
  /** The query that viewers see; empty unless another child has the same path. */
  readonly query: string;
  readonly url: string;
};

/** Media playlists of one stream; what an entry names beyond is left out of the map and never asked for. */
const childrenMax = 200;

/**
 * Maps a multivariant playlist found at `at` to viewer paths and lists the playlists it names. What identifies them to
 * viewers is their path alone: the origin's query (a session, as a rule) is taken off, so that it may change without a
 * viewer noticing. Only children that differ in nothing but the query keep it.
 */
export function readEntryChildren(
  place: OriginPlace,
  at: PlaylistPlace,
  bytes: Uint8Array,
): { readonly bytes: Uint8Array; readonly children: readonly Child[] } {
  const urlsByPath = new Map<string, Set<string>>();
  mapUris(bytes, (uri, use) => {
    const path = use === 'playlist' ? toViewerPath(place, at, uri) : undefined;
    const url = resolveUri(at, uri);
    if (path === undefined || url === undefined) return undefined;
    const urls = urlsByPath.get(path);
    if (urls !== undefined) urls.add(url);
    else if (urlsByPath.size < childrenMax) urlsByPath.set(path, new Set([url]));
    return undefined;
  });
  const queryOf = (path: string, url: string) =>
    (urlsByPath.get(path)?.size ?? 0) > 1 ? new URL(url).search.slice(1) : '';
  const mapped = mapUris(bytes, (uri, use) => {
    const path = use === 'playlist' ? toViewerPath(place, at, uri) : undefined;
    const url = resolveUri(at, uri);
    if (path !== undefined && url !== undefined) return viewerUri(path, queryOf(path, url));
    const target = mapUri(place, at, uri);
    return target.kind === 'moved' ? target.uri : undefined;
  });
  const children = [...urlsByPath].flatMap(([path, urls]) =>
    [...urls].map((url) => ({ path, query: queryOf(path, url), url })),
  );
  return { bytes: mapped, children };
}

/** An entry lies at the top of the stream, so a viewer path is a relative URI; a colon must not look like a scheme. */
function viewerUri(path: string, query: string): string {
  const start = /^[^/]*:/.test(path) ? './' : '';
  return query === '' ? start + path : `${start}${path}?${query}`;
}
