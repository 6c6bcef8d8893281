import { describeSegment } from '../core/media/describe.ts';
import { createTsReader } from '../core/media/ts-reader.ts';
import { ticksPerSecond } from '../core/media/units.ts';
import { bitRate, raiseBandwidth } from '../core/stream/bandwidth.ts';
import { livePlaylistPath } from '../core/stream/origin-paths.ts';
import type { WindowSize } from '../core/stream/settling.ts';
import type { AirState, HlsFacts } from '../core/stream/stream.ts';
import type { MonoMs, Now, UnixMs } from '../core/time.ts';
import type { HlsSide } from './live-hls.ts';
import type { Entry, MediaSnapshot } from './live-snapshots.ts';
import { madeUpEntry } from './made-up-entry.ts';
import type { Clock, Log, OpenFeed, OriginFault } from './ports.ts';
import type { PublishedSegment } from './timeline/canonical-window.ts';
import { playlistSnapshot, standstillMsMax, storedSegment } from './timeline/served.ts';
import type { StreamTimeline } from './timeline/stream-timeline.ts';

/** A feed that brings nothing for so long is frozen, ms. */
const silenceMsMax = 1_500;

type FeedDeps = {
  readonly clock: Clock;
  readonly log: Log;
  readonly openFeed: OpenFeed;
};

/** The HLS side of a stream that arrives as a transport stream: the agent is its packager. */
export class LiveFeed implements HlsSide {
  readonly #feed: { close(): void };
  readonly #clock: Clock;
  #timeline: StreamTimeline | undefined;
  #reader = createTsReader();
  #heardAt: MonoMs | undefined;
  /** Since then: so long this agent stood still itself. */
  #pausedMs = 0;
  #entry: Entry | undefined;
  #bandwidth = 0;
  #described: PublishedSegment | undefined;
  #movedAt: UnixMs | undefined;

  constructor(deps: FeedDeps, stream: { name: string; entry: string }) {
    this.#clock = deps.clock;
    this.#feed = deps.openFeed(stream.entry, {
      bytes: (chunk) => this.#take(chunk),
      fault: (cause) => deps.log.warn('feed silent', { stream: stream.name, cause }),
    });
  }

  follow(timeline: StreamTimeline | undefined): void {
    this.#timeline = timeline;
    this.#reader = createTsReader();
    timeline?.setRungs(1);
  }

  get entry(): Entry | undefined {
    return this.#entry;
  }

  media(path: string): MediaSnapshot | undefined {
    const window = path === livePlaylistPath ? this.#timeline?.window(0) : undefined;
    return window && playlistSnapshot(window);
  }

  isPlaylist(path: string): boolean {
    return path === livePlaylistPath;
  }

  segment(path: string, range: string | undefined) {
    return this.#timeline && storedSegment(this.#timeline, path, range);
  }

  file(): undefined {
    return undefined;
  }

  excusePause(ms: number): void {
    this.#pausedMs = Math.min(silenceMsMax, this.#pausedMs + ms);
  }

  due(): readonly [] {
    return [];
  }

  hasFailed(): boolean {
    return this.#entry === undefined;
  }

  async load(): Promise<Entry | OriginFault> {
    return this.#entry ?? this.#fault();
  }

  async loadMedia(path: string): Promise<MediaSnapshot | OriginFault> {
    if (!this.isPlaylist(path)) return { kind: 'fault', reason: 'not-found' };
    return this.media(path) ?? this.#fault();
  }

  async blockingReload(path: string): Promise<MediaSnapshot | OriginFault> {
    return this.loadMedia(path);
  }

  facts(now: Now, before: HlsFacts | undefined): HlsFacts {
    this.#describe(now);
    const air = this.#air(now.monoMs);
    const isKept = air.onAir && before?.air.onAir && before.lastMovedAt !== undefined;
    return {
      air,
      lastMovedAt: isKept ? before.lastMovedAt : this.#movedAt,
      container: 'ts',
      lowLatency: false,
      timeline: before?.timeline ?? { state: 'anew' },
      ladder: this.#entry?.template.ladder,
    };
  }

  get size(): WindowSize | undefined {
    return this.media(livePlaylistPath);
  }

  /** A feed that arrives costs nothing but its reading: it is always needed. */
  forget(): void {}

  close(): void {
    this.#feed.close();
  }

  #take(chunk: Uint8Array): void {
    const now = this.#clock.now();
    this.#heardAt = now.monoMs;
    this.#pausedMs = 0;
    const reading = this.#reader.read(chunk, 'open');
    if (reading.units.length === 0) return;
    this.#timeline?.feed(0, { reading, completeAt: now.wallMs, bytes: chunk.length }, now);
  }

  #air(at: MonoMs): AirState {
    const off = (reason: Extract<AirState, { onAir: false }>['reason']) =>
      ({ onAir: false, reason }) as const;
    const { leftAlone, isOffered } = this.#timeline ?? {};
    if (leftAlone !== undefined) return off(leftAlone);
    if (this.#heardAt === undefined) return off('starting');
    if (at - this.#heardAt - this.#pausedMs > silenceMsMax) return off('frozen');
    const window = this.#timeline?.window(0);
    if (isOffered !== true || window === undefined || this.#entry === undefined)
      return off('aligning');
    const movedMsAgo = at - (window.newest?.publishedAt ?? at);
    return movedMsAgo > standstillMsMax(window.targetDurationS * 1_000)
      ? off('frozen')
      : { onAir: true };
  }

  /** Makes the multivariant playlist from the newest segment, and again when the bit rate has risen. */
  #describe(now: Now): void {
    const newest = this.#timeline?.window(0)?.newest;
    if (newest === undefined || newest === this.#described || newest.bytes.length === 0) return;
    this.#movedAt = now.wallMs;
    const { bytes, durationTicks } = newest;
    const rate = bitRate(bytes.length, (durationTicks * 1_000) / ticksPerSecond) ?? 0;
    const bandwidth = raiseBandwidth(this.#bandwidth, rate);
    const isNew = this.#entry === undefined || bandwidth !== this.#bandwidth;
    this.#described = newest;
    this.#bandwidth = bandwidth;
    if (isNew) this.#entry = madeUpEntry(describeSegment(bytes), bandwidth, now.monoMs);
  }

  #fault(): OriginFault {
    const air = this.#air(this.#clock.now().monoMs);
    return { kind: 'fault', reason: air.onAir ? 'aligning' : air.reason };
  }
}
