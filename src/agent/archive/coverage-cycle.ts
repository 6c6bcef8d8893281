import { archiveDepthMs } from '../../core/archive/archive-config.ts';
import { type ClockWatch, watchClock } from '../../core/archive/clock-watch.ts';
import { containers, type StreamConfig } from '../../core/stream/stream.ts';
import type { MonoMs, Now } from '../../core/time.ts';
import type { LiveStreams } from '../live-streams.ts';
import type { AskedSources } from './asked-sources.ts';
import type { Coverages } from './coverages.ts';
import type { OriginArchives } from './origin-archives.ts';
import type { Recorder } from './recorder.ts';
import type { Troubles } from './troubles.ts';
import { WatchedWindows } from './watched-windows.ts';

/** What was recorded or seen is told to the coverage this often, ms: each time it is written to the disk. */
const noteEveryMs = 10_000;

export type CoverageCycleDeps = {
  readonly live: Pick<LiveStreams, 'entry' | 'media' | 'watch' | 'allFacts' | 'config'>;
  readonly coverages: Coverages;
  readonly recorder: Recorder | undefined;
  readonly troubles: Troubles;
  readonly asked: AskedSources;
  readonly origins: Pick<OriginArchives, 'keep'>;
};

/** Learns from each stream's source what is recorded, and keeps the coverage true. */
export class CoverageCycle {
  readonly #deps: CoverageCycleDeps;
  readonly #windows: WatchedWindows;
  #configured: readonly StreamConfig[] = [];
  #streams: readonly StreamConfig[] = [];
  #notedAt: MonoMs = Number.NEGATIVE_INFINITY;
  #clockWatch: ClockWatch | undefined;

  constructor(deps: CoverageCycleDeps) {
    this.#deps = deps;
    this.#windows = new WatchedWindows(deps.live);
  }

  /** Streams that have an archive, as of the last tick. */
  get streams(): readonly StreamConfig[] {
    return this.#streams;
  }

  /** Once a second; need not be waited for. @throws store_failed */
  async tick(now: Now): Promise<void> {
    this.#configure();
    const watched = this.#streams.filter(({ archive }) => archive?.window !== undefined);
    const names = watched.map(({ name }) => name);
    this.#windows.look(names, now);
    if (now.monoMs - this.#notedAt >= noteEveryMs) {
      this.#notedAt = now.monoMs;
      this.#note(names);
    }
    this.#deps.troubles.expire(now);
    await this.#deps.asked.tick(this.#streams, now);
  }

  /**
   * Forgets what is older than the depth of its archive; now and then. Nothing by age while the clock may be wrong: until it
   * has been running for a while, and after it was set. @throws store_failed
   */
  async trim(now: Now): Promise<void> {
    this.#clockWatch = watchClock(this.#clockWatch, now);
    const { isSteady } = this.#clockWatch;
    const { coverages } = this.#deps;
    coverages.atOnce(() => {
      for (const { name, archive = {} } of isSteady ? this.#streams : [])
        for (const container of containers)
          coverages.trim(name, container, now.wallMs - archiveDepthMs(archive));
    });
    await this.#deps.recorder?.trim(now, isSteady);
  }

  /** What could not be written is told again the next time. */
  #note(watched: readonly string[]): void {
    const { recorder, coverages } = this.#deps;
    const recorded = recorder?.known() ?? [];
    coverages.atOnce(() => {
      for (const [name, stream] of recorded)
        for (const [container, ranges] of stream.untold) coverages.add(name, container, ranges);
      for (const name of watched)
        for (const [container, ranges] of this.#windows.untold(name))
          coverages.add(name, container, ranges);
    });
    for (const [, stream] of recorded) stream.told();
    for (const name of watched) this.#windows.told(name);
  }

  /** What is known of streams that are gone, or have no archive (any more), is forgotten. */
  #configure(): void {
    const { live, recorder, coverages, asked, origins } = this.#deps;
    const streams = live.allFacts().flatMap(({ name }) => live.config(name) ?? []);
    const isSame =
      streams.length === this.#configured.length &&
      streams.every((config, at) => config === this.#configured[at]);
    if (isSame) return;
    this.#configured = streams;
    this.#streams = streams.filter(({ archive }) => archive !== undefined);
    recorder?.configure(streams);
    asked.configure(this.#streams);
    origins.keep(this.#streams);
    const archived = new Set(this.#streams.map(({ name }) => name));
    coverages.atOnce(() => {
      for (const name of coverages.streams()) if (!archived.has(name)) coverages.remove(name);
    });
  }
}
