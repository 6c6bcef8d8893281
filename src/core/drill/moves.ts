import type { MonoMs } from '../time.ts';
import type { ProbePlace } from './places.ts';
import type { PlayerRules, ProbeFault } from './player-rules.ts';
import { reopenMs } from './player-rules.ts';

/** Where a modelled player is in what it was offered, and what it has tried there. */
export type Position = {
  readonly places: readonly ProbePlace[];
  /** Index of the place. */
  readonly at: number;
  readonly rung: number;
  /** Failures in a row at this place and rung. */
  readonly tries: number;
  /** Rungs of this place that have been given up. */
  readonly failedRungs: readonly number[];
  /** By place: until when it is left alone. */
  readonly blockedUntil: readonly MonoMs[];
};

/** What a player does next. `fatal`: it has given up. */
export type Next =
  | { readonly kind: 'load' | 'reopen'; readonly inMs: number }
  | { readonly kind: 'fatal' };

type Moved = { readonly position: Position; readonly next: Next };

/** A player that has opened a stream. */
export function opened(places: readonly ProbePlace[], rung: number): Position {
  return {
    ...{ places, at: 0, rung, tries: 0, failedRungs: [] },
    blockedUntil: places.map(() => Number.NEGATIVE_INFINITY),
  };
}

/** The URI it reloads now; undefined where there is none. */
export function uriOf({ places, at, rung }: Position): string | undefined {
  return places[at]?.rungs[rung];
}

/** A reload went well: what failed before is forgiven. */
export function succeeded(position: Position): Position {
  return position.tries === 0 && position.failedRungs.length === 0
    ? position
    : { ...position, tries: 0, failedRungs: [] };
}

/**
 * A request failed: tried again, another rung, another place, opened anew, or given up, as the rules say.
 *
 * @param facts.isEmpty whether nothing is left to show: a player that can only end does so no sooner
 */
export function afterFault(
  position: Position,
  rules: PlayerRules,
  fault: ProbeFault,
  facts: { readonly now: MonoMs; readonly isEmpty: boolean },
): Moved {
  const patience = rules.at[fault];
  const tries = position.tries + 1;
  if (tries < patience.tries)
    return { position: { ...position, tries }, next: { kind: 'load', inMs: patience.waitMs } };
  switch (patience.does) {
    case 'reopens':
      return { position: { ...position, tries: 0 }, next: { kind: 'reopen', inMs: reopenMs } };
    case 'ends':
      return facts.isEmpty
        ? { position, next: { kind: 'fatal' } }
        : { position: { ...position, tries }, next: { kind: 'load', inMs: patience.waitMs } };
    case 'moves':
      return otherRung(position, rules) ?? leave(position, rules, facts.now);
  }
}

/**
 * A playlist has not changed for `unchangedMs`; undefined while that is nothing to a player of this kind.
 *
 * @param facts.isEmpty whether nothing is left to show
 */
export function afterStandstill(
  position: Position,
  rules: PlayerRules,
  facts: {
    readonly now: MonoMs;
    readonly isEmpty: boolean;
    readonly unchangedMs: number;
    readonly targetMs: number;
  },
): Moved | undefined {
  const rule = rules.atStandstill;
  if (rule.does === 'stays') return undefined;
  const isDue =
    rule.afterTargets === 'empty'
      ? facts.isEmpty
      : facts.unchangedMs > rule.afterTargets * facts.targetMs;
  if (!isDue) return undefined;
  if (rule.does === 'reopens') return { position, next: { kind: 'reopen', inMs: reopenMs } };
  return rule.does === 'ends'
    ? { position, next: { kind: 'fatal' } }
    : leave(position, rules, facts.now);
}

/** hls.js tries every rung of a node once before it leaves the node. */
function otherRung(position: Position, { triesRungs }: PlayerRules): Moved | undefined {
  if (!triesRungs) return undefined;
  const failedRungs = [...position.failedRungs, position.rung];
  const rungs = position.places[position.at]?.rungs ?? [];
  const rung = rungs.findIndex((_, index) => !failedRungs.includes(index));
  return rung < 0
    ? undefined
    : { position: { ...position, rung, failedRungs, tries: 0 }, next: { kind: 'load', inMs: 0 } };
}

/** To the first place, in the order of the playlist, that is not being left alone; the index of the rung is kept. */
function leave(position: Position, { penaltyMs }: PlayerRules, now: MonoMs): Moved {
  const blockedUntil = position.blockedUntil.with(position.at, now + penaltyMs);
  const [firstFailed] = position.failedRungs;
  const rung = firstFailed ?? position.rung;
  const at = position.places.findIndex(
    ({ rungs }, index) => (blockedUntil[index] ?? 0) <= now && rungs[rung] !== undefined,
  );
  return at < 0
    ? { position: { ...position, blockedUntil }, next: { kind: 'fatal' } }
    : {
        position: { ...position, at, rung, tries: 0, failedRungs: [], blockedUntil },
        next: { kind: 'load', inMs: 0 },
      };
}
