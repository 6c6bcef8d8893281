import { subtractRanges, type TimeRange } from '../../core/archive/ranges.ts';
import { isCovered, middleOf, partsAround, sampleAt } from '../../core/archive/samples.ts';
import { mapUris } from '../../core/playlist/map-uris.ts';
import { readMediaPlaylist } from '../../core/playlist/media-playlist.ts';
import { containers, type StreamConfig } from '../../core/stream/stream.ts';
import type { Now } from '../../core/time.ts';
import type { OriginFault } from '../ports.ts';
import type { Coverages } from './coverages.ts';
import { type OriginArchives, type OriginPeriod, originPrefix } from './origin-archives.ts';
import type { Troubles } from './troubles.ts';

/** Parts that a range is looked at in when some of it is gone. */
const partsMax = 16;
/** The newest is not looked for: media servers write it late, ms. */
const settledMs = 120_000;

/** Whether the media server has a period; undefined when it does not say. */
type Verdict = 'there' | 'gone' | undefined;

/**
 * Asks media servers for samples of what is only believed to be recorded: seen in the live window, or told by a recorder.
 * What is missing twice in a row is looked at in parts, and the missing parts are believed no more.
 */
export class SampledCheck {
  readonly #deps: {
    readonly origins: Pick<OriginArchives, 'read' | 'readChild'>;
    readonly coverages: Coverages;
    readonly troubles: Troubles;
  };
  /** By stream. */
  readonly #suspects = new Map<string, TimeRange>();
  #turn = 0;

  constructor(deps: {
    origins: Pick<OriginArchives, 'read' | 'readChild'>;
    coverages: Coverages;
    troubles: Troubles;
  }) {
    this.#deps = deps;
  }

  /** One look at one sample of each stream. @throws store_failed */
  async check(streams: readonly StreamConfig[], now: Now): Promise<void> {
    this.#turn += 1;
    for (const config of streams) {
      const { archive, origin } = config;
      const isBelieved = archive?.window !== undefined || archive?.push === true;
      const canTell = origin !== undefined && archive?.url !== undefined;
      if (isBelieved && canTell) await this.#checkOne(config, now);
    }
  }

  async #checkOne(config: StreamConfig, now: Now): Promise<void> {
    const { name } = config;
    const ranges = this.#settled(name, now);
    const suspect = this.#suspects.get(name);
    this.#suspects.delete(name);
    const isAgain = suspect !== undefined && isCovered(ranges, suspect);
    const sample = isAgain ? suspect : sampleAt(ranges, this.#turn);
    if (sample === undefined || (await this.#verdict(config, sample, now)) !== 'gone') return;
    if (isAgain) await this.#remove(config, ranges, sample, now);
    else this.#suspects.set(name, sample);
  }

  async #remove(
    config: StreamConfig,
    ranges: readonly TimeRange[],
    sample: TimeRange,
    now: Now,
  ): Promise<void> {
    const gone: TimeRange[] = [sample];
    for (const part of partsAround(ranges, sample, partsMax))
      if ((await this.#verdict(config, middleOf(part), now)) === 'gone') gone.push(part);
    this.#deps.troubles.raise(config.name, { reason: 'recording-lost' }, now);
    for (const container of containers) this.#deps.coverages.subtract(config.name, container, gone);
  }

  #settled(name: string, now: Now): readonly TimeRange[] {
    const ranges = containers
      .map((container) => this.#deps.coverages.ranges(name, container))
      .find(({ length }) => length > 0);
    const newest = { startMs: now.wallMs - settledMs, endMs: Number.MAX_SAFE_INTEGER };
    return subtractRanges(ranges ?? [], [newest]);
  }

  async #verdict(config: StreamConfig, sample: TimeRange, now: Now): Promise<Verdict> {
    const startMs = Math.floor(sample.startMs / 1_000) * 1_000;
    const endMs = Math.ceil(sample.endMs / 1_000) * 1_000;
    const period = { startMs, endMs, grows: false };
    const { origins } = this.#deps;
    const found = await origins.read(config, { protocol: 'hls', period, nowMs: now.wallMs });
    if (found.kind !== 'multivariant') return judge(found);
    const child = firstChild(found.bytes);
    return child === undefined ? 'there' : judge(await origins.readChild(config, child));
  }
}

function judge(found: OriginPeriod | OriginFault): Verdict {
  if (found.kind === 'fault')
    return found.status === 404 || found.status === 410 ? 'gone' : undefined;
  if (found.kind !== 'media') return undefined;
  const segments = readMediaPlaylist(found.bytes)?.segments ?? [];
  return segments.length === 0 ? 'gone' : 'there';
}

/** The first media playlist that is named, as {@link OriginArchives.readChild} wants it. */
function firstChild(
  bytes: Uint8Array,
): { readonly path: string; readonly query: string } | undefined {
  const uris: string[] = [];
  mapUris(bytes, (uri, use) => {
    if (use === 'playlist') uris.push(uri);
    return undefined;
  });
  const own = uris.find((uri) => uri.startsWith(originPrefix))?.slice(originPrefix.length);
  if (own === undefined) return undefined;
  const [path = '', query = ''] = own.split('?', 2);
  return { path, query };
}
