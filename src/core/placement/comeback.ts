import type { MonoMs } from '../time.ts';

/** What a member that came back gets of its weight, step by step. */
const shares = [0.1, 0.25, 0.5, 0.75] as const;
/** Length of a step, ms: after 60 s it has its whole weight again. */
const stepMs = 15_000;

/** What one observer has seen of one member's eligibility. */
export type Comeback = {
  readonly isEligible: boolean;
  /** When it became eligible again; absent if it never was before. */
  readonly backAt?: MonoMs | undefined;
};

/** Takes one more verdict in. What is seen for the first time has not come back; nor has what was never eligible. */
export function noteVerdict(
  before: Comeback | undefined,
  isEligible: boolean,
  at: MonoMs,
): Comeback | undefined {
  if (before === undefined) return isEligible ? { isEligible } : undefined;
  if (isEligible === before.isEligible) return before;
  return isEligible ? { isEligible, backAt: at } : { isEligible };
}

/**
 * The part of its weight, above 0 and up to 1, by which a member takes part in new lists and redirects: one that came back
 * gets 0.1, 0.25, 0.5 and 0.75 of it for 15 s each, so that not everybody jumps on it at once.
 */
export function shareOf(comeback: Comeback | undefined, at: MonoMs): number {
  if (comeback?.backAt === undefined) return 1;
  return shares[Math.floor((at - comeback.backAt) / stepMs)] ?? 1;
}
