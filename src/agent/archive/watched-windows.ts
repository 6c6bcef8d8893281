import { mergeRanges, type TimeRange } from '../../core/archive/ranges.ts';
import { timeWindow, type WindowMemory } from '../../core/archive/window-times.ts';
import { readMediaPlaylist } from '../../core/playlist/media-playlist.ts';
import type { Container } from '../../core/stream/stream.ts';
import type { Now } from '../../core/time.ts';
import type { MediaSnapshot } from '../live-snapshots.ts';
import type { LiveStreams } from '../live-streams.ts';

/** When a playlist was read, which may be a while ago, and tells when its segments ended. */
export function readAt({ fetchedAt }: Pick<MediaSnapshot, 'fetchedAt'>, now: Now): Now {
  const agoMs = Math.max(0, now.monoMs - fetchedAt);
  return { monoMs: now.monoMs - agoMs, wallMs: now.wallMs - agoMs };
}

type Watched = {
  bytes: Uint8Array | undefined;
  memory: WindowMemory | undefined;
  readonly seen: Map<Container, readonly TimeRange[]>;
};

/** What live windows showed: the first media playlist of each stream stands for all of its rungs. */
export class WatchedWindows {
  readonly #live: Pick<LiveStreams, 'entry' | 'media' | 'watch'>;
  readonly #watched = new Map<string, Watched>();

  constructor(live: Pick<LiveStreams, 'entry' | 'media' | 'watch'>) {
    this.#live = live;
  }

  /** Looks at the windows of `streams`; others are forgotten. */
  look(streams: readonly string[], now: Now): void {
    const wanted = new Set(streams);
    for (const name of this.#watched.keys()) if (!wanted.has(name)) this.#watched.delete(name);
    for (const name of streams) {
      this.#live.watch(name, now);
      const path = this.#live.entry(name)?.template.ladder.variants[0]?.uri;
      const snapshot = path === undefined ? undefined : this.#live.media(name, path);
      if (snapshot !== undefined) this.#lookAt(name, snapshot.bytes, readAt(snapshot, now));
    }
  }

  /** What has been seen of a stream and is not told yet. */
  untold(name: string): ReadonlyMap<Container, readonly TimeRange[]> {
    return this.#watched.get(name)?.seen ?? new Map();
  }

  /** All that is {@link untold} is told now. */
  told(name: string): void {
    this.#watched.get(name)?.seen.clear();
  }

  #lookAt(name: string, bytes: Uint8Array, now: Now): void {
    const watched = this.#watched.get(name) ?? {
      bytes: undefined,
      memory: undefined,
      seen: new Map(),
    };
    this.#watched.set(name, watched);
    if (watched.bytes === bytes) return;
    watched.bytes = bytes;
    const playlist = readMediaPlaylist(bytes);
    if (playlist === undefined) return;
    const { fresh, memory } = timeWindow(playlist, watched.memory, now);
    watched.memory = memory;
    const container = playlist.mapUri === undefined ? 'ts' : 'fmp4';
    const ranges = fresh
      .filter(({ at }) => playlist.segments[at]?.gap === false)
      .map(({ startMs, durationMs }) => ({ startMs, endMs: startMs + durationMs }));
    watched.seen.set(container, mergeRanges([...(watched.seen.get(container) ?? []), ...ranges]));
  }
}
