import {
  dashEntryPath,
  dashPath,
  hlsEntryPath,
  type OriginPlace,
  originPlace,
  toOriginUrl,
} from '../core/stream/origin-paths.ts';
import type { AirState, HlsFacts, StreamConfig, StreamFacts } from '../core/stream/stream.ts';
import type { MonoMs, Now } from '../core/time.ts';
import { Hold } from './hold.ts';
import { LiveFeed } from './live-feed.ts';
import { type HlsSide, LiveHls } from './live-hls.ts';
import { LiveMpd } from './live-mpd.ts';
import { type DueRead, type ReadMeaning, segmentBudgetMs } from './live-snapshots.ts';
import type {
  Clock,
  Log,
  OpenFeed,
  OpenOrigin,
  Origin,
  OriginFault,
  OriginStream,
  Timers,
} from './ports.ts';
import { isSameAir, isSameDash, isSameHls, isSameShallow, keepSame } from './same-facts.ts';
import type { Segments, StoredSegment } from './segments.ts';
import { isCaptions, movedCaptions } from './timeline/moved-captions.ts';
import type { StreamTimeline } from './timeline/stream-timeline.ts';

/** How long a stream outside of any group is kept fresh after somebody watched it last, ms. */
const watchedMsMax = 30_000;

export type StreamDeps = {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  readonly openOrigin: OpenOrigin;
  readonly readMeaning: ReadMeaning;
  readonly segments: Segments;
  /** Lets others have their turn. */
  readonly pause: () => Promise<void>;
  /** Whether an entry is a transport stream that the agent packages itself. */
  readonly isFeed: (entry: string) => boolean;
  readonly openFeed: OpenFeed;
  /** The timeline of a stream that begins; undefined for one that is not written anew by its configuration. */
  readonly openTimeline: (config: StreamConfig, isFeed: boolean) => StreamTimeline | undefined;
  readonly closeTimeline: (timeline: StreamTimeline) => void;
  /** Whether another node could serve a stream of this one to somebody. */
  readonly canOthersServe: (stream: string, protocol: 'hls' | 'dash', now: Now) => boolean;
  /** A stream has left the air or is on air again, or is off air for another reason. */
  readonly onAirChange: () => void;
};

/** One configured stream with its origins. A fault of its origins stays here. */
export class LiveStream {
  readonly #deps: StreamDeps;
  #config: StreamConfig;
  readonly hls: HlsSide | undefined;
  readonly mpd: LiveMpd | undefined;
  /** Where files are that are named without a prefix, and where those of the MPD are. */
  readonly #files: { place: OriginPlace; origin: Origin } | undefined;
  readonly #dashFiles: { place: OriginPlace; origin: Origin } | undefined;
  readonly #origins: readonly Origin[];
  #timeline: StreamTimeline | undefined;
  readonly #holds = { hls: new Hold(), dash: new Hold() };
  #watchedAt: MonoMs = Number.NEGATIVE_INFINITY;
  #isIdle = true;
  #facts: StreamFacts;

  /** Opens the origins. An entry that cannot be opened is logged; the stream is then off air for good. */
  constructor(deps: StreamDeps, config: StreamConfig) {
    this.#deps = deps;
    this.#config = config;
    const { name, origin: entry } = config;
    const isFeed = entry !== undefined && deps.isFeed(entry);
    const hls = isFeed ? undefined : this.#open(entry, hlsEntryPath);
    const dash = this.#open(config.dash, dashEntryPath);
    this.#origins = [hls, dash].flatMap((opened) => opened?.origin ?? []);
    this.#files = hls ?? dash;
    this.#dashFiles = dash;
    if (isFeed) this.hls = new LiveFeed(deps, { name, entry });
    else if (hls !== undefined) this.hls = new LiveHls({ ...deps, origin: hls.origin }, hls.place);
    this.#openTimeline(isFeed);
    const isBeside = hls === undefined || hls.place.folder === dash?.place.folder;
    if (dash !== undefined)
      this.mpd = new LiveMpd(
        { clock: deps.clock, origin: dash.origin },
        dash.place,
        isBeside ? '' : '~dash/',
      );
    this.#facts = this.#observe(deps.clock.now());
  }

  get config(): StreamConfig {
    return this.#config;
  }

  /** The same object as long as nothing changed. */
  get facts(): StreamFacts {
    return this.#facts;
  }

  /** Whether `config` has the same origins, so that only {@link reconfigure} is needed. */
  hasOriginsOf(config: StreamConfig): boolean {
    return config.origin === this.#config.origin && config.dash === this.#config.dash;
  }

  reconfigure(config: StreamConfig): void {
    const { group, source, canonical } = this.#config;
    const isSameTimeline =
      config.group === group && config.source === source && config.canonical === canonical;
    this.#config = config;
    if (isSameTimeline) return;
    this.#closeTimeline();
    this.#openTimeline(this.hls instanceof LiveFeed);
    this.#holds.hls.forget();
  }

  watch(at: MonoMs): void {
    this.#watchedAt = at;
  }

