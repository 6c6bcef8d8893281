/**
 * Where a stream's files lie at its origin. All three are absolute URLs without fragment; `folder` and `root` end in
 * `/` and have no query. For a local folder `root` is the folder itself: nothing else of the machine can be named.
 */
export type OriginPlace = {
  /** The playlist or MPD itself, with the query it was configured with. */
  readonly entry: string;
  readonly folder: string;
  readonly root: string;
};

/** A playlist as it was found: at the origin, after redirects, and below `/{stream}/`. */
export type PlaylistPlace = { readonly url: string; readonly path: string };

/** What must become of a URI in a playlist so that viewers find the file below `/{stream}/`. */
export type MappedUri =
  /** The text means the right thing as it stands. */
  | { readonly kind: 'same' }
  /** Write `uri` instead; relative to the playlist's own viewer path. */
  | { readonly kind: 'moved'; readonly uri: string }
  /** Elsewhere, or not nameable below the stream: the text stays as it is and is never fetched from here. */
  | { readonly kind: 'foreign' };

/** Viewer paths that are entries, whatever files of these names the origin has. */
export const hlsEntryPath = 'index.m3u8';
export const dashEntryPath = 'manifest.mpd';
/** Viewer path of the media playlist of an origin whose entry is that media playlist. */
export const livePlaylistPath = '~live.m3u8';

const rootPrefix = '~root/';
const dashPrefix = '~dash/';
/** Longest path and query of one request together, characters. */
const targetLengthMax = 2048;

/**
 * Path segments that could mean another place than they seem to: empty, `.`, `..`, and whatever holds an encoded dot,
 * slash, backslash or control character. A percent sign that is itself encoded is just a character.
 */
