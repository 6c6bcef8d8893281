import { type ArchiveConfig, archiveDepthMs } from '../../core/archive/archive-config.ts';
import {
  type ArchiveFacts,
  type PackedRanges,
  packRanges,
} from '../../core/archive/archive-facts.ts';
import type { TimeRange } from '../../core/archive/ranges.ts';
import type { StreamConfig, StreamFacts } from '../../core/stream/stream.ts';
import type { MonoMs, Now } from '../../core/time.ts';
import type { ArchiveReader } from '../archive-ports.ts';
import type { Coverages } from './coverages.ts';

/** Recordings that grow are looked at again after this, ms: whether they still do is all that can have changed. */
const lookMs = 5_000;

type Told = { readonly live: StreamFacts; readonly facts: StreamFacts };

/** The address form of a media server's archive; undefined where it has none that gives playlists. */
export function archiveUrlOf(archive: ArchiveConfig): string | undefined {
  if (archive.url !== undefined) return archive.url;
  const kind = archive.api?.kind;
  if (kind === 'mediamtx') return undefined;
  return kind === 'nimble' ? 'nimble' : 'flussonic';
}

/** What this node tells others of its archives, beside what it tells of its live streams. */
export class OwnArchives {
  readonly #deps: {
    readonly coverages: Coverages;
    readonly reader: Pick<ArchiveReader, 'reads' | 'lists'>;
    readonly config: (name: string) => StreamConfig | undefined;
    readonly live: { readonly version: () => number; readonly facts: () => readonly StreamFacts[] };
  };
  readonly #told = new Map<string, Told>();
  #all: readonly StreamFacts[] = [];
  #version = 0;
  #madeOf = '';
  #madeAt: MonoMs = Number.NEGATIVE_INFINITY;

  constructor(deps: {
    coverages: Coverages;
    reader: Pick<ArchiveReader, 'reads' | 'lists'>;
    config: (name: string) => StreamConfig | undefined;
    live: { version: () => number; facts: () => readonly StreamFacts[] };
  }) {
    this.#deps = deps;
  }

  /** Facts of all own streams with their archives; the version rises whenever one of them changed. */
  facts(now: Now): { readonly version: number; readonly facts: readonly StreamFacts[] } {
    const { live, coverages } = this.#deps;
    const madeOf = `${live.version()} ${coverages.version}`;
    const isOld = now.monoMs - this.#madeAt >= lookMs;
    if (madeOf !== this.#madeOf || isOld) {
      this.#madeOf = madeOf;
      this.#madeAt = now.monoMs;
      this.#make(live.facts(), now);
    }
    return { version: this.#version, facts: this.#all };
  }

  /** What this node has of a stream over a protocol, sorted; nothing where it does not answer over that. */
  servable(name: string, protocol: 'hls' | 'dash', container: 'ts' | 'fmp4'): readonly TimeRange[] {
    return this.#answers(name)[protocol] ? this.#deps.coverages.ranges(name, container) : [];
  }

  #make(live: readonly StreamFacts[], now: Now): void {
    const all = live.map((facts) => this.#withArchive(facts, now));
    const isSame = all.length === this.#all.length && all.every((one, at) => one === this.#all[at]);
    if (isSame) return;
    this.#all = all;
    this.#version += 1;
    const names = new Set(live.map(({ name }) => name));
    for (const name of this.#told.keys()) if (!names.has(name)) this.#told.delete(name);
  }

  #withArchive(live: StreamFacts, now: Now): StreamFacts {
    const told = this.#told.get(live.name);
    const archive = this.#archiveOf(live.name, told?.facts.archive, now);
    if (told?.live === live && told.facts.archive === archive) return told.facts;
    const facts = archive === undefined ? live : { ...live, archive };
    this.#told.set(live.name, { live, facts });
    return facts;
  }

  #archiveOf(name: string, before: ArchiveFacts | undefined, now: Now): ArchiveFacts | undefined {
    const { coverages } = this.#deps;
    const pack = (container: 'ts' | 'fmp4', told: PackedRanges | undefined) =>
      packRanges(coverages.ranges(name, container), now.wallMs, told);
    const { archive } = this.#deps.config(name) ?? {};
    if (archive === undefined) return undefined;
    const ts = pack('ts', before?.ts);
    const fmp4 = pack('fmp4', before?.fmp4);
    const facts = { depthMs: archiveDepthMs(archive), ...this.#answers(name), ts, fmp4 };
    return before !== undefined && isSame(before, facts) ? before : facts;
  }

  /** Whether there is anything to answer with: own segments, or an archive of the media server. */
  #answers(name: string): Pick<ArchiveFacts, 'hls' | 'dash' | 'lists'> {
    const config = this.#deps.config(name);
    const { reader } = this.#deps;
    const reads = reader.reads(name);
    const hasUrl = config?.archive !== undefined && archiveUrlOf(config.archive) !== undefined;
    return {
      hls: reads || (hasUrl && config?.origin !== undefined),
      dash: !reads && hasUrl && config?.dash !== undefined,
      lists: reader.lists(name),
    };
  }
}

function isSame(a: ArchiveFacts, b: ArchiveFacts): boolean {
  const fields = Object.keys(b) as (keyof ArchiveFacts)[];
  return fields.every((field) => a[field] === b[field]);
}
