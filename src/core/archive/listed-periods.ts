import { type Period, wishOf } from './period.ts';
import type { TimeRange } from './ranges.ts';

const minuteMs = 60_000;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Longest period of which a node lists its segments in one answer, ms: it is made while viewers wait. */
const listedMsMax = dayMs;

/** What was recorded longer ago than this stays as it is, as far as anybody can tell, ms. */
export const settledMs = 60_000;

/**
 * The lists of segments that a node is asked for to have all of `span`: in whole minutes, at most a day each, cut at
 * midnight (UTC) so that many ask for the same; what is settled apart from what still grows, which is an hour or little more.
 */
export function listedPeriods(span: TimeRange, nowMs: number): readonly Period[] {
  const endMs = Math.ceil(span.endMs / minuteMs) * minuteMs;
  const grownMs = Math.floor((nowMs - settledMs) / hourMs) * hourMs;
  const periods: Period[] = [];
  for (let startMs = Math.floor(span.startMs / minuteMs) * minuteMs; startMs < endMs; ) {
    const midnightMs = (Math.floor(startMs / dayMs) + 1) * dayMs;
    const cutMs = startMs < grownMs ? Math.min(midnightMs, grownMs) : midnightMs;
    periods.push({ startMs, endMs: Math.min(cutMs, endMs), grows: false });
    startMs = cutMs;
  }
  return periods;
}

/** The period that a list is asked for, whatever time it is here: clocks differ. */
export function readListed(
  from: string,
  duration: string,
):
  | { readonly period: Period }
  | { readonly reason: 'period-invalid' | 'period-empty' | 'period-too-long' } {
  const { fromMs, until } = wishOf(from, duration);
  if (until === 'now' || !Number.isFinite(fromMs) || !Number.isFinite(until))
    return { reason: 'period-invalid' };
  if (until <= fromMs) return { reason: 'period-empty' };
  if (until - fromMs > listedMsMax) return { reason: 'period-too-long' };
  return { period: { startMs: fromMs, endMs: until, grows: false } };
}
