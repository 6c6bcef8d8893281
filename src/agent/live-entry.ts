import { playlistLimits } from '../core/playlist/classify.ts';
import { compileMultivariant } from '../core/playlist/multivariant.ts';
import { isSameBytes } from '../core/stream/bytes.ts';
import { readEntryChildren } from '../core/stream/entry-children.ts';
import { hlsEntryPath, livePlaylistPath, type OriginPlace } from '../core/stream/origin-paths.ts';
import type { MonoMs, Now } from '../core/time.ts';
import type { EntryPlaylists } from './entry-playlists.ts';
import { type Entry, type LiveDeps, readIntervalMsMin, retryMs } from './live-snapshots.ts';
import { MadeUpEntry } from './made-up-entry.ts';
import type { OriginBody, OriginFault } from './ports.ts';

/** How often the entry is read while its playlists are well, ms. */
const entryIntervalMs = 10_000;
/** "There is no such playlist" counts when it was said twice. */
const absencesMax = 2;

/** The origin's entry, whichever kind of playlist it is; tells {@link EntryPlaylists} what it names. */
export class LiveEntry {
  readonly #deps: LiveDeps;
  readonly #place: OriginPlace;
  readonly #playlists: EntryPlaylists;
  readonly madeUp: MadeUpEntry;
  #kind: 'multivariant' | 'media' | undefined;
  #entry: Entry | undefined;
  #mapped: Uint8Array | undefined;
  #fault: OriginFault | undefined;
  #faults = 0;
  #reading: Promise<OriginFault | undefined> | undefined;
  #readAt = Number.NEGATIVE_INFINITY;
  #dueAt = Number.NEGATIVE_INFINITY;

  constructor(deps: LiveDeps, place: OriginPlace, playlists: EntryPlaylists) {
    this.#deps = deps;
    this.#place = place;
    this.#playlists = playlists;
    this.madeUp = new MadeUpEntry(deps);
  }

  /** Undefined until the entry was read and, where it is made up, measured. */
  get current(): Entry | undefined {
    return this.#kind === 'media' ? this.madeUp.entry : this.#entry;
  }

  /** Whether the origin's entry is only a media playlist. */
  get isMadeUp(): boolean {
    return this.#kind === 'media';
  }

  /**
   * Why the stream is off air whatever its playlists say: the entry never came, or is definitely gone. Other faults of
   * the entry show in the playlists, or harm nobody.
   */
  get fault(): OriginFault | undefined {
    const fault = this.#fault;
    if (fault === undefined || this.#kind === undefined) return fault;
    const isAbsent = fault.status === 404 || fault.status === 410;
    const isDefinite = fault.reason === 'playlist-invalid' || fault.reason === 'origin-refused';
    return isDefinite || (isAbsent && this.#faults >= absencesMax) ? fault : undefined;
  }

  /** When it has to be read again; undefined while it is being read. */
  get dueAt(): MonoMs | undefined {
    return this.#reading === undefined ? this.#dueAt : undefined;
  }

  /** A playlist failed: it may have got another URI in the meantime (a new session, a packager that began anew). */
  hurry(): void {
    this.#dueAt = Math.min(
      this.#dueAt,
      this.#readAt + Math.max(readIntervalMsMin, this.#retryMs()),
    );
  }

  /** Reads the entry unless it is known, or failed a moment ago. */
  async load(now: Now, deadlineMs: number): Promise<OriginFault | undefined> {
    return this.#kind === undefined ? (this.known(now) ?? this.read(deadlineMs)) : this.fault;
  }

  /** The fault that {@link load} would give without reading; undefined: none, or it would read. */
  known(now: Now): OriginFault | undefined {
    if (this.#kind !== undefined) return this.fault;
    return now.monoMs < this.#dueAt ? this.#fault : undefined;
  }

  /** Reads the entry; whoever asks while it is being read gets the same answer. */
  read(deadlineMs: number): Promise<OriginFault | undefined> {
    this.#reading ??= this.#read(deadlineMs).finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  forget(): void {
    this.#kind = undefined;
    this.#entry = undefined;
    this.#mapped = undefined;
    this.#fault = undefined;
    this.#faults = 0;
    this.#dueAt = Number.NEGATIVE_INFINITY;
  }

  async #read(deadlineMs: number): Promise<OriginFault | undefined> {
    this.#readAt = this.#deps.clock.now().monoMs;
    const takesBefore = this.#playlists.rungs[0]?.takes ?? 0;
    const limits = { deadlineMs, bytesMax: playlistLimits.bodyBytesMax };
    const found = await this.#deps.origin.read(this.#place.entry, limits);
    const fault = found.kind === 'fault' ? found : this.#take(found, takesBefore);
    const now = this.#deps.clock.now().monoMs;
    this.#fault = fault;
    this.#faults = fault === undefined ? 0 : this.#faults + 1;
    // A media playlist is kept fresh as such; as an entry it is only looked at again when it fails.
    const intervalMs = this.isMadeUp ? Number.POSITIVE_INFINITY : entryIntervalMs;
    this.#dueAt = now + (fault === undefined ? intervalMs : this.#retryMs());
    return fault;
  }

  #take(body: OriginBody, takesBefore: number): OriginFault | undefined {
    switch (this.#deps.readMeaning(body.bytes)?.kind) {
      case 'multivariant':
        return this.#takeMultivariant(body);
      case 'media':
        return this.#takeMedia(body, takesBefore);
      case undefined:
        return { kind: 'fault', reason: 'playlist-invalid' };
    }
  }

  #takeMultivariant(body: OriginBody): OriginFault | undefined {
    const at = { url: body.url, path: hlsEntryPath };
    const { bytes, children } = readEntryChildren(this.#place, at, body.bytes);
    const isSame =
      this.#entry !== undefined && this.#mapped !== undefined && isSameBytes(this.#mapped, bytes);
    const template = isSame ? this.#entry?.template : compileMultivariant(bytes);
    if (template === undefined) return { kind: 'fault', reason: 'playlist-invalid' };
    const fetchedAt = this.#deps.clock.now().monoMs;
    this.#entry = { kind: 'entry', template, bytes, madeUp: false, fetchedAt };
    this.#mapped = bytes;
    this.#kind = 'multivariant';
    this.#playlists.update(children, template.ladder);
    return undefined;
  }

  #takeMedia(body: OriginBody, takesBefore: number): OriginFault | undefined {
    this.#kind = 'media';
    const child = { path: livePlaylistPath, query: '', url: this.#place.entry };
    const variants = [{ uri: livePlaylistPath, bandwidth: 0 }];
    this.#playlists.update([child], { variants, renditions: [] });
    const taken = this.#playlists.rungs[0]?.take(body, takesBefore);
    return taken?.kind === 'fault' ? taken : undefined;
  }

  #retryMs(): number {
    return retryMs(this.#faults);
  }
}
