import { createHash } from 'node:crypto';
import { urisOf } from './group-rig.ts';

/** One media playlist as it was read: what stands before its segments, and the lines of each by its number. */
export type ReadWindow = {
  readonly head: readonly string[];
  readonly sequence: number;
  readonly blocks: ReadonlyMap<number, string>;
};

/** What a node has published of a stream while it was watched. */
export type Published = {
  /** Every window read, in order; undefined where the node gave none. */
  readonly windows: readonly (ReadWindow | undefined)[];
  /** Bytes by name, as first read. */
  readonly segments: ReadonlyMap<string, Uint8Array>;
  /** Segments that were listed and not to be had. */
  readonly missing: ReadonlySet<string>;
};

/** Watches the first media playlist behind `entry` as a player does that looks twice a second. */
export function createWatcher(entry: string) {
  const windows: (ReadWindow | undefined)[] = [];
  const segments = new Map<string, Uint8Array>();
  const missing = new Set<string>();
  return {
    published: { windows, segments, missing } satisfies Published,
    async look(): Promise<void> {
      const playlistUrl = await firstPlaylist(entry);
      const text = playlistUrl === undefined ? undefined : await textOf(playlistUrl);
      if (playlistUrl === undefined || text === undefined) return void windows.push(undefined);
      windows.push(readWindow(text));
      for (const uri of urisOf(text)) {
        if (segments.has(uri)) continue;
        const answer = await fetch(new URL(uri, playlistUrl));
        if (answer.ok) segments.set(uri, new Uint8Array(await answer.arrayBuffer()));
        else missing.add(uri);
      }
    },
  };
}

export function shaOf(bytes: Uint8Array | undefined): string {
  return createHash('sha256')
    .update(bytes ?? '')
    .digest('hex');
}

async function firstPlaylist(entry: string): Promise<string | undefined> {
  const text = await textOf(entry);
  const [uri] = urisOf(text ?? '');
  return uri === undefined ? undefined : new URL(uri, entry).href;
}

async function textOf(url: string): Promise<string | undefined> {
  const headers = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Chrome/156.0' };
  try {
    const answer = await fetch(url, { headers, redirect: 'manual' });
    return answer.status === 200 ? await answer.text() : undefined;
  } catch {
    return undefined;
  }
}

/** A segment's lines are those behind the URI before it, its own URI included. */
function readWindow(text: string): ReadWindow {
  const lines = text.split('\n').filter((line) => line !== '');
  const first = lines.findIndex((line) =>
    /^#(EXTINF|EXT-X-(PROGRAM|DISCONTINUITY$|GAP))/.test(line),
  );
  const head = lines.slice(0, first);
  const sequence = Number(/#EXT-X-MEDIA-SEQUENCE:(\d+)/.exec(text)?.[1]);
  const blocks = new Map<number, string>();
  let block: string[] = [];
  for (const line of lines.slice(first)) {
    block.push(line);
    if (line.startsWith('#')) continue;
    blocks.set(sequence + blocks.size, block.join('\n'));
    block = [];
  }
  return {
    // A window with a gap in it has a higher version.
    head: head.filter((line) => !/^#EXT-X-(MEDIA-SEQUENCE|VERSION)/.test(line)),
    sequence,
    blocks,
  };
}
