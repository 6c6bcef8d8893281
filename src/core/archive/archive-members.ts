import { hash32 } from '../hash.ts';
import { judgeFor, type Offer, offer, type Verdict } from '../placement/backups.ts';
import type { Candidate, Candidates } from '../placement/candidates.ts';
import type { ReasonCode } from '../reasons.ts';
import type { Container } from '../stream/stream.ts';
import type { UnixMs } from '../time.ts';
import type { Viewer } from '../viewer/viewer.ts';
import { containersFor, rangesWithin } from './archive-facts.ts';
import { type TimeRange, totalMs } from './ranges.ts';

/** Less than this more is no reason to go elsewhere, ms. */
export const worthMs = 1_000;

/** What was recorded just now is not known everywhere yet: nodes are not compared by it, ms. */
export const unsettledMs = 30_000;

export type ArchiveWish = {
  /** Name as asked for here. */
  readonly stream: string;
  readonly protocol: 'hls' | 'dash';
  /** Where the address or the live stream says which. */
  readonly container: Container | undefined;
  /** `grows`: what is listed once has to stay when it is listed again. */
  readonly period: TimeRange & { readonly grows?: boolean };
  readonly nowMs: UnixMs;
  readonly viewer: Viewer;
  /** How the viewer came; `refusal`: why one of another node is not let in. */
  readonly arrival:
    | { readonly kind: 'own' }
    | {
        readonly kind: 'backup';
        readonly home: string;
        readonly hops: readonly string[];
        readonly refusal?: ReasonCode | undefined;
      };
  readonly candidates: Candidates;
  /** What this node has, sorted; empty where it cannot answer over the protocol. */
  readonly own: (container: Container) => readonly TimeRange[];
  /** An opening may be sent elsewhere; a player that has its playlists is answered here, with whatever there is. */
  readonly form: 'entry' | 'media';
  /** Whether this node can take pieces of a member into its playlists. */
  readonly joins: (candidate: Candidate) => boolean;
  readonly sentLately: ReadonlyMap<string, number>;
};

/** A member that has some of the period. */
export type ArchiveMember = {
  readonly candidate: Candidate;
  readonly offer: Offer;
  /** The viewer has been there: not to be sent back, though its pieces are good. */
  readonly isVisited: boolean;
} & Held;

/** What a node has of the period, in the container of which it has most. */
export type Held = {
  readonly container: Container;
  readonly ranges: readonly TimeRange[];
  readonly missingMs: number;
};

/** That a stream is off the air is no reason against its archive. */
export const airReasons: ReadonlySet<ReasonCode> = new Set<ReasonCode>([
  'starting',
  'origin-unreachable',
  'origin-timeout',
  'origin-status',
  'origin-refused',
  'origin-too-large',
  'playlist-invalid',
  'ended',
  'sequence-fell-back',
  'frozen',
  'no-such-protocol',
  'no-recent-window',
  'aligning',
  'behind',
  'settling',
]);

/** What nodes are compared by: not the last seconds before now, unless that is all there is. */
export function settledPart({ period, nowMs }: ArchiveWish): TimeRange {
  const endMs = Math.min(period.endMs, nowMs - unsettledMs);
  return endMs > period.startMs ? { startMs: period.startMs, endMs } : period;
}

export function hasAny({ ranges }: Held): boolean {
  return ranges.length > 0;
}

/** The container in which a node has most, the first of equals. */
function mostOf(
  wish: ArchiveWish,
  compared: TimeRange,
  rangesOf: (container: Container) => readonly TimeRange[],
): Held | undefined {
  let most: Held | undefined;
  for (const container of containersFor(wish.protocol, wish.container)) {
    const ranges = rangesOf(container);
    const missing = totalMs([compared]) - overlapMs(ranges, compared);
    if (most === undefined || missing < most.missingMs)
      most = { container, ranges, missingMs: missing };
  }
  return most;
}

