import type { UnixMs } from '../time.ts';
import { type ArchiveFacts, packedSpan, rangesWithin, unpackRanges } from './archive-facts.ts';
import { gapsOf, spanOf, type TimeRange, totalMs } from './ranges.ts';

type RangeView = { readonly startAt: UnixMs; readonly endAt: UnixMs };

/** What an operator sees of the recordings in one container. */
export type ContainerView = {
  readonly ranges: readonly RangeView[];
  readonly gaps: readonly RangeView[];
  /** From the first start to the last end; absent when nothing is recorded. */
  readonly span?: RangeView | undefined;
  readonly recordedMs: number;
};

/** Ranges, gaps and span of sorted ranges. */
export function viewRanges(ranges: readonly TimeRange[]): ContainerView {
  const span = spanOf(ranges);
  return {
    ranges: ranges.map(rangeView),
    gaps: gapsOf(ranges).map(rangeView),
    span: span && rangeView(span),
    recordedMs: totalMs(ranges),
  };
}

/** What a member says of its archive, in both containers; a range that grows ends now. */
export function viewArchive(facts: ArchiveFacts, nowMs: UnixMs) {
  return {
    depthMs: facts.depthMs,
    ts: viewRanges(unpackRanges(facts.ts, nowMs)),
    fmp4: viewRanges(unpackRanges(facts.fmp4, nowMs)),
  };
}

/** The archive of a group's member in few words. */
export type ArchiveSummary = {
  readonly depthMs: number;
  readonly ts?: ContainerSummary | undefined;
  readonly fmp4?: ContainerSummary | undefined;
};

type ContainerSummary = RangeView & {
  /** How many holes there are in between, and how much is recorded. */
  readonly gaps: number;
  readonly recordedMs: number;
};

/** Undefined where no archive is kept. */
export function summarizeArchive(
  facts: ArchiveFacts | undefined,
  nowMs: UnixMs,
): ArchiveSummary | undefined {
  if (facts === undefined) return undefined;
  const { depthMs, ts, fmp4 } = facts;
  return { depthMs, ts: summarize(ts, nowMs), fmp4: summarize(fmp4, nowMs) };
}

function summarize(packed: ArchiveFacts['ts'], nowMs: UnixMs): ContainerSummary | undefined {
  const span = packedSpan(packed);
  if (span === undefined) return undefined;
  const ranges = rangesWithin(packed, { startMs: span.startMs, endMs: nowMs });
  return {
    startAt: span.startMs,
    endAt: Math.min(span.endMs, nowMs),
    gaps: Math.max(ranges.length - 1, 0),
    recordedMs: totalMs(ranges),
  };
}

function rangeView({ startMs, endMs }: TimeRange): RangeView {
  return { startAt: Math.round(startMs), endAt: Math.round(endMs) };
}
