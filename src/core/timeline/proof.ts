import { signedTicks } from '../media/units.ts';
import { type Mark, marksMax } from './marks.ts';

/** Whether a peer carries the same source, and how its times differ from ours. */
export type SourceProof =
  | {
      readonly kind: 'proved';
      /** Peer's PTS minus ours for the same picture, ticks, in (-2^32, 2^32]. */
      readonly difference: number;
      readonly votes: number;
    }
  | {
      readonly kind: 'different';
      /** The peer shows the same pictures that much later (ticks; negative: earlier). */
      readonly shift?: number | undefined;
    }
  | {
      readonly kind: 'unknown';
      /** `marks`: too few to compare. `votes`: too few agree. `ambiguous`: the pictures repeat. */
      readonly why: 'marks' | 'votes' | 'ambiguous';
    };

export type ProofOptions = {
  /** Peer's wall clock minus ours, ms. */
  readonly clockOffsetMs: number;
  /** The operator says that the source is the same: of equal candidates the one nearest by arrival is taken. */
  readonly declared: boolean;
};

/** Equal pictures that settle a difference (`docs/timeline.md`). */
const votesMin = 3;
/** The same picture arrives at two nodes at most so far apart. */
const arrivalWindowMs = 4_000;
/** Another candidate within this, with more than half of the votes, makes the pictures ambiguous. */
const rivalWindowMs = 3 * arrivalWindowMs;
/** Times kept in whole milliseconds scatter by up to 90 ticks on either side. */
const differenceSpreadTicks = 200;
/** Marks within the other's time without one equal picture: another encoder or another source. */
const strangersMin = 5;
/** With `declared`, a candidate nearer than this wins over one at least twice as far away. */
const declaredWindowMs = 1_000;
/** Newest marks that a proof is checked by again. */
const recheckedMarks = 6;

/**
 * Compares the marks of two members. Every picture that both have votes for one difference of their times; the
 * difference is proved when the pictures arrived at about the same moment, and three or more votes, twice
 * as many as for any other within reach, agree. Periodic pictures (black, a loop) stay `unknown`.
 */
export function proveSameSource(
  allOurs: readonly Mark[],
  allTheirs: readonly Mark[],
  options: ProofOptions,
): SourceProof {
  const ours = allOurs.slice(-marksMax);
  const theirs = allTheirs.slice(-marksMax);
  if (Math.min(ours.length, theirs.length) < votesMin) return { kind: 'unknown', why: 'marks' };
  const candidates = candidatesOf(ours, theirs, options.clockOffsetMs);
  const inWindow = candidates.filter((c) => Math.abs(c.arrivalMs) <= arrivalWindowMs);
  const best = inWindow[0];
  if (best !== undefined && best.votes >= votesMin) {
    const proved = { kind: 'proved', difference: best.difference, votes: best.votes } as const;
    if (isAlone(best, candidates)) return proved;
    const nearest = options.declared ? nearestOf(best, candidates) : undefined;
    if (nearest === undefined) return { kind: 'unknown', why: 'ambiguous' };
    return { ...proved, difference: nearest.difference, votes: nearest.votes };
  }
  const shifted = candidates[0];
  if (best === undefined && shifted !== undefined && shifted.votes >= votesMin) {
    return { kind: 'different', shift: Math.round(shifted.arrivalMs * 90) };
  }
  const met = contemporaries(ours, theirs, options, arrivalWindowMs);
  const isStrange = candidates.length === 0 && met >= strangersMin;
  return isStrange ? { kind: 'different' } : { kind: 'unknown', why: 'votes' };
}

/**
 * What becomes of a proof as new marks come. Both lists are of one run of a packager: a list begins anew when its
 * times jump. The proof is kept while the peer is silent or dead and while pictures agree; it is made again
 * when our newest pictures stand elsewhere in the peer's time, when neither knows the other's, or when one
 * of the two has jumped.
 */
export function reviewProof(
  known: SourceProof,
  ours: readonly Mark[],
  theirs: readonly Mark[],
  options: ProofOptions,
): SourceProof {
  const holds = known.kind === 'proved' && stillHolds(known.difference, ours, theirs, options);
  return holds ? known : proveSameSource(ours, theirs, options);
}

