import type { MonoMs } from '../time.ts';
import type { AirState } from './stream.ts';

/** Shortest time that a stream must be stable before it is offered again, ms. */
const holdMsMin = 6_000;
/** The same in target durations, where segments are long. */
const holdTargets = 3;
/** However often it fails, it is not held for longer, ms. */
const holdMsMax = 120_000;
/** Troubles this long before the next one do not count any more: so long it was offered meanwhile, ms. */
const quietMs = 600_000;
/** More segments than this are not asked for: players begin three behind the end (`docs/players.md`). */
const wholeSegmentsMax = 6;
/** A window that is still shorter than before after so many target durations is what the packager makes now. */
const growTargetsMax = 8;

/** The live window that viewers would get; of several playlists the shortest one. */
export type WindowSize = { readonly targetDurationMs: number; readonly segments: number };

/** Where a stream stands between its troubles. */
export type Settling = {
  /** `new`: was never on air; `troubled`: off air after it has been; `held`: on air again, but not offered yet. */
  readonly stage: 'new' | 'offered' | 'troubled' | 'held';
  /** Of the stage. */
  readonly since: MonoMs;
  /** Troubles that followed each other without a quiet time. */
  readonly troubles: number;
  /** Segments of the window before the trouble. */
  readonly segments: number;
};

/** What is seen of a stream at one moment. */
export type StreamSight = {
  readonly air: AirState;
  /** Undefined while it is not known. */
  readonly window: WindowSize | undefined;
  /** Whether another node could serve the stream; asked only while it is held. */
  readonly canOthersServe: () => boolean;
};

/** At the start of an agent, or of a stream with a new configuration: nothing is held then. */
export const neverOffered: Settling = { stage: 'new', since: 0, troubles: 0, segments: 0 };

/**
 * Holds a stream that comes back after trouble until it has been stable for max(6 s, 3 target durations), twice as long
 * with each trouble that follows within 10 min, 120 s at most; and until its window has as many segments as before, six at
 * most, which is waited for 8 target durations at most. Failing meanwhile begins the hold anew. A stream is held for the sake
 * of viewers who are served elsewhere: when nobody else could serve it, it is offered at once. Only the monotonic clock
 * counts (`docs/players.md`, rule on returns).
 */
export function settle(before: Settling, sight: StreamSight, at: MonoMs): Settling {
  const { air, window } = sight;
  switch (before.stage) {
    case 'new':
      return air.onAir ? offered(before, window, at) : before;
    case 'offered':
      return air.onAir ? withSegments(before, window) : troubled(before, at);
    case 'troubled':
      return air.onAir ? settle({ ...before, stage: 'held', since: at }, sight, at) : before;
    case 'held':
      if (!air.onAir) return { ...before, stage: 'troubled', since: at };
      return isSettled(before, window, at) || !sight.canOthersServe()
        ? offered(before, window, at)
        : before;
  }
}

/** What is told of the stream, to viewers and members: `settling` while it is held. */
export function settledAir({ stage }: Settling, air: AirState): AirState {
  return stage === 'held' ? { onAir: false, reason: 'settling' } : air;
}

function offered(before: Settling, window: WindowSize | undefined, at: MonoMs): Settling {
  const { troubles } = before;
  return { stage: 'offered', since: at, troubles, segments: window?.segments ?? 0 };
}

function withSegments(before: Settling, window: WindowSize | undefined): Settling {
  const { segments = before.segments } = window ?? {};
  return segments === before.segments ? before : { ...before, segments };
}

function troubled(before: Settling, at: MonoMs): Settling {
  const wasQuiet = at - before.since >= quietMs;
  return { ...before, stage: 'troubled', since: at, troubles: wasQuiet ? 1 : before.troubles + 1 };
}

function isSettled(
  { since, troubles, segments }: Settling,
  window: WindowSize | undefined,
  at: MonoMs,
): boolean {
  const { targetDurationMs = 0, segments: listed = 0 } = window ?? {};
  const heldMs = at - since;
  const firstMs = Math.max(holdMsMin, holdTargets * targetDurationMs);
  const holdMs = Math.min(holdMsMax, firstMs * 2 ** (troubles - 1));
  const isWhole = listed >= Math.min(segments, wholeSegmentsMax);
  return heldMs >= holdMs && (isWhole || heldMs >= growTargetsMax * targetDurationMs);
}
