import type { Load, LoadLimits } from '../load/load.ts';
import type { ReasonCode } from '../reasons.ts';
import type { MonoMs } from '../time.ts';
import { type Cost, countedLoad, type Lately, noCost, note, plus } from './lately.ts';

/** A verdict that does not flutter, and since when it is so. */
type Held = { readonly is: boolean; readonly changedAt: MonoMs };

const neverHeld: Held = { is: false, changedAt: Number.NEGATIVE_INFINITY };

/** Viewers whose load does not show yet, and what was decided because of them. */
export type AdmissionState = {
  /** What viewers let in lately will cost, as far as it does not show in the measured load yet. */
  readonly pending: Cost;
  readonly at: MonoMs;
  readonly lately: Lately;
  /** Refuses viewers of other nodes: more of them would bring the node over its limit. */
  readonly full: Held;
  /** Not to be named any more: with those who are on their way it would be over its limit. */
  readonly spokenFor: Held;
  /** Not to be named any more: as many viewers of other nodes as may be, or hardly fewer after that. */
  readonly isAtBackupLimit: boolean;
};

/** What the decision is made from, besides its last outcome. */
export type AdmissionFacts = {
  /** Smoothed; what is not measured refuses nobody. */
  readonly load: Load;
  readonly limits: LoadLimits;
  /** Viewers of other nodes here, and the most of them; absent: no limit. */
  readonly backupSessions: number;
  readonly backupSessionsMax?: number | undefined;
  /** What the viewers of silent nodes who name this one next will cost once they are here. */
  readonly expected: Cost;
  /** What the viewer who asks to be let in would cost; none asks when absent. */
  readonly atTheDoor?: Cost | undefined;
  readonly now: MonoMs;
};

export const idleAdmission: AdmissionState = {
  pending: noCost,
  at: 0,
  lately: [],
  full: neverHeld,
  spokenFor: neverHeld,
  isAtBackupLimit: false,
};

/**
 * After this time 63 % of a viewer's cost shows in the smoothed load: the smoothing itself (4 s), and a player that
 * has filled its buffer reads on more evenly than at first.
 */
const showsAfterMs = 6_000;

/** Refusing ends below this share of the limit, and not before this time: lists and alerts must not flutter. */
const releaseShare = 0.9;
const holdMs = 5_000;

/** Below this share of the most viewers of other nodes the node is named again. */
const backupReleaseShare = 0.95;

/** With fewer viewers than this what one costs cannot be told from what the agent does anyway. */
const viewersMin = 20;

/**
 * What one more viewer costs. Processor: the mean of those whose load shows, of the thread that serves them, where it
 * is measured, since what else the machine does is not their doing. Network: the stream's own rate against the capacity
 * where both are known, else the mean.
 */
export function costOfViewer(parts: {
  readonly load: Load;
  /** Viewers here whose load shows. */
  readonly viewers: number;
  readonly bitsPerS?: number | undefined;
  readonly networkBitsPerS?: number | undefined;
}): Cost {
  const { load, bitsPerS, networkBitsPerS } = parts;
  const viewers = Math.max(parts.viewers, viewersMin);
  const cpuPercent = (load.loopPercent ?? load.cpuPercent ?? 0) / viewers;
  const networkPercent =
    bitsPerS !== undefined && networkBitsPerS !== undefined
      ? (100 * bitsPerS) / networkBitsPerS
      : (load.networkPercent ?? 0) / viewers;
  return { cpuPercent, networkPercent };
}

/** A viewer was let in: its cost counts until it shows. */
export function withViewer(state: AdmissionState, cost: Cost, now: MonoMs): AdmissionState {
  return {
    ...state,
    pending: plus(pendingAt(state, now), cost),
    at: now,
    lately: note(state.lately, undefined, cost, now),
  };
}

/**
 * The state as of now. Above a limit, counting those who do not show yet and who is at the door, viewers of other nodes
 * are refused; until the load is at 90 % of the limit or below, but for 5 s at least. Exactly at the limit nobody is
 * refused.
 */
export function judgeAdmission(state: AdmissionState, facts: AdmissionFacts): AdmissionState {
  const { load, limits, expected, atTheDoor = noCost, now } = facts;
  const pending = pendingAt(state, now);
  const lately = note(state.lately, load, noCost, now);
  const more = plus(unseen(load, pending, countedLoad(lately, now)), atTheDoor);
  const foreseen = plus(more, expected);
  return {
    pending,
    at: now,
    lately,
    full: hold(state.full, now, (share) => isAbove(load, more, limits, share)),
    spokenFor: hold(state.spokenFor, now, (share) => isAbove(load, foreseen, limits, share)),
    isAtBackupLimit: isAtBackupLimit(state.isAtBackupLimit, facts),
  };
}

/**
 * Why a viewer of another node is not let in; absent when it is. `isExpected`: it comes from a node that fell silent
 * and had named this one, so that the room kept for such viewers is its own.
 */
export function refusalOf(
  state: AdmissionState,
  facts: Pick<AdmissionFacts, 'backupSessions' | 'backupSessionsMax'>,
  isExpected: boolean,
): ReasonCode | undefined {
  if (state.full.is || (state.spokenFor.is && !isExpected)) return 'overloaded';
  return facts.backupSessions >= (facts.backupSessionsMax ?? Infinity) ? 'backup-limit' : undefined;
}

function pendingAt({ pending, at }: AdmissionState, now: MonoMs): Cost {
  const left = Math.exp(-Math.max(0, now - at) / showsAfterMs);
  return {
    cpuPercent: pending.cpuPercent * left,
    networkPercent: pending.networkPercent * left,
  };
}

/** The cost of several viewers. */
export function times(cost: Cost, viewers: number): Cost {
  return {
    cpuPercent: cost.cpuPercent * viewers,
    networkPercent: cost.networkPercent * viewers,
  };
}

/** What does not show yet, at most as much as is missing from the load as it is counted. */
function unseen(load: Load, pending: Cost, counted: Cost | undefined): Cost {
  if (counted === undefined) return pending;
  const missing = (then: number, now = 0) => Math.max(0, then - now);
  return {
    cpuPercent: Math.min(pending.cpuPercent, missing(counted.cpuPercent, load.cpuPercent)),
    networkPercent: Math.min(
      pending.networkPercent,
      missing(counted.networkPercent, load.networkPercent),
    ),
  };
}

function isAbove(load: Load, more: Cost, limits: LoadLimits, share: number): boolean {
  const isOver = (percent: number | undefined, added: number, limit: number) =>
    percent !== undefined && limit < 100 && percent + added > limit * share;
  return (
    isOver(load.cpuPercent, more.cpuPercent, limits.cpuPercent) ||
    isOver(load.networkPercent, more.networkPercent, limits.networkPercent)
  );
}

function hold(was: Held, now: MonoMs, isAboveShare: (share: number) => boolean): Held {
  const is = isAboveShare(was.is ? releaseShare : 1) || (was.is && now - was.changedAt < holdMs);
  return is === was.is ? was : { is, changedAt: now };
}

function isAtBackupLimit(was: boolean, facts: AdmissionFacts): boolean {
  const { backupSessions, backupSessionsMax = Infinity } = facts;
  if (backupSessions >= backupSessionsMax) return true;
  return was && backupSessions > Math.floor(backupSessionsMax * backupReleaseShare);
}
