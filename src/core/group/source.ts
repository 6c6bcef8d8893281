import type { ReasonCode } from '../reasons.ts';
import type { StreamFacts } from '../stream/stream.ts';
import type { SourceProof } from '../timeline/proof.ts';

/** What was found out about the source of a member's stream against ours (`docs/timeline.md`). */
export type SourceVerdict = {
  readonly proof: SourceProof;
  /** Both follow one run: their segments of one number are the same. */
  readonly isSameRun: boolean;
  /** How many segments its window ends before ours. */
  readonly segmentsBehind: number;
};

/** What an operator is shown of it. */
export type SourceState = 'proved' | 'different' | 'unknown' | 'declared';

/** A window that ends so many segments before ours is no place to go on. */
const segmentsBehindMax = 1;

/**
 * Why a player that goes on at `theirs` would not go on with the same pictures under the same numbers. Streams that are both
 * written anew are one if their sources are proved and both follow one run. Others are if the operator says so:
 * their numbers and times are what their packagers make them.
 */
export function sourceFaults(
  own: StreamFacts,
  theirs: StreamFacts,
  verdict: SourceVerdict | undefined,
): readonly ReasonCode[] {
  const isDeclared = own.source !== undefined && own.source === theirs.source;
  const isContradicted = own.source !== undefined && theirs.source !== undefined && !isDeclared;
  if (isContradicted) return ['source-differs'];
  const ours = own.hls?.timeline;
  const other = theirs.hls?.timeline;
  if (ours?.state !== 'anew' && other?.state !== 'anew') {
    const why = ours?.reason ?? other?.reason;
    return isDeclared ? [] : ['source-undeclared', ...(why === undefined ? [] : [why])];
  }
  if (ours?.state !== 'anew' || other?.state !== 'anew') return ['timeline-differs'];
  return provedFaults(verdict);
}

/** For the API: how the members are known to carry the same source. */
export function sourceState(
  own: StreamFacts,
  theirs: StreamFacts,
  verdict: SourceVerdict | undefined,
): SourceState {
  const kind = verdict?.proof.kind;
  if (kind === 'proved' || kind === 'different') return kind;
  return own.source !== undefined && own.source === theirs.source ? 'declared' : 'unknown';
}

function provedFaults(verdict: SourceVerdict | undefined): readonly ReasonCode[] {
  if (verdict === undefined) return ['source-unproved'];
  const { proof, isSameRun, segmentsBehind } = verdict;
  if (proof.kind === 'different') return ['source-differs'];
  if (proof.kind === 'unknown' && !isSameRun) {
    return [proof.why === 'ambiguous' ? 'source-ambiguous' : 'source-unproved'];
  }
  if (!isSameRun) return ['aligning'];
  return segmentsBehind > segmentsBehindMax ? ['behind'] : [];
}
