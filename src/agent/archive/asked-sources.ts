import { archiveDepthMs } from '../../core/archive/archive-config.ts';
import type { TimeRange } from '../../core/archive/ranges.ts';
import { rungPath } from '../../core/archive/rung-path.ts';
import { livePlaylistPath } from '../../core/stream/origin-paths.ts';
import { type Container, containers, type StreamConfig } from '../../core/stream/stream.ts';
import type { MonoMs, Now } from '../../core/time.ts';
import type {
  AskRecordings,
  OpenScannedFolder,
  ScannedFolder,
  SegmentFolder,
} from '../archive-ports.ts';
import type { LiveStreams } from '../live-streams.ts';
import { namePath } from '../viewing-parts.ts';
import type { Coverages } from './coverages.ts';
import type { Troubles } from './troubles.ts';

/** A folder is scanned, and a media server asked, this often, ms. */
const everyMs = 30_000;
/** Sources that are read at once. */
const readsMax = 4;

export type AskedSourcesDeps = {
  readonly live: Pick<LiveStreams, 'entry' | 'watch'>;
  readonly coverages: Coverages;
  readonly troubles: Troubles;
  /** Absent: folders, or media servers, are not read. */
  readonly openScannedFolder?: OpenScannedFolder | undefined;
  readonly askRecordings?: AskRecordings | undefined;
};

type Asked = {
  readonly source: string;
  readonly folder: ScannedFolder | undefined;
  /** Paths of the live media playlists, as they were known last. */
  rungs: readonly string[];
  readAt: MonoMs;
  isReading: boolean;
};

/** Streams whose archive is in a folder, or at a media server that says what it has: their word is the whole truth. */
export class AskedSources {
  readonly #deps: AskedSourcesDeps;
  readonly #asked = new Map<string, Asked>();
  #reads = 0;

  constructor(deps: AskedSourcesDeps) {
    this.#deps = deps;
  }

  /** Whether the segments of the stream are in a folder of this node. */
  reads(name: string): boolean {
    return this.#asked.get(name)?.folder !== undefined;
  }

  /** The folder, its segments offered under the live media playlists: it stands for all of them. */
  folder(name: string): SegmentFolder | undefined {
    const asked = this.#asked.get(name);
    const folder = asked?.folder;
    if (asked === undefined || folder === undefined) return undefined;
    return {
      folder: folder.folder,
      rungs: () => this.#rungs(name, asked, folder),
      entry: () => folder.entry(),
      list: (rung, period) => folder.list(rung, period),
      urlOf: (rung, file) => folder.urlOf(rung, file),
    };
  }

  configure(streams: readonly StreamConfig[]): void {
    const wanted = new Map(streams.map((config) => [config.name, config]));
    for (const [name, { source }] of this.#asked)
      if (sourceOf(wanted.get(name)) !== source) this.#asked.delete(name);
    for (const config of streams) {
      const source = sourceOf(config);
      if (source === undefined || this.#asked.has(config.name)) continue;
      const { directory } = config.archive ?? {};
      const folder =
        directory && this.#deps.openScannedFolder?.({ ...directory, stream: config.name });
      const asked = {
        source,
        folder,
        rungs: [livePlaylistPath],
        readAt: Number.NEGATIVE_INFINITY,
        isReading: false,
      };
      this.#asked.set(config.name, asked);
    }
  }

  /** Reads what is due. Need not be waited for. @throws store_failed */
  async tick(streams: readonly StreamConfig[], now: Now): Promise<void> {
    const work: Promise<void>[] = [];
    for (const config of streams) {
      const asked = this.#asked.get(config.name);
      // The names of the live media playlists are those of the recorded ones.
      if (asked?.folder !== undefined) this.#deps.live.watch(config.name, now);
      const isDue = asked !== undefined && now.monoMs - asked.readAt >= everyMs;
      if (!isDue || asked.isReading || this.#reads >= readsMax) continue;
      asked.readAt = now.monoMs;
      asked.isReading = true;
      this.#reads += 1;
      work.push(
        this.#read(config, asked, now).finally(() => {
          asked.isReading = false;
          this.#reads -= 1;
        }),
      );
    }
    await Promise.all(work);
  }

  async #read({ name, archive = {} }: StreamConfig, asked: Asked, now: Now): Promise<void> {
    const period = { startMs: now.wallMs - archiveDepthMs(archive), endMs: now.wallMs };
    const found = await this.#ask(name, archive, { asked, period });
    // The stream was given another source meanwhile.
    if (found === undefined || this.#asked.get(name) !== asked) return;
    const { coverages, troubles } = this.#deps;
    if (found.kind === 'fault') {
      troubles.raise(name, { reason: 'coverage-source-failed', cause: found.cause }, now);
      return;
    }
    troubles.clear(name, 'coverage-source-failed');
    for (const container of containers)
      coverages.replace(name, container, found.ranges(container).flatMap(within(period)));
  }

  async #ask(
    name: string,
    archive: NonNullable<StreamConfig['archive']>,
    { asked, period }: { asked: Asked; period: TimeRange },
  ) {
    if (asked.folder !== undefined) {
      const scanned = await asked.folder.scan(period.endMs, period.startMs);
      if (scanned.kind === 'fault') return scanned;
      const ranges = (container: Container) =>
        scanned.ranges.filter((one) => one.container === container).map(({ range }) => range);
      return { kind: 'recorded', ranges } as const;
    }
    const { askRecordings } = this.#deps;
    if (archive.api === undefined || askRecordings === undefined) return undefined;
    const { kind, url } = archive.api;
    const answer = await askRecordings({ kind, url: streamUrl(url, name) }, period);
    if (answer.kind === 'fault') return answer;
    const ranges = (container: Container) =>
      answer.containers.includes(container) ? answer.ranges : [];
    return { kind: 'recorded', ranges } as const;
  }

  #rungs(name: string, asked: Asked, folder: ScannedFolder) {
    const variants = this.#deps.live.entry(name)?.template.ladder.variants ?? [];
    const paths = variants.map(({ uri }) => rungPath(uri));
    if (paths.length > 0) asked.rungs = [...new Set(paths)];
    return folder.rungs().flatMap((known) => asked.rungs.map((rung) => ({ ...known, rung })));
  }
}

/** Tells two configurations of a source apart; undefined for a stream without one that is asked. */
function sourceOf(config: StreamConfig | undefined): string | undefined {
  const { directory, api } = config?.archive ?? {};
  return directory === undefined && api === undefined
    ? undefined
    : JSON.stringify([directory, api]);
}

/** The address that names the stream; one without a path means a stream of the same name. */
function streamUrl(url: string, name: string): string {
  const parsed = new URL(url);
  if (parsed.pathname === '/') parsed.pathname = `/${namePath(name)}`;
  return parsed.href;
}

function within(period: TimeRange): (range: TimeRange) => readonly TimeRange[] {
  return ({ startMs, endMs }) => {
    // What is being recorded right now may be told a little ahead of this node's clock.
    const cut = { startMs: Math.max(startMs, period.startMs), endMs };
    return cut.startMs < cut.endMs ? [cut] : [];
  };
}
