import { locationPlace, type Mpd, readMpd, rebaseMpd } from '../core/stream/mpd.ts';
import { type AirWatch, airState, excusePause, neverSeen, observe } from '../core/stream/on-air.ts';
import type { OriginPlace } from '../core/stream/origin-paths.ts';
import type { WindowSize } from '../core/stream/settling.ts';
import type { AirState } from '../core/stream/stream.ts';
import type { MonoMs, Now } from '../core/time.ts';
import { type DueRead, type MpdSnapshot, playlistBudgetMs, retryMs } from './live-snapshots.ts';
import type { Clock, Origin, OriginBody, OriginFault } from './ports.ts';

const contentType = 'application/dash+xml';
const mpdBytesMax = 4 * 1024 * 1024;
/** How often an MPD is read, ms. */
const intervalMs = 1000;
/** By what an MPD that does not tell is judged, ms: its origin may be silent 1.5 times as long. */
const segmentDurationMsDefault = 4000;

/** The DASH side of one stream: its MPD. Its only writer. */
export class LiveMpd {
  readonly #deps: { readonly clock: Clock; readonly origin: Origin };
  readonly #place: OriginPlace;
  readonly #prefix: string;
  #watch: AirWatch = neverSeen;
  #snapshot: MpdSnapshot | undefined;
  #fault: OriginFault | undefined;
  #text: string | undefined;
  #changes = 0;
  #reading: Promise<MpdSnapshot | OriginFault> | undefined;
  #dueAt: MonoMs = Number.NEGATIVE_INFINITY;

  /** `prefix` is where viewers find the MPD's folder: empty for the top of the stream, or `~dash/`. */
  constructor(deps: { clock: Clock; origin: Origin }, place: OriginPlace, prefix: string) {
    this.#deps = deps;
    this.#place = place;
    this.#prefix = prefix;
  }

  get snapshot(): MpdSnapshot | undefined {
    return this.#snapshot;
  }

  due(now: Now): readonly DueRead[] {
    const isDue = this.#reading === undefined && this.#dueAt <= now.monoMs;
    return isDue ? [{ dueAt: this.#dueAt, run: () => this.#read() }] : [];
  }

  /** The MPD, read now unless fresh, or failed a moment ago. */
  async load(now: Now): Promise<MpdSnapshot | OriginFault> {
    const known = this.#fault ?? this.#snapshot;
    return known !== undefined && now.monoMs < this.#dueAt ? known : this.#read();
  }

  /** This agent stood still for so long. */
  excusePause(ms: number): void {
    this.#watch = excusePause(this.#watch, ms);
  }

  air(now: Now): AirState {
    return airState(this.#watch, now);
  }

  /** By what it is judged: of its segments nothing more is known than that there are some. */
  get size(): WindowSize | undefined {
    return this.#watch.window;
  }

  forget(): void {
    this.#watch = neverSeen;
    this.#snapshot = undefined;
    this.#fault = undefined;
    this.#text = undefined;
    this.#dueAt = Number.NEGATIVE_INFINITY;
  }

  #read(): Promise<MpdSnapshot | OriginFault> {
    this.#reading ??= this.#readNow().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #readNow(): Promise<MpdSnapshot | OriginFault> {
    const limits = { deadlineMs: playlistBudgetMs, bytesMax: mpdBytesMax };
    const found = await this.#deps.origin.read(this.#place.entry, limits);
    const now = this.#deps.clock.now();
    const taken = found.kind === 'fault' ? found : this.#take(found, now);
    if (taken.kind === 'mpd') {
      this.#fault = undefined;
      this.#snapshot = taken;
      this.#dueAt = now.monoMs + intervalMs;
    } else {
      this.#fault = taken;
      this.#watch = observe(this.#watch, taken, now);
      this.#dueAt = now.monoMs + retryMs(this.#watch.faults);
    }
    return taken;
  }

  #take(body: OriginBody, now: Now): MpdSnapshot | OriginFault {
    const text = textOf(body.bytes);
    const mpd = text === undefined ? undefined : readMpd(text);
    if (text === undefined || mpd === undefined)
      return { kind: 'fault', reason: 'playlist-invalid' };
    this.#observe(text, mpd, now);
    const where = { place: this.#place, url: body.url, prefix: this.#prefix };
    const rebased = rebaseMpd(text, mpd, where);
    const location = locationPlace(rebased, mpd);
    return { kind: 'mpd', text: rebased, location, contentType, fetchedAt: now.monoMs };
  }

  /** An MPD that lists its segments moves when its text changes; of any other every reading counts as movement. */
  #observe(text: string, mpd: Mpd, now: Now): void {
    if (text !== this.#text || mpd.segmentDurationMsMax === undefined) this.#changes += 1;
    this.#text = text;
    const window = {
      targetDurationMs: mpd.segmentDurationMsMax ?? segmentDurationMsDefault,
      mediaSequence: this.#changes,
      segments: 1,
      parts: 0,
      endList: !mpd.isDynamic,
    };
    this.#watch = observe(this.#watch, { kind: 'window', window }, now);
  }
}

/** Undefined when the bytes are not UTF-8: such a text could not be spliced without loss. */
function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
