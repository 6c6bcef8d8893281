import type { StreamConfig, StreamFacts } from '../core/stream/stream.ts';
import type { Now } from '../core/time.ts';
import { keptSegment } from './kept-segment.ts';
import {
  type DueRead,
  type Entry,
  type MediaSnapshot,
  type MpdSnapshot,
  playlistBudgetMs,
  segmentBudgetMs,
} from './live-snapshots.ts';
import { LiveStream, type StreamDeps } from './live-stream.ts';
import { loadPlaylist, splitQuery } from './load-playlist.ts';
import type { OriginFault, OriginStream } from './ports.ts';
import { Segments, type StoredSegment } from './segments.ts';
import { matchStream, type StreamMatch } from './stream-match.ts';
import { within } from './within.ts';

/** Reads of all streams, and of one stream, under way at once: one that hangs leaves room for the others. */
const readsMax = 128;
const streamReadsMax = 6;

const unknownStream: OriginFault = { kind: 'fault', reason: 'unknown-stream' };

/**
 * The streams of this node and all that is known of them: the one writer. What requests ask for is there in memory; a
 * `tick` every 100 ms or so keeps it fresh. Streams of a group are always fresh, others while somebody watches: for these
 * `load` brings what is not there yet.
 */
export class LiveStreams {
  readonly #deps: StreamDeps;
  /** Called once for all streams that changed together. */
  readonly #onAirChange: () => void;
  readonly #streams = new Map<string, LiveStream>();
  readonly #reads = new Map<LiveStream, number>();
  #readCount = 0;
  #allFacts: readonly StreamFacts[] = [];
  #factsVersion = 0;
  #hasAirChanged = false;

  constructor(deps: Omit<StreamDeps, 'segments'> & { segmentCacheBytesMax?: number | undefined }) {
    const onAirChange = () => {
      this.#hasAirChanged = true;
    };
    this.#deps = { ...deps, onAirChange, segments: new Segments(deps) };
    this.#onAirChange = deps.onAirChange;
  }

