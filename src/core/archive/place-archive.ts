import type { Offer, Verdict } from '../placement/backups.ts';
import type { ReasonCode } from '../reasons.ts';
import type { Container } from '../stream/stream.ts';
import {
  type ArchiveMember,
  type ArchiveWish,
  airReasons,
  findMembers,
  type Held,
  hasAny,
  ownHeld,
  settledPart,
  unsettledMs,
  worthMs,
} from './archive-members.ts';
import { type Holder, markLost, missingMs, type Piece, planPieces } from './plan.ts';
import { cutRanges, type TimeRange } from './ranges.ts';

/** Most nodes that may send one viewer on. */
const hopsMax = 2;

/** What a request for a period is answered with. `verdicts` says for each node why, this one first. */
export type ArchivePlacement = { readonly verdicts: readonly Verdict[] } & (
  | {
      readonly kind: 'serve' | 'join';
      readonly reason: 'archive-own' | 'archive-joined';
      readonly container: Container;
      /** The whole period in order; only this node's and nobody's for `serve`. */
      readonly pieces: readonly Piece[];
      readonly missingMs: number;
      /** Members that pieces may come from. */
      readonly members: readonly ArchiveMember[];
      /** Members that can stand in: like this stream, with as much of the period. */
      readonly offers: readonly Offer[];
    }
  | {
      readonly kind: 'redirect';
      readonly reason: 'redirected';
      readonly target: Offer;
      readonly hops: readonly string[];
    }
  | { readonly kind: 'not-found'; readonly reason: ReasonCode }
);

/**
 * Where a period of the archive is answered (`docs/archive.md`, "Which node answers").
 *
 * - This node has as much of it as all nodes together: served here. A second more elsewhere counts, less does not.
 * - One node has as much as all together: sent there; of several to the least loaded; never to one that sent the viewer
 *   here, never more than twice.
 * - Together they have more than any one: one playlist, made here, of pieces of all of them, of those that the viewer
 *   comes from, too: so a backup of a joined playlist joins the same.
 * - Nobody has any of it: not found.
 */
export function placeArchive(wish: ArchiveWish): ArchivePlacement {
  const compared = settledPart(wish);
  const own = ownHeld(wish, compared);
  const { members, verdicts, lost } = findMembers(wish, compared, own?.container);
  const refusal = wish.arrival.kind === 'backup' ? wish.arrival.refusal : undefined;
  const here = refusal === undefined ? own : undefined;
  const reasons = refusal ?? (own === undefined ? 'not-carried' : undefined);
  const all: readonly Verdict[] = [
    { node: wish.candidates.self.id, stream: wish.stream, reasons: reasons ? [reasons] : [] },
    ...verdicts,
  ];
  const kind = here && kindHere(wish, compared, here, members);
  if (here !== undefined && (kind === 'join' || kind === 'serve'))
    return answerHere(wish, { kind, own: here, members, verdicts: all, lost });
  const sent = wish.form === 'entry' ? sendOn(wish, members, all) : undefined;
  return sent ?? lastChoice(wish, { here, members, verdicts: all, lost });
}

/** Whether this node answers, alone or with pieces of others; undefined when somebody else should. */
function kindHere(
  wish: ArchiveWish,
  compared: TimeRange,
  own: Held,
  members: readonly ArchiveMember[],
): 'serve' | 'join' | undefined {
  const best = wish.form === 'entry' ? members.find(isUnvisited) : undefined;
  const bestMissingMs = best?.missingMs ?? Infinity;
  const leastAlone = Math.min(own.missingMs, bestMissingMs);
  const mayGain = leastAlone >= worthMs;
  if (mayGain && leastAlone - joinedMissingMs(wish, compared, own, members) >= worthMs)
    return 'join';
  return hasAny(own) && own.missingMs - bestMissingMs < worthMs ? 'serve' : undefined;
}

function sendOn(
  { arrival, candidates }: ArchiveWish,
  members: readonly ArchiveMember[],
  verdicts: readonly Verdict[],
): ArchivePlacement | undefined {
  const best = members.find(isUnvisited);
  const hops = arrival.kind === 'backup' ? arrival.hops : [];
  if (best === undefined || hops.length >= hopsMax) return undefined;
  const [own, ...others] = verdicts;
  return {
    kind: 'redirect',
    reason: 'redirected',
    target: best.offer,
    hops: [...hops, candidates.self.id],
    verdicts: own === undefined ? others : [passedOver(own), ...others],
  };
}

