import { describeSegment, type SegmentDescription } from '../core/media/describe.ts';
import { makeMultivariant } from '../core/playlist/make-multivariant.ts';
import { compileMultivariant } from '../core/playlist/multivariant.ts';
import { bitRate, raiseBandwidth } from '../core/stream/bandwidth.ts';
import type { LiveWindow, WindowFile } from '../core/stream/live-window.ts';
import { livePlaylistPath } from '../core/stream/origin-paths.ts';
import type { MonoMs } from '../core/time.ts';
import { type Entry, type LiveDeps, playlistBudgetMs, retryMs } from './live-snapshots.ts';

/** Largest segment that is read to be described, bytes. */
const measuredBytesMax = 32 * 1024 * 1024;
/** Longest time that the entry is held back because no segment could be read, ms from the first window on. */
const measuringMsMax = 5000;
/** Announced when nothing could be measured: players must be told something. */
const bandwidthUnmeasured = 2_000_000;

/** The multivariant playlist of an origin that has only a media playlist, made up from what its segments are. */
export class MadeUpEntry {
  readonly #deps: LiveDeps;
  #description: SegmentDescription | undefined;
  #bandwidth = 0;
  #isMeasured = false;
  #measuring: Promise<void> | undefined;
  #faults = 0;
  #dueAt = Number.NEGATIVE_INFINITY;
  #firstAskedAt: MonoMs | undefined;
  #entry: Entry | undefined;

  constructor(deps: LiveDeps) {
    this.#deps = deps;
  }

  /** Undefined until measured. */
  get entry(): Entry | undefined {
    return this.#entry;
  }

  /** Whether a segment should be read now. */
  isDue(at: MonoMs): boolean {
    return !this.#isMeasured && this.#measuring === undefined && at >= this.#dueAt;
  }

  /** Reads one segment of the window, once; whoever asks meanwhile waits for the same reading. */
  async measure(window: LiveWindow, at: MonoMs): Promise<void> {
    this.#firstAskedAt ??= at;
    if (this.isDue(at))
      this.#measuring = this.#measure(window).finally(() => {
        this.#measuring = undefined;
      });
    await this.#measuring;
  }

  /** A segment was read for viewers: the peak bit rate may be higher than was announced. */
  raise(bytes: number, durationMs: number | undefined): void {
    const raised = raiseBandwidth(this.#bandwidth, bitRate(bytes, durationMs ?? 0) ?? 0);
    if (raised === this.#bandwidth) return;
    this.#bandwidth = raised;
    if (this.#isMeasured) this.#make();
  }

  async #measure(window: LiveWindow): Promise<void> {
    const segment = lastSegment(window);
    const init = [...window.files.values()].findLast(({ use }) => use === 'map');
    const [bytes, initBytes] = await Promise.all([this.#read(segment), this.#read(init)]);
    const now = this.#deps.clock.now().monoMs;
    if (bytes === undefined || (init !== undefined && initBytes === undefined)) {
      this.#faults += 1;
      this.#dueAt = now + retryMs(this.#faults);
      const waitedMs = now - (this.#firstAskedAt ?? now);
      if (waitedMs < measuringMsMax) return;
    }
    if (bytes !== undefined) {
      this.#description = describeSegment(bytes, initBytes);
      this.raise(bytes.length, segment?.durationMs);
    }
    // Byte ranges of one file tell their length without being read.
    for (const { byteRange, durationMs } of window.playlist.segments)
      if (byteRange !== undefined) this.raise(byteRange.length, durationMs);
    this.#isMeasured = true;
    this.#make();
  }

  async #read(file: WindowFile | undefined): Promise<Uint8Array | undefined> {
    if (file === undefined) return undefined;
    const limits = { deadlineMs: playlistBudgetMs, bytesMax: measuredBytesMax };
    const found = await this.#deps.origin.read(file.url, limits);
    return found.kind === 'body' ? found.bytes : undefined;
  }

  #make(): void {
    const at = this.#deps.clock.now().monoMs;
    this.#entry = madeUpEntry(this.#description, this.#bandwidth, at) ?? this.#entry;
  }
}

/** A multivariant playlist with one variant stream, the live media playlist; without what could not be measured. */
export function madeUpEntry(
  description: SegmentDescription | undefined,
  bandwidth: number,
  fetchedAt: MonoMs,
): Entry | undefined {
  const { codecs, resolution, frameRate } = description ?? {};
  const bytes = makeMultivariant({
    uri: livePlaylistPath,
    bandwidth: bandwidth || bandwidthUnmeasured,
    codecs: codecs || undefined,
    resolution,
    frameRate,
  });
  const template = compileMultivariant(bytes);
  return template && { kind: 'entry', template, bytes, madeUp: true, fetchedAt };
}

/** The newest whole segment: one without end-of-file surprises, and surely still there. */
function lastSegment({ files, playlist }: LiveWindow): WindowFile | undefined {
  const isListed = playlist.segments.some(({ gap }) => !gap);
  const whole = [...files.values()].filter(({ use, isWhole }) => use === 'segment' && isWhole);
  return isListed ? whole.at(-1) : undefined;
}