const wrongSegment = /^(?:\.{0,2})$|%(?:2e|2f|5c|7f|[01][0-9a-f])|%(?![0-9a-f]{2})/i;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const wrongCharacter = /[\u0000-\u0020\u007f\\#?]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const wrongQueryCharacter = /[\u0000-\u0020\u007f\\#]/;

/**
 * The place of an entry as configured: an http(s) URL, a `file:` URL or an absolute path. A local entry whose name does
 * not end in `.m3u8`, `.m3u` or `.mpd` is a folder and means `fileName` in it. Undefined for any other text.
 */
export function originPlace(entry: string, fileName: string): OriginPlace | undefined {
  const url = entry.startsWith('/') ? pathUrl(entry) : parse(entry);
  if (url === undefined) return undefined;
  url.hash = '';
  if (url.protocol === 'file:') {
    if (url.host !== '' || url.search !== '') return undefined;
    if (!/\/[^/]+\.(?:m3u8?|mpd)$/i.test(url.pathname)) {
      url.pathname = url.pathname.replace(/\/*$/, `/${fileName}`);
    }
    const folder = folderOf(url);
    return { entry: url.href, folder, root: folder };
  }
  if (!isHttp(url) || url.username !== '' || url.password !== '') return undefined;
  return { entry: url.href, folder: folderOf(url), root: `${url.origin}/` };
}

/**
 * The URL at the origin of what a viewer names `/{stream}/{path}`; `path` as received, percent-encoded, without leading
 * slash. `~root/` is below the root, everything else below the folder. Undefined when the path is not acceptable. The
 * result is always below the root, and below the folder without `~root/`. Of the viewer's query only what came with the
 * URI in a playlist is sent on: the agent's, the player's and the delivery directives' parameters are dropped.
 */
export function toOriginUrl(place: OriginPlace, path: string, query: string): string | undefined {
  const kept = keptQuery(query);
  const isRooted = path.startsWith(rootPrefix);
  if (!isTarget(path, kept) || (path.startsWith('~') && !isRooted)) return undefined;
  const base = isRooted ? place.root : place.folder;
  const text = base + path.slice(isRooted ? rootPrefix.length : 0);
  const url = parse(kept === '' ? text : `${text}?${kept}`);
  return url?.href.startsWith(base) ? url.href : undefined;
}

/** The path below the MPD's folder that a viewer names `~dash/{path}`; undefined for any other path. */
export function dashPath(path: string): string | undefined {
  return path.startsWith(dashPrefix) ? path.slice(dashPrefix.length) : undefined;
}

/**
 * The viewer path, without query, of what a playlist at `at` names `uri`; undefined when the file is not at the stream's
 * origin or has a name that {@link toOriginUrl} would refuse.
 */
export function toViewerPath(
  place: OriginPlace,
  at: PlaylistPlace,
  uri: string,
): string | undefined {
  const url = parse(uri, baseOf(at));
  return url === undefined ? undefined : viewerPathOf(place, url);
}

/** The URL at the origin that a playlist at `at` means by `uri`, its own query included, without fragment. */
export function resolveUri(at: PlaylistPlace, uri: string): string | undefined {
  return parse(uri, baseOf(at))?.href.split('#', 1)[0];
}

/** What must become of `uri`, found in the playlist at `at`. URIs with variables (`{$name}`) are left to the player. */
export function mapUri(place: OriginPlace, at: PlaylistPlace, uri: string): MappedUri {
  const url = uri.includes('{$') ? undefined : parse(uri, baseOf(at));
  const path = url === undefined ? undefined : viewerPathOf(place, url);
  if (url === undefined || path === undefined) return { kind: 'foreign' };
  const seen = parse(uri, mirror + at.path);
  if (seen?.href === `${mirror}${path}${url.search}${url.hash}`) return { kind: 'same' };
  const up = '../'.repeat(at.path.split('/').length - 1);
  const start = up === '' && /^[^/]*:/.test(path) ? './' : up;
  return { kind: 'moved', uri: `${start}${path}${url.search}` };
}

/** Stands for `/{stream}/`, whose name a relative URI must not depend on. */
const mirror = 'http://viewer.invalid/~stream~/';

/** Without the query: an empty URI would carry the entry's, which may hold a secret, to viewers. */
function baseOf(at: PlaylistPlace): string {
  return at.url.split('?', 1)[0] ?? '';
}

function viewerPathOf(place: OriginPlace, url: URL): string | undefined {
  const bare = `${url.protocol}//${url.host}${url.pathname}`;
  if (!bare.startsWith(place.root)) return undefined;
  const below = bare.startsWith(place.folder) ? bare.slice(place.folder.length) : undefined;
  const path =
    below === undefined || isReserved(below) ? rootPrefix + bare.slice(place.root.length) : below;
  return isTarget(path, url.search) ? path : undefined;
}

function isReserved(path: string): boolean {
  return path.startsWith('~') || path === hlsEntryPath || path === dashEntryPath;
}

function isTarget(path: string, query: string): boolean {
  return (
    path.length + query.length <= targetLengthMax &&
    !wrongCharacter.test(path) &&
    !wrongQueryCharacter.test(query) &&
    !path.split('/').some((segment) => wrongSegment.test(segment))
  );
}

/** Parameters that no origin put there: the agent's own, players' reports (CTA-5004) and LL-HLS delivery directives. */
const droppedParameters = new Set(['pass', 'round', 'CMCD', '_HLS_msn', '_HLS_part', '_HLS_skip']);

function keptQuery(query: string): string {
  if (query === '') return '';
  const names = (parameter: string) => parameter.split('=', 1)[0] ?? '';
  return query
    .split('&')
    .filter((parameter) => !droppedParameters.has(names(parameter)))
    .join('&');
}

function parse(text: string, base?: string): URL | undefined {
  return URL.canParse(text, base) ? new URL(text, base) : undefined;
}

function pathUrl(path: string): URL | undefined {
  return parse(`file://${path.replace(/[%?#\\]/g, encodeURIComponent)}`);
}

function isHttp(url: URL): boolean {
  return url.protocol === 'http:' || url.protocol === 'https:';
}

function folderOf(url: URL): string {
  return `${url.protocol}//${url.host}${url.pathname.slice(0, url.pathname.lastIndexOf('/') + 1)}`;
}