  /** Takes over the whole list: streams whose origins stay keep all that is known of them. */
  configure(streams: readonly StreamConfig[], now: Now): void {
    const names = new Set(streams.map(({ name }) => name));
    for (const [name, stream] of this.#streams) {
      if (names.has(name)) continue;
      stream.close();
      this.#streams.delete(name);
    }
    for (const config of streams) {
      const known = this.#streams.get(config.name);
      if (known?.hasOriginsOf(config)) known.reconfigure(config);
      else {
        known?.close();
        this.#streams.set(config.name, new LiveStream(this.#deps, config));
      }
    }
    for (const stream of this.#streams.values()) stream.refresh(now);
    this.#collectFacts();
  }

  /** The stream with the longest name that `path` (of a URL, without leading slash, percent-encoded) begins with. */
  match(path: string): StreamMatch | undefined {
    return matchStream(path, (name) => this.#streams.get(name)?.config);
  }

  config(name: string): StreamConfig | undefined {
    return this.#streams.get(name)?.config;
  }

  facts(name: string): StreamFacts | undefined {
    return this.#streams.get(name)?.facts;
  }

  /** The same array as long as {@link factsVersion} is the same. */
  allFacts(): readonly StreamFacts[] {
    return this.#allFacts;
  }

  /** Rises whenever the facts of any stream changed. */
  get factsVersion(): number {
    return this.#factsVersion;
  }

  entry(name: string): Entry | undefined {
    return this.#streams.get(name)?.hls?.entry;
  }

  /** Whether the entry is known to be missing: {@link load} would only say so again. */
  hasFailed(name: string, now: Now): boolean {
    return this.#streams.get(name)?.hls?.hasFailed(now) === true;
  }

  /** `rest` is what follows the stream's name; a query on it counts only where two playlists have one path. */
  media(name: string, rest: string): MediaSnapshot | undefined {
    const [path, query] = splitQuery(rest);
    return this.#streams.get(name)?.hls?.media(path, query);
  }

  /** Whether `rest` names a media playlist, by its ending or because the entry says so. */
  isPlaylist(name: string, rest: string): boolean {
    const [path] = splitQuery(rest);
    return /\.m3u8?$/i.test(path) || this.#streams.get(name)?.hls?.isPlaylist(path) === true;
  }

  mpd(name: string): MpdSnapshot | undefined {
    return this.#streams.get(name)?.mpd?.snapshot;
  }

  /** Somebody watches the stream: it is kept fresh for the next 30 s. */
  watch(name: string, now: Now): void {
    this.#streams.get(name)?.watch(now.monoMs);
  }

  /**
   * What `entry`, `media` and `mpd` would give, read now if it is not fresh, within 1 s of `now`; a fault is remembered for
   * a moment. Everybody who asks meanwhile gets the same answer. The stream counts as watched, and its facts are current
   * when this settles.
   */
  load(name: string, what: 'entry', now: Now): Promise<Entry | OriginFault>;
  load(name: string, what: 'mpd', now: Now): Promise<MpdSnapshot | OriginFault>;
  load(name: string, rest: string, now: Now): Promise<MediaSnapshot | OriginFault>;
  async load(
    name: string,
    what: string,
    now: Now,
  ): Promise<Entry | MpdSnapshot | MediaSnapshot | OriginFault> {
    const stream = this.#streams.get(name);
    if (stream === undefined) return unknownStream;
    stream.watch(now.monoMs);
    const untilAt = now.monoMs + playlistBudgetMs;
    const loaded = await within(this.#deps, untilAt, loadPlaylist(stream, what, now));
    if (stream.refresh(this.#deps.clock.now())) this.#collectFacts();
    return loaded ?? { kind: 'fault', reason: 'no-such-protocol' };
  }

  /** LL-HLS `_HLS_msn` and `_HLS_part` of `query`: waits at the origin, once for everybody who waits for the same. */
  async blockingReload(
    name: string,
    rest: string,
    query: string,
    now: Now,
  ): Promise<MediaSnapshot | OriginFault> {
    const stream = this.#streams.get(name);
    stream?.watch(now.monoMs);
    return (await stream?.hls?.blockingReload(rest, query)) ?? unknownStream;
  }

  /** Everything that is no playlist. The first byte comes within 2 s or not at all. */
  async open(
    name: string,
    rest: string,
    query: string,
    range: string | undefined,
  ): Promise<StoredSegment | OriginStream | OriginFault> {
    const stream = this.#streams.get(name);
    if (stream === undefined) return unknownStream;
    const untilAt = this.#deps.clock.now().monoMs + segmentBudgetMs;
    return within(this.#deps, untilAt, stream.open(rest, query, range), (file) => {
      if (file.kind === 'stream') file.close();
    });
  }

  /** See {@link keptSegment}. */
  kept(name: string, rest: string): string | undefined {
    return keptSegment(this.#streams.get(name)?.hls, this.#deps.segments, rest);
  }

  /** This agent stood still for so long: nothing that did not come meanwhile is held against any stream. */
  excusePause(ms: number): void {
    for (const stream of this.#streams.values()) stream.excusePause(ms);
  }

  /** Starts the reads that are due and judges every stream. Settles when these reads have ended; need not be waited for. */
  async tick(now: Now): Promise<void> {
    const due: { stream: LiveStream; read: DueRead }[] = [];
    for (const stream of this.#streams.values())
      this.#guard(stream, () => {
        for (const read of stream.due(now)) due.push({ stream, read });
      });
    due.sort((a, b) => a.read.dueAt - b.read.dueAt);
    const started: Promise<void>[] = [];
    for (const { stream, read } of due) {
      const own = this.#reads.get(stream) ?? 0;
      if (this.#readCount < readsMax && own < streamReadsMax) started.push(this.#run(stream, read));
    }
    this.#refreshAll(now);
    await Promise.all(started);
  }

  close(): void {
    for (const stream of this.#streams.values()) stream.close();
    this.#streams.clear();
    this.#collectFacts();
  }

  async #run(stream: LiveStream, read: DueRead): Promise<void> {
    this.#count(stream, 1);
    try {
      await read.run();
    } catch (error) {
      this.#logBug(stream, error);
    }
    this.#count(stream, -1);
    this.#guard(stream, () => {
      if (stream.refresh(this.#deps.clock.now())) this.#collectFacts();
    });
  }

  /** What throws is a fault of this agent; it must not take other streams with it. */
  #guard(stream: LiveStream, work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#logBug(stream, error);
    }
  }

  #logBug(stream: LiveStream, error: unknown): void {
    const cause = error instanceof Error ? error.stack : String(error);
    this.#deps.log.error('stream failed', { stream: stream.config.name, cause });
  }

  #count(stream: LiveStream, change: 1 | -1): void {
    this.#readCount += change;
    const own = (this.#reads.get(stream) ?? 0) + change;
    if (own === 0) this.#reads.delete(stream);
    else this.#reads.set(stream, own);
  }

  #refreshAll(now: Now): void {
    let hasChanged = false;
    for (const stream of this.#streams.values())
      this.#guard(stream, () => {
        hasChanged = stream.refresh(now) || hasChanged;
      });
    if (hasChanged) this.#collectFacts();
  }

  #collectFacts(): void {
    const facts = [...this.#streams.values()].map((stream) => stream.facts);
    const known = this.#allFacts;
    const isSame = facts.length === known.length && facts.every((one, at) => one === known[at]);
    if (isSame) return;
    this.#allFacts = facts;
    this.#factsVersion += 1;
    if (!this.#hasAirChanged) return;
    this.#hasAirChanged = false;
    this.#onAirChange();
  }
}
