import { type ArchiveSummary, summarizeArchive } from '../archive/coverage-view.ts';
import type { Place } from '../placement/address-fit.ts';
import type { Candidate, Candidates } from '../placement/candidates.ts';
import { type ReasonCode, reasonTexts } from '../reasons.ts';
import type { AirState, StreamFacts } from '../stream/stream.ts';
import type { Now } from '../time.ts';
import { whoIsWrong } from './clock-offset.ts';
import { assessMember, selfAsPeer } from './eligibility.ts';
import type { Assessment, NodeFacts, Peer } from './node.ts';
import { type SourceState, type SourceVerdict, sourceState } from './source.ts';

/** What an operator sees of a group, from one of its nodes (`docs/operating.md`). */
export type GroupReport = {
  readonly name: string;
  /** `none`: nobody can stand in for this node; `degraded`: somebody can, with a problem; `reserve`: all is well. */
  readonly state: 'reserve' | 'degraded' | 'none';
  /** This node's own first, then by node. */
  readonly problems: readonly Problem[];
  /** This node first, then by node. */
  readonly members: readonly MemberReport[];
};

type Problem = {
  readonly code: ReasonCode;
  /** One sentence that names the node. */
  readonly text: string;
  /** Where it has to be mended; absent if that cannot be told. */
  readonly node?: string | undefined;
};

type MemberReport = {
  readonly node: string;
  readonly stream: string;
  readonly eligible: boolean;
  readonly reasons: readonly ReasonCode[];
  readonly onAir: boolean;
  /** How it is known that its source is ours. */
  readonly source: SourceState;
  /** What the operator calls its source. */
  readonly sourceLabel?: string | undefined;
  /** Its packager's time stamps minus those of ours for the same picture, ticks of 90 kHz; only where proved. */
  readonly ptsDifference?: number | undefined;
  /** Its wall clock minus ours, ms; absent while not measured. */
  readonly clockOffsetMs?: number | undefined;
  /** What it has recorded; absent where it keeps no archive. */
  readonly archive?: ArchiveSummary | undefined;
};

/** Our own stream is its own clone. */
const ofItself: SourceVerdict = {
  proof: { kind: 'proved', difference: 0, votes: 0 },
  isSameRun: true,
  segmentsBehind: 0,
};

/** What an operator does on purpose is a reason, but no problem. */
const wanted: ReadonlySet<ReasonCode> = new Set(['reserve-off', 'draining']);

/** The group of our stream `own`, as the verdicts in `candidates` and the clocks of `peers` have it. */
export function reportGroup(parts: {
  readonly name: string;
  readonly self: NodeFacts;
  readonly own: StreamFacts;
  readonly candidates: Candidates;
  readonly peers: readonly Peer[];
  readonly signingKeyId: string | undefined;
  /** Whether viewers with public addresses were seen here: else private addresses may be all that is needed. */
  readonly hasPublicViewers: boolean;
  /** Segments of ours that had to be taken from other members within the last minute. */
  readonly damagedLately?: number | undefined;
  /** Nodes, of this group or not, whose death the others could not bear, each with a sentence. */
  readonly losses: readonly { readonly node: string; readonly text: string }[];
  readonly now: Now;
}): GroupReport {
  const { self, own, candidates, peers, signingKeyId, losses, now } = parts;
  const isPublic = parts.hasPublicViewers || hasPublicMember(candidates);
  const ownVerdict = assessMember({
    peer: selfAsPeer(self, [own], now),
    peerStream: own,
    selfStream: own,
    source: ofItself,
    ...{ signingKeyId, now },
  });
  const offsets = offsetsOf(peers);
  const problems = [
    ...ownProblems(self, reasonsOf(ownVerdict), candidates, isPublic),
    ...damageProblems(self.id, parts.damagedLately ?? 0),
    ...candidates.list.flatMap((candidate) =>
      memberProblems(self.id, candidate, { offsets, isPublic }),
    ),
    ...losses
      .filter(({ node }) =>
        [self, ...candidates.list.map((other) => other.node)].some(({ id }) => id === node),
      )
      .map((loss) => ({ code: 'not-survivable' as const, ...loss })),
  ];
  const members = [
    {
      ...memberReport(self.id, own, ownVerdict, 0),
      archive: summarizeArchive(own.archive, now.wallMs),
      ...sourceReport(own, own, own.hls?.timeline?.state === 'anew' ? ofItself : undefined),
    },
    ...candidates.list.map(({ node, stream, backup, source }) => ({
      ...memberReport(node.id, stream, backup, offsets.get(node.id)),
      archive: summarizeArchive(stream.archive, now.wallMs),
      ...sourceReport(own, stream, source),
    })),
  ];
  const hasBackup = candidates.list.some(({ backup }) => backup?.eligible === true);
  const state = hasBackup ? (problems.length === 0 ? 'reserve' : 'degraded') : 'none';
  return { name: parts.name, state, problems, members };
}

