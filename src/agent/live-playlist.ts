import { playlistLimits } from '../core/playlist/classify.ts';
import { isSameBytes } from '../core/stream/bytes.ts';
import { type LiveWindow, mapLiveWindow } from '../core/stream/live-window.ts';
import {
  type AirWatch,
  airState,
  excusePause,
  isMovementDue,
  neverSeen,
  observe,
} from '../core/stream/on-air.ts';
import { type OriginPlace, resolveUri, toViewerPath } from '../core/stream/origin-paths.ts';
import type { AirState } from '../core/stream/stream.ts';
import type { MonoMs, Now } from '../core/time.ts';
import { BlockingReloads } from './blocking-reloads.ts';
import { type LiveDeps, type MediaSnapshot, readIntervalMsMin, retryMs } from './live-snapshots.ts';
import type { OriginBody, OriginFault } from './ports.ts';
import { WindowFiles } from './window-files.ts';

const contentType = 'application/vnd.apple.mpegurl';

/** One media playlist of the origin, kept fresh for all its viewers. Its only writer. */
export class LivePlaylist {
  readonly #deps: LiveDeps;
  readonly #place: OriginPlace;
  readonly #path: string;
  #url: string;
  #watch: AirWatch = neverSeen;
  #window: LiveWindow | undefined;
  #body: OriginBody | undefined;
  #snapshot: MediaSnapshot | undefined;
  #fault: OriginFault | undefined;
  #reading: Promise<MediaSnapshot | OriginFault> | undefined;
  #dueAt = Number.NEGATIVE_INFINITY;
  #takes = 0;
  readonly files: WindowFiles;
  readonly #blocking: BlockingReloads;

  /** `path` is where viewers find it, `url` where it is at the origin now. */
  constructor(deps: LiveDeps, place: OriginPlace, at: { path: string; url: string }) {
    this.#deps = deps;
    this.#place = place;
    this.#path = at.path;
    this.#url = at.url;
    this.files = new WindowFiles(deps.segments);
    this.#blocking = new BlockingReloads(deps);
  }

  get snapshot(): MediaSnapshot | undefined {
    return this.#snapshot;
  }

  get window(): LiveWindow | undefined {
    return this.#window;
  }

  get watch(): AirWatch {
    return this.#watch;
  }

  get dueAt(): MonoMs {
    return this.#dueAt;
  }

  get isReading(): boolean {
    return this.#reading !== undefined;
  }