function overlapMs(ranges: readonly TimeRange[], { startMs, endMs }: TimeRange): number {
  let sum = 0;
  for (const range of ranges)
    sum += Math.max(0, Math.min(range.endMs, endMs) - Math.max(range.startMs, startMs));
  return sum;
}

export function ownHeld(wish: ArchiveWish, compared: TimeRange): Held | undefined {
  return wish.candidates.own === undefined ? undefined : mostOf(wish, compared, wish.own);
}

type FoundMembers = {
  readonly members: readonly ArchiveMember[];
  readonly verdicts: readonly Verdict[];
  /** What the viewer's home node was to be asked for, and cannot be now: a player has a playlist that holds it. */
  readonly lost: Held | undefined;
};

/** Members that have some of the period and fit the viewer, best first: least missing, then least loaded. */
export function findMembers(
  wish: ArchiveWish,
  compared: TimeRange,
  container: Container | undefined,
): FoundMembers {
  const { candidates, viewer, arrival, protocol } = wish;
  const visited = arrival.kind === 'own' ? [] : [arrival.home, ...arrival.hops];
  const found: (ArchiveMember & { readonly load: number; readonly rank: number })[] = [];
  const verdicts = candidates.list.map((candidate): Verdict => {
    const about = { node: candidate.node.id, stream: candidate.stream.name };
    const held = heldBy(wish, compared, candidate);
    if (held === undefined || !hasAny(held)) return { ...about, reasons: ['nothing-recorded'] };
    const { fit, reasons: fitReasons } = judgeFor({
      candidate,
      candidates,
      viewer,
      visited: [],
      purpose: 'redirect',
    });
    const reasons = [...standingReasons(candidate, protocol), ...fitReasons];
    if (fit.kind === 'unfit' || reasons.length > 0) return { ...about, reasons };
    const isVisited = visited.includes(candidate.node.id);
    const load = loadOf(candidate, wish.sentLately);
    const rank = hash32(`${viewer.key} ${candidate.node.id}`);
    found.push({ candidate, offer: offer(candidate, fit.place), isVisited, ...held, load, rank });
    const isOther = container !== undefined && held.container !== container;
    if (isOther) return { ...about, reasons: ['container-differs'] };
    return { ...about, reasons: isVisited ? ['visited'] : [] };
  });
  const members = found.sort(
    (a, b) => secondsOf(a.missingMs) - secondsOf(b.missingMs) || a.load - b.load || a.rank - b.rank,
  );
  const home = candidates.list.find((candidate) => isPlayedFrom(wish, candidate));
  const isLost = home !== undefined && members.every(({ candidate }) => candidate !== home);
  return { members, verdicts, lost: isLost ? heldBy(wish, compared, home) : undefined };
}

function heldBy(
  wish: ArchiveWish,
  compared: TimeRange,
  { stream: { archive } }: Candidate,
): Held | undefined {
  return archive?.[wish.protocol] === true
    ? mostOf(wish, compared, (container) => rangesWithin(archive[container], wish.period))
    : undefined;
}

/** Whether the player has a playlist of this node's, with its pieces. */
function isPlayedFrom({ form, arrival, joins }: ArchiveWish, candidate: Candidate): boolean {
  const isHome = arrival.kind === 'backup' && arrival.home === candidate.node.id;
  return form === 'media' && isHome && joins(candidate);
}

function secondsOf(ms: number): number {
  return Math.floor(ms / worthMs);
}

function standingReasons({ target }: Candidate, protocol: 'hls' | 'dash'): readonly ReasonCode[] {
  const assessment = target[protocol];
  return assessment.eligible ? [] : assessment.reasons.filter((reason) => !airReasons.has(reason));
}

/** Viewers there for its weight, those on their way included. */
function loadOf({ node }: Candidate, sentLately: ReadonlyMap<string, number>): number {
  const viewers = node.ownSessions + node.backupSessions + (sentLately.get(node.id) ?? 0);
  return viewers / Math.max(node.weight, 1e-6);
}
