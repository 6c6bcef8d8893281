import type { MediaPlaylist } from '../core/playlist/media-playlist.ts';
import type { MultivariantTemplate } from '../core/playlist/multivariant.ts';
import type { LocationPlace } from '../core/stream/mpd.ts';
import type { MonoMs } from '../core/time.ts';
import type { Clock, Origin } from './ports.ts';
import type { Segments } from './segments.ts';

/** A stream's multivariant playlist as it was last read, or as it was made up for an origin that has none. */
export type Entry = {
  readonly kind: 'entry';
  /** The same object as long as the playlist is the same. */
  readonly template: MultivariantTemplate;
  /** What the template was made of: URIs are viewer paths, seen from `/{stream}/`. */
  readonly bytes: Uint8Array;
  readonly madeUp: boolean;
  readonly fetchedAt: MonoMs;
};

/** A media playlist as viewers get it. */
export type MediaSnapshot = {
  readonly kind: 'media';
  readonly bytes: Uint8Array;
  readonly contentType: string;
  readonly fetchedAt: MonoMs;
  readonly targetDurationMs: number;
  /** How many are listed. */
  readonly segments: number;
};

/** An MPD as viewers get it. */
export type MpdSnapshot = {
  readonly kind: 'mpd';
  readonly text: string;
  /** Of viewers that were sent here; absent for what is not asked for again. */
  readonly location?: LocationPlace | undefined;
  readonly contentType: string;
  readonly fetchedAt: MonoMs;
};

/** What a playlist means where two readers agree; undefined for anything that cannot be offered. Never throws. */
export type ReadMeaning = (
  bytes: Uint8Array,
) =>
  | { readonly kind: 'multivariant' }
  | { readonly kind: 'media'; readonly playlist: MediaPlaylist }
  | undefined;

/** What everything of one stream shares. */
export type LiveDeps = {
  readonly clock: Clock;
  readonly readMeaning: ReadMeaning;
  readonly origin: Origin;
  readonly segments: Segments;
};

/** A read that is due, and since when. */
export type DueRead = { readonly dueAt: MonoMs; run(): Promise<unknown> };

/** An answer to a viewer has to be there within this time, ms (`docs/players.md`, rule 23). */
export const playlistBudgetMs = 1000;
/** The same for the first byte of a segment. */
export const segmentBudgetMs = 2000;
/** Shortest time between two reads of one playlist, and step by which failing ones are put off, ms. */
export const readIntervalMsMin = 250;
/** Longest time between two reads of one that fails, ms: an origin that comes back is found out within it. */
const retryMsMax = 1000;

/** When to read again what failed `faults` times in a row. */
export function retryMs(faults: number): number {
  return Math.min(readIntervalMsMin * Math.max(faults, 1), retryMsMax);
}
