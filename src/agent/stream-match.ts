import type { StreamConfig } from '../core/stream/stream.ts';

/** The stream that a path names, and the rest of the path after its name, still percent-encoded. */
export type StreamMatch = { readonly stream: StreamConfig; readonly rest: string };

/** Stream names are looked for in this many first segments of a path. */
const nameSegmentsMax = 32;

/**
 * Finds the stream whose name is the longest beginning of `path`, whole segments only. A name's segments may come
 * percent-encoded; an encoded slash is none that parts segments.
 */
export function matchStream(
  path: string,
  streamOf: (name: string) => StreamConfig | undefined,
): StreamMatch | undefined {
  let match: StreamMatch | undefined;
  let name = '';
  let at = 0;
  for (let segments = 0; segments < nameSegmentsMax && at <= path.length; segments += 1) {
    const slash = path.indexOf('/', at);
    const end = slash < 0 ? path.length : slash;
    const segment = decode(path.slice(at, end));
    if (segment === undefined || segment === '' || segment.includes('/')) break;
    name = segments === 0 ? segment : `${name}/${segment}`;
    const stream = streamOf(name);
    if (stream !== undefined) match = { stream, rest: path.slice(end + 1) };
    at = end + 1;
  }
  return match;
}

function decode(segment: string): string | undefined {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
