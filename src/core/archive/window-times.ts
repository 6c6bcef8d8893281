import type { MediaPlaylist } from '../playlist/media-playlist.ts';
import type { Now, UnixMs } from '../time.ts';

/** A segment of a live window, with the time that it is from. */
export type TimedSegment = {
  /** Place in the playlist. */
  readonly at: number;
  readonly number: number;
  readonly startMs: UnixMs;
  readonly durationMs: number;
  /** EXT-X-DISCONTINUITY-SEQUENCE of it. */
  readonly discontinuity: number;
  /** Its timestamps do not go on from the last segment that was seen before it, as far as is known. */
  readonly isBreak: boolean;
};

/** The last segment that was seen of a rung. */
export type WindowMemory = {
  readonly number: number;
  readonly endMs: UnixMs;
  /** Undefined: not known, as after a restart of the agent. */
  readonly discontinuity?: number | undefined;
  /** Wall clock minus monotonic clock when it was seen; undefined as before. */
  readonly clockMs?: number | undefined;
};

/** Dates of an origin that are further off this node's clock than this are not believed, ms. */
const datesOffMsMax = 600_000;
/** When the clocks part by more than this between two looks, the wall clock was set, ms. */
const clockStepMsMin = 2_000;
/** Times by arrival are this exact, in target durations: as often as the window is read, and late segments. */
const arrivalTolerance = 1.5;

/**
 * The segments of a window that were not there at the last look, oldest first, and what to remember. Times are the
 * playlist's dates (EXT-X-PROGRAM-DATE-TIME, counted on by durations) where it has any that can be right. Else the newest
 * segment ends now, and what follows a segment that was seen begins where that ended, unless that is off by more than
 * 1.5 target durations; when the wall clock was set, times are set with it. A window whose numbers fell back is new.
 */
export function timeWindow(
  playlist: MediaPlaylist,
  memory: WindowMemory | undefined,
  now: Now,
): { readonly fresh: readonly TimedSegment[]; readonly memory: WindowMemory | undefined } {
  const dated = datedStarts(playlist, now);
  const toleranceMs = arrivalTolerance * playlist.targetDurationMs;
  const before = dated === undefined ? setWithClock(memory, now) : memory;
  const starts = dated ?? arrivalStarts(playlist, before, toleranceMs, now);
  const slackMs = dated === undefined ? toleranceMs : 0;
  const isSeen = seenIn(playlist, before, slackMs, dated === undefined);
  const fresh: TimedSegment[] = [];
  let last = before;
  for (const segment of listedSegments(playlist, starts)) {
    if (isSeen(segment)) continue;
    fresh.push({ ...segment, isBreak: isBreak(segment, last, toleranceMs) });
    const { number, startMs, durationMs, discontinuity } = segment;
    last = { number, endMs: startMs + durationMs, discontinuity };
  }
  return { fresh, memory: last && { ...last, clockMs: now.wallMs - now.monoMs } };
}

type Listed = Omit<TimedSegment, 'isBreak'>;

function listedSegments(playlist: MediaPlaylist, starts: readonly number[]): readonly Listed[] {
  const first = playlist.mediaSequence + playlist.skippedSegments;
  let discontinuity = playlist.discontinuitySequence;
  return playlist.segments.map((segment, at) => {
    if (segment.discontinuity) discontinuity += 1;
    const { durationMs } = segment;
    return { at, number: first + at, startMs: starts[at] ?? 0, durationMs, discontinuity };
  });
}

/** By place; undefined when the playlist has no dates, or none that can be right. */
function datedStarts(playlist: MediaPlaylist, now: Now): readonly number[] | undefined {
  const starts = startsByDate(playlist);
  const endMs = (starts?.at(-1) ?? 0) + (playlist.segments.at(-1)?.durationMs ?? 0);
  return Math.abs(endMs - now.wallMs) <= datesOffMsMax ? starts : undefined;
}

/** When each segment starts, counted by durations from the dates of the playlist; undefined when it has none. */
export function startsByDate({ segments }: MediaPlaylist): readonly number[] | undefined {
  const dated = segments.findIndex(({ programDateTimeMs }) => programDateTimeMs !== undefined);
  const firstDate = segments[dated]?.programDateTimeMs;
  if (firstDate === undefined) return undefined;
  let startMs = firstDate - lengthOf(segments.slice(0, dated));
  const starts: number[] = [];
  for (const { programDateTimeMs, durationMs } of segments) {
    startMs = programDateTimeMs ?? startMs;
    starts.push(startMs);
    startMs += durationMs;
  }
  return starts;
}

function arrivalStarts(
  { segments, mediaSequence, skippedSegments }: MediaPlaylist,
  before: WindowMemory | undefined,
  toleranceMs: number,
  now: Now,
): readonly number[] {
  let startMs = now.wallMs - lengthOf(segments);
  const passed = before === undefined ? -1 : before.number + 1 - mediaSequence - skippedSegments;
  if (before !== undefined && passed >= 0 && passed <= segments.length) {
    const followingMs = before.endMs - lengthOf(segments.slice(0, passed));
    if (Math.abs(followingMs - startMs) <= toleranceMs) startMs = followingMs;
  }
  return segments.map(({ durationMs }) => {
    const start = startMs;
    startMs += durationMs;
    return Math.round(start);
  });
}

/** Arrival is told by the wall clock: when that was set, the time of what was seen is set likewise. */
function setWithClock(memory: WindowMemory | undefined, now: Now): WindowMemory | undefined {
  if (memory?.clockMs === undefined) return memory;
  const stepMs = now.wallMs - now.monoMs - memory.clockMs;
  return Math.abs(stepMs) > clockStepMsMin ? { ...memory, endMs: memory.endMs + stepMs } : memory;
}

/**
 * Seen before: by its number, and by its time, since numbers begin again. No further back than the window reaches: there
 * its time is another one.
 */
function seenIn(
  playlist: MediaPlaylist,
  before: WindowMemory | undefined,
  slackMs: number,
  byNumber: boolean,
): (segment: Listed) => boolean {
  const end = playlist.mediaSequence + playlist.skippedSegments + playlist.segments.length;
  if (before === undefined || (byNumber && end <= before.number)) return () => false;
  const backMs = lengthOf(playlist.segments) + playlist.targetDurationMs + slackMs;
  return ({ number, startMs, durationMs }) => {
    const behindMs = before.endMs - (startMs + durationMs / 2);
    return number <= before.number && behindMs >= -slackMs && behindMs < backMs;
  };
}

/** A hole in the numbers alone breaks nothing: what lies behind it goes on in the same time. */
function isBreak(segment: Listed, before: WindowMemory | undefined, toleranceMs: number): boolean {
  if (before === undefined || segment.number <= before.number) return true;
  if (before.discontinuity !== undefined) return segment.discontinuity !== before.discontinuity;
  const offMs = Math.abs(segment.startMs - before.endMs);
  return segment.number !== before.number + 1 || offMs > toleranceMs;
}

function lengthOf(segments: readonly { readonly durationMs: number }[]): number {
  return segments.reduce((sum, { durationMs }) => sum + durationMs, 0);
}
