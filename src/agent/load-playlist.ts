import type { Now } from '../core/time.ts';
import type { LiveStream } from './live-stream.ts';

/** A playlist that is asked for by `entry`, `mpd`, or what follows the stream's name; undefined without that protocol. */
export async function loadPlaylist(stream: LiveStream, what: string, now: Now) {
  if (what === 'entry') return stream.hls?.load(now);
  if (what === 'mpd') return stream.mpd?.load(now);
  return stream.hls?.loadMedia(...splitQuery(what), now);
}

/** What follows a stream's name, and its query. */
export function splitQuery(rest: string): [path: string, query: string] {
  const at = rest.indexOf('?');
  return at < 0 ? [rest, ''] : [rest.slice(0, at), rest.slice(at + 1)];
}