  /** Where a URI of the window is at the origin; undefined for one that is elsewhere. */
  urlOf(uri: string): string | undefined {
    const at = { url: this.#body?.url ?? this.#url, path: this.#path };
    const isHere = toViewerPath(this.#place, at, uri) !== undefined;
    return isHere ? resolveUri(at, uri) : undefined;
  }

  /** Bodies taken in so far. */
  get takes(): number {
    return this.#takes;
  }

  /** This agent stood still for so long. */
  excusePause(ms: number): void {
    this.#watch = excusePause(this.#watch, ms);
  }

  air(now: Now): AirState {
    return airState(this.#watch, now);
  }

  /** The origin's own URI changed (a new session, as a rule): what failed under the old one is tried at once. */
  move(url: string): void {
    if (url === this.#url) return;
    this.#url = url;
    this.#dueAt = Number.NEGATIVE_INFINITY;
  }

  /** Reads the playlist; whoever asks while it is being read gets the same answer. */
  read(deadlineMs: number): Promise<MediaSnapshot | OriginFault> {
    this.#reading ??= this.#read(deadlineMs).finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  /** What is there if it is fresh, or failed a moment ago; else what the origin says now. */
  async load(now: Now, deadlineMs: number): Promise<MediaSnapshot | OriginFault> {
    const known = this.#fault ?? this.#snapshot;
    return known !== undefined && now.monoMs < this.#dueAt ? known : this.read(deadlineMs);
  }

  /** LL-HLS: waits at the origin for the segment or part that `query` names. */
  blockingReload(query: string): Promise<MediaSnapshot | OriginFault> {
    return this.#blocking.wait({
      url: this.#url,
      query,
      window: this.#window,
      snapshot: this.#snapshot,
      take: (body, takesBefore) => this.take(body, takesBefore),
      takes: this.#takes,
    });
  }

  /** Takes in a body that was asked for when {@link takes} was `takesBefore`. */
  take(body: OriginBody, takesBefore: number): MediaSnapshot | OriginFault {
    const now = this.#deps.clock.now();
    const window = this.#windowOf(body);
    if (window === undefined) return this.#fail({ kind: 'fault', reason: 'playlist-invalid' }, now);
    // Two answers may pass each other on their way: the one that was asked for first must not look like a step back.
    if (takesBefore < this.#takes && this.#snapshot !== undefined && this.#isBehind(window))
      return this.#snapshot;
    this.#takes += 1;
    this.#watch = observe(this.#watch, { kind: 'window', window: window.edge }, now);
    const { state } = this.#watch;
    const beganAgain = !state.onAir && state.reason === 'sequence-fell-back';
    if (window !== this.#window || beganAgain)
      this.files.update(window.files, beganAgain, now.monoMs);
    this.#window = window;
    this.#body = body;
    this.#fault = undefined;
    this.#snapshot = {
      kind: 'media',
      bytes: window.bytes,
      contentType,
      fetchedAt: now.monoMs,
      targetDurationMs: window.playlist.targetDurationMs,
      segments: window.edge.segments,
    };
    this.#dueAt = now.monoMs + this.#intervalMs(now);
    return this.#snapshot;
  }

  /** Nobody needs it any more: when it is read again it begins anew. */
  forget(): void {
    this.#watch = neverSeen;
    this.#window = undefined;
    this.#body = undefined;
    this.#snapshot = undefined;
    this.#fault = undefined;
    this.#dueAt = Number.NEGATIVE_INFINITY;
    this.files.clear();
  }

  async #read(deadlineMs: number): Promise<MediaSnapshot | OriginFault> {
    const takesBefore = this.#takes;
    const limits = { deadlineMs, bytesMax: playlistLimits.bodyBytesMax };
    const found = await this.#deps.origin.read(this.#url, limits);
    return found.kind === 'fault'
      ? this.#fail(found, this.#deps.clock.now())
      : this.take(found, takesBefore);
  }

  #fail(fault: OriginFault, now: Now): OriginFault {
    this.#watch = observe(this.#watch, fault, now);
    this.#fault = fault;
    this.#dueAt = now.monoMs + retryMs(this.#watch.faults);
    return fault;
  }

  /** A body that says what the last one said is not read again. */
  #windowOf(body: OriginBody): LiveWindow | undefined {
    const last = this.#body;
    if (last !== undefined && last.url === body.url && isSameBytes(last.bytes, body.bytes))
      return this.#window;
    const meaning = this.#deps.readMeaning(body.bytes);
    if (meaning?.kind !== 'media') return undefined;
    const at = { url: body.url, path: this.#path };
    return mapLiveWindow(this.#place, at, { bytes: body.bytes, playlist: meaning.playlist });
  }

  #isBehind({ edge }: LiveWindow): boolean {
    const last = this.#window?.edge;
    if (last === undefined) return false;
    const end = edge.mediaSequence + edge.segments;
    const lastEnd = last.mediaSequence + last.segments;
    return end < lastEnd || (end === lastEnd && edge.parts <= last.parts);
  }

  /** Half a target duration; more often when the next segment is due, to tell soon whether it comes. */
  #intervalMs(now: Now): number {
    const targetMs = this.#snapshot?.targetDurationMs ?? 0;
    const ms = isMovementDue(this.#watch, now) ? targetMs / 8 : targetMs / 2;
    return Math.max(readIntervalMsMin, ms);
  }
}