function ownProblems(
  self: NodeFacts,
  reasons: readonly ReasonCode[],
  { self: { places }, list }: Candidates,
  isPublic: boolean,
): readonly Problem[] {
  const codes = reasons.filter((code) => !wanted.has(code));
  return [
    ...codes.map((code) => problem(self.id, code)),
    ...addressProblems(self.id, places.places, isPublic),
    ...(list.length === 0 ? [problem(self.id, 'no-other-member')] : []),
  ];
}

function damageProblems(node: string, count: number): readonly Problem[] {
  if (count === 0) return [];
  const { code, text } = problem(node, 'segments-damaged');
  return [{ code, text: `${text} (${count} in the last minute)`, node }];
}

function memberProblems(
  selfId: string,
  { node, backup, places }: Candidate,
  group: { readonly offsets: ReadonlyMap<string, number>; readonly isPublic: boolean },
): readonly Problem[] {
  // What concerns the whole domain is told once, of this node.
  const codes = reasonsOf(backup).filter(
    (code) => !wanted.has(code) && code !== 'key-not-in-force',
  );
  return [
    ...codes.map((code) =>
      code === 'clock-skew' ? skewProblem(selfId, node.id, group.offsets) : problem(node.id, code),
    ),
    ...addressProblems(node.id, places.places, group.isPublic),
  ];
}

/** Both nodes say so, and the median of the group tells which clock is wrong where there are three. */
function skewProblem(selfId: string, nodeId: string, offsets: ReadonlyMap<string, number>) {
  const offsetMs = offsets.get(nodeId) ?? 0;
  const wrong = whoIsWrong(selfId, offsets);
  const culprit = [nodeId, selfId].find((id) => wrong.includes(id));
  const apart = `the clock of ${nodeId} is ${Math.abs(offsetMs / 1000).toFixed(1)} s ${
    offsetMs > 0 ? 'ahead of' : 'behind'
  } that of ${selfId}`;
  const blame = culprit === undefined ? 'one of them is wrong' : `that of ${culprit} is wrong`;
  return { code: 'clock-skew' as const, text: `${apart}: ${blame}`, node: culprit };
}

function addressProblems(
  node: string,
  places: readonly Place[],
  isPublic: boolean,
): readonly Problem[] {
  if (places.length === 0) return [problem(node, 'address-missing')];
  return !isPublic || places.some(isForAll) ? [] : [problem(node, 'address-private')];
}

/** Where all members have private addresses only, all viewers may well be inside. */
function hasPublicMember({ self, list }: Candidates): boolean {
  return [self, ...list].some(({ places }) => places.places.some(isForAll));
}

function isForAll({ address }: Place): boolean {
  return address?.class !== 'private';
}

function problem(node: string, code: ReasonCode): Problem {
  return { code, text: `${node}: ${reasonTexts[code]}`, node };
}

function memberReport(
  node: string,
  stream: StreamFacts,
  verdict: Assessment | undefined,
  clockOffsetMs: number | undefined,
): Omit<MemberReport, 'source'> {
  const air: AirState = stream.hls?.air ?? stream.dash?.air ?? { onAir: false, reason: 'starting' };
  return {
    node,
    stream: stream.name,
    eligible: verdict?.eligible === true,
    reasons: reasonsOf(verdict),
    onAir: air.onAir,
    sourceLabel: stream.source,
    clockOffsetMs: clockOffsetMs === undefined ? undefined : Math.round(clockOffsetMs),
  };
}

function sourceReport(own: StreamFacts, theirs: StreamFacts, verdict: SourceVerdict | undefined) {
  const proof = verdict?.proof;
  return {
    source: sourceState(own, theirs, verdict),
    ptsDifference: proof?.kind === 'proved' ? Math.round(proof.difference) : undefined,
  };
}

function reasonsOf(verdict: Assessment | undefined): readonly ReasonCode[] {
  return verdict?.eligible === false ? verdict.reasons : [];
}

function offsetsOf(peers: readonly Peer[]): ReadonlyMap<string, number> {
  return new Map(
    peers.flatMap(({ facts, clock }) => (facts && clock ? [[facts.id, clock.offsetMs]] : [])),
  );
}
