import { type Definitions, resolveVariables } from './variables.ts';

/**
 * What a URI in a playlist's text (one character per byte) means, as ASCII: variables resolved, bytes above 0x7F
 * percent-encoded as players do with UTF-8. Undefined when it refers to a variable that only the player knows.
 */
export function meantUri(written: string, definitions: Definitions): string | undefined {
  return resolveVariables(written, definitions)?.replace(
    /[\x80-\xff]/g,
    (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/**
 * A URI as a path below `/{stream}/`, without `./` in front, with its query; undefined when it is absolute, begins at
 * the root, climbs, or cannot stand in a quoted attribute: whatever it names is not served below the stream by that name.
 */
export function viewerPath(uri: string): string | undefined {
  if (!/^[\x21\x23-\x7e]+$/.test(uri)) return undefined;
  const isDotted = uri.startsWith('./');
  const path = isDotted ? uri.slice(2) : uri;
  const isAbsolute = /^[/?#]|^$/.test(path) || (!isDotted && /^[^/?#]*:/.test(path));
  const segments = (path.split(/[?#]/, 1)[0] ?? '').split('/');
  if (isAbsolute || segments.some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment)))
    return undefined;
  return /^[^/?#]*:/.test(path) ? uri : path;
}

/** A URI parted where parameters are added to its query: before a fragment, if it has one. */
export type Target = {
  readonly head: string;
  /** Whether `head` has a query already. */
  readonly hasQuery: boolean;
  readonly tail: string;
};

export function splitTarget(uri: string): Target {
  const hash = uri.indexOf('#');
  const head = hash < 0 ? uri : uri.slice(0, hash);
  return { head, hasQuery: head.includes('?'), tail: hash < 0 ? '' : uri.slice(hash) };
}
