import type { NodeFacts } from '../group/node.ts';
import type { ReasonCode } from '../reasons.ts';
import type { StreamFacts } from '../stream/stream.ts';
import type { Viewer } from '../viewer/viewer.ts';
import { addressOf, fitPlace, isSamePlace, type NodePlaces, type Place } from './address-fit.ts';
import type { Candidate, Candidates } from './candidates.ts';

/** A node that may be named to one viewer, and where that viewer finds the stream. */
export type Offer = {
  readonly node: NodeFacts;
  readonly stream: StreamFacts;
  /** Absolute, ends with `/`; the stream's name comes next. */
  readonly base: string;
  /** Part of its weight by which it takes part in new lists. */
  readonly share: number;
};

/** What was decided of one node; no reasons: it is fit. */
export type Verdict = {
  readonly node: string;
  readonly stream: string;
  readonly reasons: readonly ReasonCode[];
};

/** The nodes that may be named to a viewer, and what was decided of each. */
type Offered = {
  readonly offers: readonly Offer[];
  /** Whether they are named only because nobody is eligible. */
  readonly areLeastBad: boolean;
  readonly verdicts: readonly Verdict[];
};

type Asked = {
  readonly candidates: Candidates;
  readonly viewer: Viewer;
  /** Ids of the nodes the viewer was sent on by. */
  readonly visited: readonly string[];
};

/** Decided once for all viewers who are alike, as long as the candidates are what they are. */
const decided = new WeakMap<Candidates, Map<string, Offered>>();

/**
 * Every node that may be named to this viewer as a backup of our stream, by node id; the up to two that are
 * named are picked among them, evenly. When nobody is eligible, the least bad: first those that may well be there
 * while we hear nobody, then overloaded ones, and dead-looking ones only if all look dead.
 */
export function offerBackups(asked: Asked): Offered {
  const { candidates, viewer, visited } = asked;
  if (visited.length > 0) {
    return decideOffers(asked);
  }
  const kind = kindOf(viewer);
  const ofCandidates = decided.get(candidates) ?? new Map<string, Offered>();
  const known = ofCandidates.get(kind);
  if (known !== undefined) {
    return known;
  }
  const offered = decideOffers(asked);
  decided.set(candidates, ofCandidates.set(kind, offered));
  return offered;
}

/** Kinds of viewers by viewer: a connection keeps one. */
const kinds = new WeakMap<Viewer, string>();

/** All of a viewer that the offers depend on. */
function kindOf(viewer: Viewer): string {
  const known = kinds.get(viewer);
  if (known !== undefined) {
    return known;
  }
  const from = addressOf(viewer);
  const { isPublic, isHttps, followsBackups } = viewer;
  const kind = [isPublic, isHttps, followsBackups, from?.version, from?.class].join();
  kinds.set(viewer, kind);
  return kind;
}

function decideOffers(parts: Asked): Offered {
  const { candidates, viewer, visited } = parts;
  const judged = candidates.list.map((candidate) => {
    const { fit, reasons } = judgeFor({
      candidate,
      candidates,
      viewer,
      visited,
      purpose: 'backup',
    });
    return {
      candidate,
      fit,
      reasons: [
        ...(candidate.backup?.eligible === false ? candidate.backup.reasons : []),
        ...(viewer.followsBackups ? reasons : ['player-follows-no-backup' as const, ...reasons]),
      ],
    };
  });
  const looksDead = !candidates.list.some(({ isReachable }) => isReachable);
  const ranks = judged.map(({ reasons }) => lastResortRank(reasons, looksDead));
  const best = Math.min(...ranks);
  const named: { candidate: Candidate; place: Place; places: NodePlaces }[] = [];
  const verdicts = judged.map(({ candidate, fit, reasons }, index): Verdict => {
    const about = { node: candidate.node.id, stream: candidate.stream.name };
    if (fit.kind === 'unfit' || ranks[index] !== best || best === Infinity) {
      return { ...about, reasons };
    }
    const placed = { candidate, place: fit.place, places: candidate.places };
    if (named.some((other) => isSamePlace(other, placed))) {
      return { ...about, reasons: [...reasons, 'address-same'] };
    }
    named.push(placed);
    return { ...about, reasons };
  });
  const offers = named.map(({ candidate, place }) => offer(candidate, place));
  return { offers, areLeastBad: best > 0 && offers.length > 0, verdicts };
}

/** What only this viewer adds to the verdict on a candidate. */
export function judgeFor(parts: {
  readonly candidate: Candidate;
  readonly candidates: Candidates;
  readonly viewer: Viewer;
  readonly visited: readonly string[];
  readonly purpose: 'backup' | 'redirect';
}) {
  const { candidate, candidates, viewer, visited, purpose } = parts;
  const fit = fitPlace({ viewer, node: candidate.places, self: candidates.self.places, purpose });
  const reasons: ReasonCode[] = visited.includes(candidate.node.id) ? ['visited'] : [];
  return { fit, reasons: fit.kind === 'unfit' ? [...reasons, fit.reason] : reasons };
}

export function offer({ node, stream, shares }: Candidate, { base }: Place): Offer {
  return { node, stream, base, share: shares?.backup ?? 1 };
}

/** 0 for an eligible member, then the less bad ones first; Infinity for one that is never named. */
function lastResortRank(reasons: readonly ReasonCode[], looksDead: boolean): number {
  return Math.max(
    0,
    ...reasons.map((reason) => {
      switch (reason) {
        case 'reachability-unknown':
          return 1;
        case 'overloaded':
          return 2;
        case 'unreachable':
          return looksDead ? 3 : Infinity;
        default:
          return Infinity;
      }
    }),
  );
}
