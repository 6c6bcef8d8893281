import { type MonoMs, pausedMs } from '../time.ts';
import type { Reachability } from './node.ts';

/** A peer whose last good answer is this old or younger is reachable; a dead node is known in less than 2 s. */
export const freshMs = 1_900;

/** A process whose own timer came this much late was paused: what it did not hear then is no peer's fault. */
const pauseMs = 500;

/** A peer that never answered is `unknown` this long after start, then unreachable. */
const startGraceMs = 3_000;

/** Whoever heard one of several peers this recently is not the isolated one: a turn and its first hedge. */
const companyMs = 1_250;

/** Peers take their turns to be asked on one grid of this width, counted from start. */
const turnMs = 1_000;

/** When the attempts of a hedged turn are due, counted from its beginning. */
const attemptsAtMs = [0, 250, 350, 450, 550, 650, 750, 850] as const;

/** An unanswered attempt is given up then; so never more than 16 to one peer are under way. */
export const attemptDeadlineMs = 1_500;

/** The questions of one turn to one peer. */
export type Turn = {
  /** On the grid, however late the first attempt was. */
  readonly beganAt: MonoMs;
  readonly attempts: number;
  readonly answered: boolean;
};

/**
 * When the next question to a peer is due. An answered turn is followed by the next one; an unanswered one is hedged
 * while the peer counts as reachable, at offsets from the turn's beginning, so that a late timer costs no attempt. All
 * eight attempts of a turn can be answered before the peer's last answer is too old: at 5 % loss of attempts a false
 * alarm has a chance of 0.05^8 = 4e-11 per peer and second, one in three years for a domain of 16 nodes.
 */
export function nextAttemptAt(turn: Turn, reachability: Reachability): MonoMs {
  const hedgeAtMs = attemptsAtMs[turn.attempts];
  const hedged = !turn.answered && reachability === 'reachable' && hedgeAtMs !== undefined;
  return turn.beganAt + (hedged ? hedgeAtMs : turnMs);
}

/** The turn after the attempt made `now`: the same one, or a new one at the last point of the grid from `startedAt`. */
export function afterAttempt(turn: Turn | undefined, now: MonoMs, startedAt: MonoMs): Turn {
  if (turn && !turn.answered && now < turn.beganAt + turnMs) {
    return { ...turn, attempts: turn.attempts + 1 };
  }
  const beganAt = startedAt + Math.floor((now - startedAt) / turnMs) * turnMs;
  return { beganAt, attempts: 1, answered: false };
}

/** How much of a gap between planned and real wake-up must not count as silence of peers, ms; 0 up to 500 ms. */
export function excusedMs(plannedAt: MonoMs, now: MonoMs): number {
  return pausedMs(plannedAt, now, pauseMs);
}

/** What is known of hearing one peer. */
export type Hearing = {
  /** Last good answer; absent: never. */
  readonly heardAt?: MonoMs | undefined;
  /** The verdict before this one. */
  readonly reachability: Reachability;
};

/**
 * Which peers count as reachable, in the order given. A silent peer is unreachable, but an observer that hears none of
 * two or more peers it heard before doubts itself: they are `unknown`. While it cannot tell yet whether it hears
 * somebody, no further peer becomes unreachable, and none that is comes back into doubt. With only one peer ever heard
 * there is nothing to compare with: it is unreachable.
 */
export function judgeReachability(
  peers: readonly Hearing[],
  { now, startedAt }: { readonly now: MonoMs; readonly startedAt: MonoMs },
): readonly Reachability[] {
  const ages = peers.map(({ heardAt }) => (heardAt === undefined ? undefined : now - heardAt));
  const heard = ages.filter((age) => age !== undefined);
  const isAlone = heard.length > 1 && heard.every((age) => age > freshMs);
  const isInDoubt = heard.length > 1 && heard.every((age) => age > companyMs);
  return peers.map(({ reachability }, index) => {
    const age = ages[index];
    if (age === undefined) return now - startedAt <= startGraceMs ? 'unknown' : 'unreachable';
    if (age <= freshMs) return 'reachable';
    return isAlone || (isInDoubt && reachability !== 'unreachable') ? 'unknown' : 'unreachable';
  });
}

/** Until when the verdicts stand if nobody is heard meanwhile. */
export function verdictsStandUntil(
  peers: readonly Hearing[],
  { now, startedAt }: { readonly now: MonoMs; readonly startedAt: MonoMs },
): MonoMs {
  const ends = peers.map(({ heardAt }) =>
    heardAt === undefined ? startedAt + startGraceMs : heardAt + freshMs,
  );
  return Math.min(...ends.filter((end) => end >= now), Number.POSITIVE_INFINITY);
}
