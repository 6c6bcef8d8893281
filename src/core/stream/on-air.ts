import type { ReasonCode } from '../reasons.ts';
import type { MonoMs, Now, UnixMs } from '../time.ts';
import type { AirState } from './stream.ts';

/** What one reading of a media playlist showed, or why it showed nothing. */
export type Sighting =
  | { readonly kind: 'window'; readonly window: WindowEdge }
  | { readonly kind: 'fault'; readonly reason: ReasonCode; readonly status?: number | undefined };

/** Where a live window stands. */
export type WindowEdge = {
  readonly targetDurationMs: number;
  readonly mediaSequence: number;
  /** Segments listed, those that a delta update leaves out included. */
  readonly segments: number;
  /** Parts after the last whole segment. */
  readonly parts: number;
  readonly endList: boolean;
};

/** What successive sightings of one media playlist add up to. */
export type AirWatch = {
  readonly state: AirState;
  readonly window?: WindowEdge | undefined;
  /** When the window last moved, or was first seen: it then has as long to move. */
  readonly movedAt?: MonoMs | undefined;
  /** Of the time since then: how long this agent stood still itself, and could see nothing. */
  readonly pausedMs?: number | undefined;
  /** When it was last seen to have moved; a first sighting proves nothing. */
  readonly lastMovedAt?: UnixMs | undefined;
  /** Faults since the last sighting of a window. */
  readonly faults: number;
  readonly fault?: ReasonCode | undefined;
};

/** Longest target duration that is believed, ms: beyond it a stream that stands still would never be noticed. */
const targetDurationMsMax = 60_000;
/** Faults in a row that take a stream off air, however short ago its window moved. */
const faultsMax = 3;
/** The same for "there is no such playlist", which needs one confirmation only. */
const absencesMax = 2;

/** Nothing is known yet. */
export const neverSeen: AirWatch = { state: { onAir: false, reason: 'starting' }, faults: 0 };

/** How long a window may stand still: 1.5 target durations, ms. */
function standstillMsMax(targetDurationMs: number): number {
  return 1.5 * Math.min(targetDurationMs, targetDurationMsMax);
}

/** The agent stood still for `ms`: the window gets so much longer to be seen moving, twice as long in all at most. */
export function excusePause(watch: AirWatch, ms: number): AirWatch {
  const most = standstillMsMax(watch.window?.targetDurationMs ?? 0);
  return { ...watch, pausedMs: Math.min(most, (watch.pausedMs ?? 0) + ms) };
}

/**
 * Takes one more sighting in. On air means that the window moves: its end (by segment, or by part) went on within the
 * last 1.5 target durations; one that is seen for the first time gets as long to show it. Off air at once: ENDLIST, a
 * window that begins or ends earlier than before, a body that is no playlist. Off air after the second "no such playlist"
 * (404, 410) or the third fault in a row, and in any case when 1.5 target durations are over. What went off air is on
 * air again when its window moves. Only the monotonic clock counts, without the agent's own pauses ({@link excusePause}).
 */
export function observe(watch: AirWatch, sighting: Sighting, now: Now): AirWatch {
  return sighting.kind === 'fault'
    ? observeFault(watch, sighting, now)
    : observeWindow(watch, sighting.window, now);
}

/** The state now: as last observed, or off air when the window has not moved for too long since. */
export function airState(watch: AirWatch, now: Now): AirState {
  return watch.state.onAir && standsStill(watch, now)
    ? { onAir: false, reason: watch.fault ?? 'frozen' }
    : watch.state;
}

/**
 * Whether the next movement is due any moment: the last is a target duration ago, or the numbers have just begun again.
 * Reading more often then finds out sooner whether it comes.
 */
export function isMovementDue({ state, movedAt, window }: AirWatch, now: Now): boolean {
  if (!state.onAir) return state.reason === 'sequence-fell-back';
  return (
    movedAt !== undefined && window !== undefined && now.monoMs - movedAt >= window.targetDurationMs
  );
}

function standsStill({ movedAt, pausedMs = 0, window }: AirWatch, now: Now): boolean {
  return (
    movedAt !== undefined &&
    window !== undefined &&
    now.monoMs - movedAt - pausedMs > standstillMsMax(window.targetDurationMs)
  );
}

function observeFault(
  watch: AirWatch,
  { reason, status }: Extract<Sighting, { kind: 'fault' }>,
  now: Now,
): AirWatch {
  const seen = { ...watch, faults: watch.faults + 1, fault: reason };
  const isEnough = watch.window === undefined || seen.faults >= faultsNeeded(reason, status);
  return isEnough || standsStill(watch, now) ? { ...seen, state: { onAir: false, reason } } : seen;
}

function faultsNeeded(reason: ReasonCode, status: number | undefined): number {
  switch (reason) {
    case 'playlist-invalid':
    case 'origin-too-large':
    case 'origin-refused':
      return 1;
    default:
      return status === 404 || status === 410 ? absencesMax : faultsMax;
  }
}

function observeWindow(watch: AirWatch, window: WindowEdge, now: Now): AirWatch {
  const before = watch.window;
  const seen = { ...watch, window, faults: 0, fault: undefined };
  if (window.endList) return { ...seen, state: { onAir: false, reason: 'ended' } };
  if (before === undefined) {
    return window.segments + window.parts === 0
      ? { ...watch, faults: 0, fault: undefined, state: { onAir: false, reason: 'starting' } }
      : { ...seen, movedAt: now.monoMs, pausedMs: undefined, state: { onAir: true } };
  }
  if (fellBack(before, window)) {
    return { ...seen, movedAt: undefined, state: { onAir: false, reason: 'sequence-fell-back' } };
  }
  if (moved(before, window)) {
    const at = { movedAt: now.monoMs, lastMovedAt: now.wallMs, pausedMs: undefined };
    return { ...seen, ...at, state: { onAir: true } };
  }
  return standsStill(seen, now) ? { ...seen, state: { onAir: false, reason: 'frozen' } } : seen;
}

function endOf({ mediaSequence, segments }: WindowEdge): number {
  return mediaSequence + segments;
}

/** The numbers began again: the first went back, or the last did (playlists that keep everything begin at 0 always). */
function fellBack(before: WindowEdge, after: WindowEdge): boolean {
  return after.mediaSequence < before.mediaSequence || endOf(after) < endOf(before);
}

function moved(before: WindowEdge, after: WindowEdge): boolean {
  const segments = endOf(after) - endOf(before);
  return segments > 0 || (segments === 0 && after.parts > before.parts);
}