  /** Reads that are due; none for a stream that nobody needs, which is forgotten. */
  due(now: Now): readonly DueRead[] {
    const isNeeded =
      this.#config.group !== undefined || now.monoMs - this.#watchedAt <= watchedMsMax;
    if (!isNeeded && !this.#isIdle) {
      this.hls?.forget();
      this.mpd?.forget();
      this.#holds.hls.forget();
      this.#holds.dash.forget();
    }
    this.#isIdle = !isNeeded;
    return isNeeded ? [...(this.hls?.due(now) ?? []), ...(this.mpd?.due(now) ?? [])] : [];
  }

  /** This agent stood still for so long: that is no fault of the origins. */
  excusePause(ms: number): void {
    this.hls?.excusePause(ms);
    this.mpd?.excusePause(ms);
  }

  /** Judges the stream anew; true when anything that others are told has changed. */
  refresh(now: Now): boolean {
    const before = this.#facts;
    this.#facts = this.#observe(now, before);
    if (this.#facts === before) return false;
    this.#noteAir('hls', before.hls?.air, this.#facts.hls?.air);
    this.#noteAir('dash', before.dash?.air, this.#facts.dash?.air);
    return true;
  }

  /** A file of the stream: from memory where a live window names it, else through from the origin. */
  async open(
    path: string,
    query: string,
    range: string | undefined,
  ): Promise<StoredSegment | OriginStream | OriginFault> {
    const segment = this.hls?.segment(path, range);
    if (segment !== undefined) return segment;
    const below = dashPath(path);
    const files = below === undefined ? this.#files : this.#dashFiles;
    if (files === undefined) return { kind: 'fault', reason: 'not-found' };
    const known = below === undefined ? this.hls?.file(path) : undefined;
    const url = known?.file.url ?? toOriginUrl(files.place, below ?? path, query);
    if (url === undefined) return { kind: 'fault', reason: 'path-invalid' };
    const request = (part?: string) =>
      files.origin.open(url, { range: part, firstByteMs: segmentBudgetMs });
    const movesWithPictures = below === undefined && isCaptions(path);
    const offsetTicks = movesWithPictures ? this.#timeline?.offsetTicks : undefined;
    const part = offsetTicks === undefined ? range : undefined;
    const { segments } = this.#deps;
    const read = known?.file.isWhole
      ? await segments.open(known.file.id, request, { range: part, onComplete: known.onComplete })
      : await request(part);
    const found =
      offsetTicks === undefined ? read : await movedCaptions(read, { offsetTicks, range });
    const isAbsent = found.kind === 'fault' && (found.status === 404 || found.status === 410);
    return isAbsent ? { ...found, reason: 'not-found' } : found;
  }

  close(): void {
    this.hls?.close();
    this.#closeTimeline();
    for (const origin of this.#origins) origin.close();
  }

  #open(
    entry: string | undefined,
    fileName: string,
  ): { place: OriginPlace; origin: Origin } | undefined {
    const place = entry === undefined ? undefined : originPlace(entry, fileName);
    if (entry === undefined) return undefined;
    try {
      const origin = this.#deps.openOrigin(entry);
      if (place !== undefined) return { place, origin };
      origin.close();
    } catch (error) {
      this.#deps.log.error('origin not opened', {
        stream: this.#config.name,
        cause: String(error),
      });
    }
    return undefined;
  }

  #openTimeline(isFeed: boolean): void {
    this.#timeline = this.hls && this.#deps.openTimeline(this.#config, isFeed);
    this.hls?.follow(this.#timeline);
  }

  #closeTimeline(): void {
    if (this.#timeline !== undefined) this.#deps.closeTimeline(this.#timeline);
  }

  #observe(now: Now, before?: StreamFacts): StreamFacts {
    const { name, group, reserve, source, origin, dash } = this.#config;
    const closed: AirState = { onAir: false, reason: 'origin-refused' };
    const found = this.hls?.facts(now, before?.hls) ?? { air: closed, lowLatency: false };
    const hls: HlsFacts = { ...found, air: this.#settled('hls', found.air, now) };
    const mpd = { air: this.#settled('dash', this.mpd?.air(now) ?? closed, now) };
    const facts = {
      name,
      group,
      reserve,
      source,
      hls: origin === undefined ? undefined : keepSame(before?.hls, hls, isSameHls),
      dash: dash === undefined ? undefined : keepSame(before?.dash, mpd, isSameDash),
    };
    return keepSame(before, facts, isSameShallow);
  }

  /** As it is told: not before the stream has settled. */
  #settled(protocol: 'hls' | 'dash', air: AirState, now: Now): AirState {
    const window = protocol === 'hls' ? this.hls?.size : this.mpd?.size;
    const canOthersServe = () => this.#deps.canOthersServe(this.#config.name, protocol, now);
    return this.#holds[protocol].air({ air, window, canOthersServe }, now.monoMs);
  }

  #noteAir(protocol: 'hls' | 'dash', before: AirState | undefined, after: AirState | undefined) {
    if (after === undefined || (before !== undefined && isSameAir(before, after))) return;
    this.#deps.onAirChange();
    const fields = { stream: this.#config.name, protocol };
    if (after.onAir) this.#deps.log.info('stream on air', fields);
    else this.#deps.log.warn('stream off air', { ...fields, reason: after.reason });
  }
}
