import type { AirState, TimelineState } from '../../core/stream/stream.ts';
import type { MonoMs, Now } from '../../core/time.ts';
import { tagsOf } from '../../core/timeline/origin-tags.ts';
import type { LivePlaylist } from '../live-playlist.ts';
import type { MediaSnapshot } from '../live-snapshots.ts';
import type { Clock, Origin } from '../ports.ts';
import type { StoredSegment } from '../segment-fill.ts';
import { leftByPlaylist } from './left-alone.ts';
import { SegmentFeed } from './segment-feed.ts';
import { playlistSnapshot, standstillMsMax, storedSegment } from './served.ts';
import type { StreamTimeline } from './stream-timeline.ts';

/** Puts one HLS stream on its timeline: feeds what the origin lists, serves what comes of it. */
export class HlsTimeline {
  readonly #timeline: StreamTimeline;
  readonly #deps: { clock: Clock; origin: Origin; pause: () => Promise<void> };
  #playlists: readonly LivePlaylist[] = [];
  #feeds: readonly SegmentFeed[] = [];
  /** Windows that were fed, by rung. */
  readonly #fed = new WeakMap<LivePlaylist, object>();

  constructor(
    timeline: StreamTimeline,
    deps: { clock: Clock; origin: Origin; pause: () => Promise<void> },
  ) {
    this.#timeline = timeline;
    this.#deps = deps;
  }

  get state(): TimelineState | undefined {
    const { leftAlone } = this.#timeline;
    if (leftAlone !== undefined) return { state: 'left', reason: leftAlone };
    return this.#feeds.length > 0 ? { state: 'anew' } : undefined;
  }

  /** Takes over which playlists make the stream. */
  update(rungs: readonly LivePlaylist[]): void {
    const before = this.#playlists;
    const isSame = rungs.length === before.length && rungs.every((rung, at) => rung === before[at]);
    if (isSame) return;
    this.#playlists = rungs;
    this.#timeline.setRungs(rungs.length);
    this.#feeds = rungs.map((_, rung) => this.#newFeed(rung));
  }

  /** Whether a playlist lists segments that were not read yet. */
  isHungry(playlist: LivePlaylist): boolean {
    const { window } = playlist;
    if (window === undefined || this.#timeline.leftAlone !== undefined) return false;
    return this.#playlists.includes(playlist) && this.#fed.get(playlist) !== window;
  }

  async feed(playlist: LivePlaylist): Promise<void> {
    const { window } = playlist;
    const rung = this.#playlists.indexOf(playlist);
    if (window === undefined || rung < 0) return;
    const why = leftByPlaylist(window);
    if (why !== undefined) this.#timeline.leaveAlone(why);
    else if (await this.#feeds[rung]?.read(window, (uri) => playlist.urlOf(uri))) {
      this.#fed.set(playlist, window);
      this.#timeline.retag(rung, tagsOf(window.bytes));
    }
  }

  /** The canonical playlist in place of the origin's; `undefined` where the origin's is to be served. */
  media(playlist: LivePlaylist): MediaSnapshot | 'aligning' | undefined {
    const rung = this.#playlists.indexOf(playlist);
    if (rung < 0 || this.state?.state !== 'anew') return undefined;
    const window = this.#timeline.window(rung);
    return (window && playlistSnapshot(window)) ?? 'aligning';
  }

  /** A canonical segment, or a range of it. */
  segment(path: string, range: string | undefined): StoredSegment | undefined {
    return storedSegment(this.#timeline, path, range);
  }

  /** On air only while what is offered is whole and goes on; `origin` is the state of what it is made of. */
  air(origin: AirState, now: Now): AirState {
    if (!origin.onAir || this.state?.state !== 'anew') return origin;
    if (!this.#timeline.isOffered) return { onAir: false, reason: 'aligning' };
    return this.#movedMsAgo(now.monoMs) > this.#standstillMsMax()
      ? { onAir: false, reason: 'frozen' }
      : origin;
  }

  #movedMsAgo(at: MonoMs): number {
    const times = this.#playlists.map(
      (_, rung) => this.#timeline.window(rung)?.newest?.publishedAt ?? at,
    );
    return at - Math.min(...times);
  }

  #standstillMsMax(): number {
    const targets = this.#playlists.map(({ snapshot }, rung) =>
      Math.max(
        snapshot?.targetDurationMs ?? 0,
        (this.#timeline.window(rung)?.targetDurationS ?? 0) * 1_000,
      ),
    );
    return standstillMsMax(Math.max(...targets));
  }

  #newFeed(rung: number): SegmentFeed {
    return new SegmentFeed({
      ...this.#deps,
      take: (fed, now) => this.#timeline.feed(rung, fed, now),
      leaveAlone: (why) => this.#timeline.leaveAlone(why),
    });
  }
}