function stillHolds(
  difference: number,
  ours: readonly Mark[],
  theirs: readonly Mark[],
  options: ProofOptions,
): boolean {
  const placed = withinTheirs(ours, theirs, difference).slice(-recheckedMarks);
  if (placed.length === 0) return contemporaries(ours, theirs, options, 0) < votesMin;
  let agree = 0;
  let elsewhere = 0;
  for (const mark of placed) {
    const same = theirs.filter((other) => other.hash === mark.hash);
    if (same.some((other) => isNear(other.pts - mark.pts, difference))) agree += 1;
    else if (same.length > 0) elsewhere += 1;
  }
  if (elsewhere >= 2 && elsewhere > agree) return false;
  const theirsPlaced = withinTheirs(theirs, placed, -difference);
  const strangers = theirsPlaced.filter((other) => ours.every((mark) => mark.hash !== other.hash));
  const isStrange = placed.length >= strangersMin && strangers.length >= votesMin;
  return agree > 0 || !isStrange;
}

type Candidate = {
  readonly difference: number;
  readonly votes: number;
  /** Median of how much later the peer had the pictures. */
  readonly arrivalMs: number;
};

/** Differences that pictures vote for, most votes first. Differences as near as times scatter are one. */
function candidatesOf(
  ours: readonly Mark[],
  theirs: readonly Mark[],
  clockOffsetMs: number,
): readonly Candidate[] {
  const byHash = new Map<string, Mark[]>();
  for (const mark of theirs) byHash.set(mark.hash, [...(byHash.get(mark.hash) ?? []), mark]);
  const pairs = ours.flatMap((mark) =>
    (byHash.get(mark.hash) ?? []).map((other) => ({
      mark,
      difference: signedTicks(other.pts - mark.pts),
      arrivalMs: other.arrivedAt - clockOffsetMs - mark.arrivedAt,
    })),
  );
  pairs.sort((a, b) => a.difference - b.difference);
  const groups: (typeof pairs)[] = [];
  for (const pair of pairs) {
    const group = groups.at(-1);
    const first = group?.[0];
    if (first !== undefined && pair.difference - first.difference <= differenceSpreadTicks) {
      group?.push(pair);
    } else groups.push([pair]);
  }
  const found = groups.map((group) => ({
    difference: Math.round(median(group.map((pair) => pair.difference))),
    votes: new Set(group.map((pair) => pair.mark)).size,
    arrivalMs: median(group.map((pair) => pair.arrivalMs)),
  }));
  return found.sort((a, b) => b.votes - a.votes || Math.abs(a.arrivalMs) - Math.abs(b.arrivalMs));
}

function rivalsOf(best: Candidate, candidates: readonly Candidate[]): readonly Candidate[] {
  return candidates.filter((c) => c !== best && Math.abs(c.arrivalMs) <= rivalWindowMs);
}

function isAlone(best: Candidate, candidates: readonly Candidate[]): boolean {
  return rivalsOf(best, candidates).every((rival) => best.votes > 2 * rival.votes);
}

/** The candidate nearest by arrival, if it is near, has votes enough, and every rival is twice as far. */
function nearestOf(best: Candidate, candidates: readonly Candidate[]): Candidate | undefined {
  const serious = [best, ...rivalsOf(best, candidates)].filter((c) => 2 * c.votes >= best.votes);
  serious.sort((a, b) => Math.abs(a.arrivalMs) - Math.abs(b.arrivalMs));
  const [nearest, second] = serious;
  if (nearest === undefined || nearest.votes < votesMin) return undefined;
  const distance = Math.abs(nearest.arrivalMs);
  const isClear = second === undefined || Math.abs(second.arrivalMs) > 2 * distance;
  return distance <= declaredWindowMs && isClear ? nearest : undefined;
}

/** How many of our marks arrived while the peer was marking too, `spareMs` off its first and last. */
function contemporaries(
  ours: readonly Mark[],
  theirs: readonly Mark[],
  { clockOffsetMs }: ProofOptions,
  spareMs: number,
): number {
  const times = theirs.map((mark) => mark.arrivedAt - clockOffsetMs);
  const from = Math.min(...times) + spareMs;
  const to = Math.max(...times) - spareMs;
  return ours.filter((mark) => mark.arrivedAt >= from && mark.arrivedAt <= to).length;
}

/** Our marks whose place in the peer's time is one that the peer has marked. */
function withinTheirs(ours: readonly Mark[], theirs: readonly Mark[], difference: number) {
  const reference = theirs[0]?.pts ?? 0;
  const last = Math.max(...theirs.map((mark) => signedTicks(mark.pts - reference)));
  return ours.filter((mark) => {
    const place = signedTicks(mark.pts + difference - reference);
    return place >= -differenceSpreadTicks && place <= last + differenceSpreadTicks;
  });
}

function isNear(a: number, b: number): boolean {
  return Math.abs(signedTicks(a - b)) <= differenceSpreadTicks;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2;
}