function isUnvisited({ isVisited }: ArchiveMember): boolean {
  return !isVisited;
}

/** Of this node, where nothing else is against it. */
function passedOver(own: Verdict): Verdict {
  return own.reasons.length > 0 ? own : { ...own, reasons: ['archive-elsewhere'] };
}

/** Nobody to be sent to: what is here, however little, or nothing. */
function lastChoice(
  wish: ArchiveWish,
  parts: {
    readonly here: Held | undefined;
    readonly members: readonly ArchiveMember[];
    readonly verdicts: readonly Verdict[];
    readonly lost: Held | undefined;
  },
): ArchivePlacement {
  const { here, members, verdicts, lost } = parts;
  if (here !== undefined && hasAny(here))
    return answerHere(wish, { kind: 'serve', own: here, members, verdicts, lost });
  const refusal = wish.arrival.kind === 'backup' ? wish.arrival.refusal : undefined;
  const reason = members.some(isUnvisited) ? 'hops-exhausted' : (refusal ?? 'nothing-recorded');
  return { kind: 'not-found', reason, verdicts };
}

/** Those whose pieces can be taken into a playlist of this node's. */
function joining(
  { joins }: ArchiveWish,
  own: Held,
  members: readonly ArchiveMember[],
): readonly ArchiveMember[] {
  return members.filter(
    ({ container, candidate }) => container === own.container && joins(candidate),
  );
}

/** What would be missing of one playlist of everybody's pieces. */
function joinedMissingMs(
  wish: ArchiveWish,
  compared: TimeRange,
  own: Held,
  members: readonly ArchiveMember[],
): number {
  const pieces = planPieces(compared, ...holders(wish, compared, own, joining(wish, own, members)));
  return missingMs(pieces);
}

function holders(
  wish: ArchiveWish,
  within: TimeRange,
  own: Held,
  members: readonly ArchiveMember[],
): [Holder, readonly Holder[]] {
  return [
    { id: wish.candidates.self.id, ranges: cutRanges(own.ranges, within) },
    members.map(({ candidate, ranges }) => ({
      id: candidate.node.id,
      ranges: cutRanges(ranges, within),
    })),
  ];
}

function answerHere(
  wish: ArchiveWish,
  parts: {
    readonly kind: 'serve' | 'join';
    readonly own: Held;
    readonly members: readonly ArchiveMember[];
    readonly verdicts: readonly Verdict[];
    readonly lost: Held | undefined;
  },
): ArchivePlacement {
  const { kind, own, verdicts, lost } = parts;
  const alike = parts.members.filter(({ container }) => container === own.container);
  const joinable = joining(wish, own, alike);
  const members = kind === 'join' ? joinable : [];
  const holding = holders(wish, wish.period, own, members);
  const isSettling = wish.period.grows === true && joinable.length > 0;
  const planned = planPieces(
    wish.period,
    ...(isSettling ? settledOf(holding, settledPart(wish).endMs) : holding),
  );
  const pieces = markLost(planned, lost?.container === own.container ? lost.ranges : []);
  return {
    kind,
    reason: kind === 'join' ? 'archive-joined' : 'archive-own',
    container: own.container,
    pieces,
    // What is not known everywhere yet is not said to be missing.
    missingMs: missingMs(pieces, wish.nowMs - unsettledMs),
    members,
    offers: alike.filter((member) => canStandIn(member, own, kind)).map((member) => member.offer),
    verdicts,
  };
}

/**
 * For a playlist that grows, where what is listed once has to stay: until a hole is known everywhere, nobody knows what
 * fills it, and nothing behind it is listed.
 */
function settledOf(
  [own, others]: [Holder, readonly Holder[]],
  settledMs: number,
): [Holder, readonly Holder[]] {
  const until = { startMs: Number.NEGATIVE_INFINITY, endMs: settledMs };
  return [
    { ...own, ranges: own.ranges.filter(({ startMs }) => startMs <= settledMs) },
    others.map(({ id, ranges }) => ({ id, ranges: cutRanges(ranges, until) })),
  ];
}

/** A joined playlist is made by every node that takes part; else who has as much of the period. */
function canStandIn(
  { candidate: { backup }, missingMs: theirs, isVisited }: ArchiveMember,
  own: Held,
  kind: 'serve' | 'join',
): boolean {
  if (isVisited) return false;
  const isAlike =
    backup?.eligible === true || backup?.reasons.every((reason) => airReasons.has(reason));
  return isAlike === true && (kind === 'join' || theirs - own.missingMs < worthMs);
}
