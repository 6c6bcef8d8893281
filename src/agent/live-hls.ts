import { livePlaylistPath, type OriginPlace } from '../core/stream/origin-paths.ts';
import type { WindowSize } from '../core/stream/settling.ts';
import type { AirState, HlsFacts } from '../core/stream/stream.ts';
import type { Now } from '../core/time.ts';
import { EntryPlaylists } from './entry-playlists.ts';
import { LiveEntry } from './live-entry.ts';
import type { LivePlaylist } from './live-playlist.ts';
import {
  type DueRead,
  type Entry,
  type LiveDeps,
  type MediaSnapshot,
  playlistBudgetMs,
} from './live-snapshots.ts';
import type { OriginFault } from './ports.ts';
import { isSameShallow, keepSame } from './same-facts.ts';
import type { StoredSegment } from './segment-fill.ts';
import { HlsTimeline } from './timeline/hls-timeline.ts';
import type { StreamTimeline } from './timeline/stream-timeline.ts';
import type { KnownFile } from './window-files.ts';

/** What a stream's HLS side is to the rest of the agent, wherever it comes from. */
export type HlsSide = Pick<LiveHls, keyof LiveHls>;

/** The HLS side of one stream: its entry and the media playlists that it names. */
export class LiveHls {
  readonly #deps: LiveDeps & { readonly pause: () => Promise<void> };
  readonly #playlists: EntryPlaylists;
  readonly #entry: LiveEntry;
  #timeline: HlsTimeline | undefined;

  constructor(deps: LiveDeps & { pause: () => Promise<void> }, place: OriginPlace) {
    this.#deps = deps;
    this.#playlists = new EntryPlaylists(deps, place);
    this.#entry = new LiveEntry(deps, place, this.#playlists);
  }

  /** With a `timeline` the stream is written anew from now on where that is possible; without, never. */
  follow(timeline: StreamTimeline | undefined): void {
    this.#timeline = timeline && new HlsTimeline(timeline, this.#deps);
  }

  get entry(): Entry | undefined {
    return this.#entry.current;
  }

  /** A media playlist as viewers get it now: written anew, or the last reading. */
  media(path: string, query: string): MediaSnapshot | undefined {
    const playlist = this.#playlists.find(path, query);
    const served = playlist && this.#served(playlist);
    return served?.kind === 'media' ? served : undefined;
  }

  /** A segment that was written anew; undefined for any other file. */
  segment(path: string, range: string | undefined): StoredSegment | undefined {
    return this.#timeline?.segment(path, range);
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
        due.push({ dueAt: playlist.dueAt, run: () => this.#read(playlist) });
      else if (this.#timeline?.isHungry(playlist))
        due.push({ dueAt: now.monoMs, run: () => this.#feed(playlist) });
    }
    const { dueAt, isMadeUp, madeUp } = this.#entry;
    if (dueAt !== undefined && dueAt <= now.monoMs)
      due.unshift({ dueAt, run: () => this.#entry.read(playlistBudgetMs) });
    const window = isMadeUp ? this.#playlists.rungs[0]?.window : undefined;
    if (window !== undefined && madeUp.isDue(now.monoMs))
      due.push({ dueAt: now.monoMs, run: () => madeUp.measure(window, now.monoMs) });
    return due;
  }

  /** Whether {@link load} would only repeat that there is no entry. */
  hasFailed(now: Now): boolean {
    return this.#entry.known(now) !== undefined;
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
    if (playlist !== undefined) {
      const loaded = await playlist.load(now, leftMs());
      return loaded.kind === 'fault' ? loaded : (this.#served(playlist) ?? loaded);
    }
    // Where the origin has turned to a multivariant playlist, viewers of the media playlist must move on.
    return { kind: 'fault', reason: path === livePlaylistPath ? 'not-found' : 'path-invalid' };
  }

  /** LL-HLS: see {@link BlockingReloads}. */
  async blockingReload(path: string, query: string): Promise<MediaSnapshot | OriginFault> {
    const playlist = this.#playlists.find(path, query);
    if (playlist === undefined) return { kind: 'fault', reason: 'not-found' };
    const isAnew = this.#timeline?.state?.state === 'anew';
    return (isAnew ? this.#served(playlist) : undefined) ?? playlist.blockingReload(query);
  }

  facts(now: Now, before: HlsFacts | undefined): HlsFacts {
    const { rungs } = this.#playlists;
    this.#timeline?.update(rungs);
    const own = this.#air(now);
    const air = this.#timeline?.air(own, now) ?? own;
    const timeline = this.#timeline?.state;
    const windows = rungs.flatMap(({ window }) => window ?? []);
    const hasMap = windows.some(({ playlist }) => playlist.mapUri !== undefined);
    const moved = rungs[0]?.watch.lastMovedAt ?? before?.lastMovedAt;
    // While on air it changes all the time and tells nothing new.
    const isKept = air.onAir && before?.air.onAir && before.lastMovedAt !== undefined;
    return {
      air,
      lastMovedAt: isKept ? before.lastMovedAt : moved,
      container:
        windows.length === 0
          ? before?.container
          : hasMap && timeline?.state !== 'anew'
            ? 'fmp4'
            : 'ts',
      lowLatency: windows.some(({ playlist }) => playlist.lowLatency),
      timeline: timeline && keepSame(before?.timeline, timeline, isSameShallow),
      ladder: this.entry?.template.ladder,
    };
  }

  /** The shortest of the live windows that viewers get now; undefined while there is none. */
  get size(): WindowSize | undefined {
    const served = this.#playlists.rungs.map((rung) => this.#served(rung));
    return served
      .flatMap((one) => (one?.kind === 'media' ? one : []))
      .sort((a, b) => a.segments - b.segments)[0];
  }

  /** For good. */
  close(): void {
    this.forget();
  }

  /** Nobody needs the stream: what is known of it would only grow old. */
  forget(): void {
    this.#entry.forget();
    this.#playlists.clear();
  }

  /** What viewers get of a playlist; a fault while it is being put on its timeline. */
  #served(playlist: LivePlaylist): MediaSnapshot | OriginFault | undefined {
    const written = this.#timeline?.media(playlist);
    if (written === 'aligning') return { kind: 'fault', reason: 'aligning' };
    return written ?? playlist.snapshot;
  }

  excusePause(ms: number): void {
    for (const rung of this.#playlists.rungs) rung.excusePause(ms);
  }

  async #read(playlist: LivePlaylist): Promise<void> {
    await playlist.read(playlistBudgetMs);
    await this.#feed(playlist);
  }

  async #feed(playlist: LivePlaylist): Promise<void> {
    if (this.#timeline?.isHungry(playlist)) await this.#timeline.feed(playlist);
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
