import type { Ladder } from '../playlist/ladder.ts';

/** The name of a recorded rung: the path of its live media playlist below the stream, which stands at `uri` in a ladder. */
export function rungPath(uri: string): string {
  return (uri.split(/[?#]/, 1)[0] ?? uri).replace(/^\.\//, '');
}

/** URIs of the media playlists by their paths; where only queries differ there is one, as recordings are named by path. */
export function rungsOf({ variants, renditions }: Ladder): ReadonlyMap<string, string> {
  const rungs = new Map<string, string>();
  for (const { uri } of [...variants, ...renditions])
    if (uri !== undefined && !rungs.has(rungPath(uri)))
      rungs.set(rungPath(uri), uri.replace(/^\.\//, ''));
  return rungs;
}
