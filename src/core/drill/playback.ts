import type { MediaPlaylist } from '../playlist/media-playlist.ts';
import type { MonoMs, UnixMs } from '../time.ts';

/** Segments from the live edge at which players begin. */
const startSegments = 3;
/** Times of segments are written in whole milliseconds and rounded: less than this is no hole, ms. */
const holeMsMin = 250;

/** Where a segment is in the stream: by number, and by date where the playlist has dates. */
type Spot = { readonly number: number; readonly endsAt?: UnixMs | undefined };

/** A segment to be loaded. */
export type DueSegment = Spot & { readonly uri: string; readonly durationMs: number };

/** What a modelled player has had and shown. */
export type Playback = {
  /** The last segment it has. */
  readonly last?: Spot | undefined;
  /** When all that it has will have been shown; absent until it begins. */
  readonly playsUntil?: MonoMs | undefined;
  /** Time without anything to show since it began, ms; counted up to the last segment that came. */
  readonly withoutMediaMs: number;
  /** Of the stream, what it has left out, ms. */
  readonly missingMs: number;
};

export const nothingPlayed: Playback = { withoutMediaMs: 0, missingMs: 0 };

/**
 * What of a media playlist a player has not had yet, in order. At the beginning the last three segments. Dates count
 * where the last segment and the playlist have them, as numbers of two nodes need not be the same; else numbers.
 */
export function dueSegments(
  playlist: MediaPlaylist,
  last: Spot | undefined,
): readonly DueSegment[] {
  const listed = spotsOf(playlist);
  if (last === undefined) return listed.slice(-startSegments);
  const { endsAt } = last;
  return listed.filter((segment) =>
    endsAt !== undefined && segment.endsAt !== undefined
      ? segment.endsAt - segment.durationMs / 2 > endsAt
      : segment.number > last.number,
  );
}

function spotsOf({ segments, mediaSequence, skippedSegments }: MediaPlaylist): DueSegment[] {
  let at: UnixMs | undefined;
  return segments.flatMap(({ uri, durationMs, programDateTimeMs, gap }, index) => {
    at = programDateTimeMs ?? at;
    const endsAt = at === undefined ? undefined : at + durationMs;
    at = endsAt;
    const number = mediaSequence + skippedSegments + index;
    return gap ? [] : [{ number, endsAt, uri, durationMs }];
  });
}

/** A segment came: what was missing before it, and whether it came too late, is counted. */
export function played(playback: Playback, segment: DueSegment, now: MonoMs): Playback {
  const { last, playsUntil = now } = playback;
  const holeMs = last === undefined ? 0 : holeBefore(last, segment);
  return {
    last: { number: segment.number, endsAt: segment.endsAt },
    playsUntil: Math.max(playsUntil, now) + segment.durationMs,
    withoutMediaMs: playback.withoutMediaMs + Math.max(0, now - playsUntil),
    missingMs: playback.missingMs + (holeMs >= holeMsMin ? holeMs : 0),
  };
}

function holeBefore(last: Spot, { number, endsAt, durationMs }: DueSegment): number {
  return last.endsAt !== undefined && endsAt !== undefined
    ? endsAt - durationMs - last.endsAt
    : (number - last.number - 1) * durationMs;
}

/** Whether a player that has begun has nothing to show. */
export function isEmpty({ playsUntil }: Playback, now: MonoMs): boolean {
  return playsUntil !== undefined && playsUntil <= now;
}

/** Time without anything to show up to now, ms. */
export function withoutMediaMs({ playsUntil, withoutMediaMs }: Playback, now: MonoMs): number {
  return withoutMediaMs + (playsUntil === undefined ? 0 : Math.max(0, now - playsUntil));
}
