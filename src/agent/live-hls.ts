import { livePlaylistPath, type OriginPlace } from '../core/stream/origin-paths.ts';
import type { AirState, HlsFacts } from '../core/stream/stream.ts';
import type { Now } from '../core/time.ts';
import { EntryPlaylists } from './entry-playlists.ts';
import { LiveEntry } from './live-entry.ts';
import {
  type DueRead,
  type Entry,
  type LiveDeps,
  type MediaSnapshot,
  playlistBudgetMs,
} from './live-snapshots.ts';
import type { OriginFault } from './ports.ts';
import type { KnownFile } from './window-files.ts';

/** The HLS side of one stream: its entry and the media playlists that it names. */
export class LiveHls {
  readonly #deps: LiveDeps;
  readonly #playlists: EntryPlaylists;
  readonly #entry: LiveEntry;

  constructor(deps: LiveDeps, place: OriginPlace) {
    this.#deps = deps;
    this.#playlists = new EntryPlaylists(deps, place);
    this.#entry = new LiveEntry(deps, place, this.#playlists);
  }

  get entry(): Entry | undefined {
    return this.#entry.current;
  }

  /** The last reading of a media playlist. */
  media(path: string, query: string): MediaSnapshot | undefined {
    return this.#playlists.find(path, query)?.snapshot;
  }

  isPlaylist(path: string): boolean {
    return this.#playlists.isChild(path);
  }

  /** A file named by a live window; `onComplete` wants the length of a segment that was read whole. */
  file(path: string): { file: KnownFile; onComplete: (bytes: number) => void } | undefined {
    const file = this.#playlists.file(path);
    if (file === undefined) return undefined;
    const onComplete = (bytes: number) => {
      const tells = this.#entry.isMadeUp && file.use === 'segment';
      if (tells) this.#entry.madeUp.raise(bytes, file.durationMs);
    };
    return { file, onComplete };
  }

  /** What has to be read for the stream to stay fresh. */
  due(now: Now): readonly DueRead[] {
    const due: DueRead[] = [];
    for (const playlist of this.#playlists.fresh(now)) {
      if (playlist.watch.faults > 0) this.#entry.hurry();
      if (!playlist.isReading && playlist.dueAt <= now.monoMs)
        due.push({ dueAt: playlist.dueAt, run: () => playlist.read(playlistBudgetMs) });
    }
    const { dueAt, isMadeUp, madeUp } = this.#entry;
    if (dueAt !== undefined && dueAt <= now.monoMs)
      due.unshift({ dueAt, run: () => this.#entry.read(playlistBudgetMs) });
    const window = isMadeUp ? this.#playlists.rungs[0]?.window : undefined;
    if (window !== undefined && madeUp.isDue(now.monoMs))
      due.push({ dueAt: now.monoMs, run: () => madeUp.measure(window, now.monoMs) });
    return due;
  }

  /** The entry, with the first of its playlists: read now unless fresh, or failed a moment ago. */
  async load(now: Now): Promise<Entry | OriginFault> {
    const leftMs = this.#budget(now);
    const fault = await this.#entry.load(now, leftMs());
    if (fault !== undefined) return fault;
    const [first] = this.#playlists.rungs;
    const loaded = await first?.load(now, leftMs());
    if (loaded?.kind === 'fault') return loaded;
    if (this.#entry.isMadeUp && first?.window !== undefined)
      await this.#entry.madeUp.measure(first.window, now.monoMs);
    return this.entry ?? { kind: 'fault', reason: 'starting' };
  }

  /** A media playlist, read now unless fresh, or failed a moment ago. */
  async loadMedia(path: string, query: string, now: Now): Promise<MediaSnapshot | OriginFault> {
    const leftMs = this.#budget(now);
    const fault = await this.#entry.load(now, leftMs());
    if (fault !== undefined) return fault;
    const playlist = this.#playlists.findOrAdd(path, query, now);
    if (playlist !== undefined) return playlist.load(now, leftMs());
    // Where the origin has turned to a multivariant playlist, viewers of the media playlist must move on.
    return { kind: 'fault', reason: path === livePlaylistPath ? 'not-found' : 'path-invalid' };
  }

  /** LL-HLS: see {@link BlockingReloads}. */
  async blockingReload(path: string, query: string): Promise<MediaSnapshot | OriginFault> {
    const playlist = this.#playlists.find(path, query);
    return playlist?.blockingReload(query) ?? { kind: 'fault', reason: 'not-found' };
  }

  facts(now: Now, before: HlsFacts | undefined): HlsFacts {
    const air = this.#air(now);
    const { rungs } = this.#playlists;
    const windows = rungs.flatMap(({ window }) => window ?? []);
    const hasMap = windows.some(({ playlist }) => playlist.mapUri !== undefined);
    const moved = rungs[0]?.watch.lastMovedAt ?? before?.lastMovedAt;
    // While on air it changes all the time and tells nothing new.
    const isKept = air.onAir && before?.air.onAir && before.lastMovedAt !== undefined;
    return {
      air,
      lastMovedAt: isKept ? before.lastMovedAt : moved,
      container: windows.length === 0 ? before?.container : hasMap ? 'fmp4' : 'ts',
      lowLatency: windows.some(({ playlist }) => playlist.lowLatency),
      ladder: this.entry?.template.ladder,
    };
  }

  /** Nobody needs the stream: what is known of it would only grow old. */
  forget(): void {
    this.#entry.forget();
    this.#playlists.clear();
  }

  /** Off air with the entry, or with any rung; one that was not read yet takes nothing off but the first. */
  #air(now: Now): AirState {
    const { fault } = this.#entry;
    if (fault !== undefined) return { onAir: false, reason: fault.reason };
    if (this.entry === undefined) return { onAir: false, reason: 'starting' };
    const [first, ...others] = this.#playlists.rungs.map((rung) => rung.air(now));
    // Every rung is on another host: there is nothing here by which the stream could be judged.
    if (first === undefined) return { onAir: false, reason: 'origin-refused' };
    const isOff = (air: AirState) => !air.onAir && air.reason !== 'starting';
    return first.onAir ? (others.find(isOff) ?? first) : first;
  }

  /** What is left of the time that a viewer waits. */
  #budget(now: Now): () => number {
    return () => {
      const spentMs = this.#deps.clock.now().monoMs - now.monoMs;
      return Math.max(1, playlistBudgetMs - spentMs);
    };
  }
}
