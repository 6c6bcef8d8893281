import type { DrillFamily } from './failure.ts';
import type { ExpectedOutcome } from './player-rules.ts';

/** Less than this without media shows as nothing, or as a blink, ms. */
const blinkMs = 1_000;

/** What became of one modelled player. Times are since the failure began, ms; absent: it did not happen. */
export type ProbeResult = {
  readonly family: DrillFamily;
  /** Whether the failure was meant for it. */
  readonly chosen: boolean;
  /** `opening`: not playing yet. `ended`: its rules give up. `unopened`: it never got so far. */
  readonly state: 'opening' | 'playing' | 'ended' | 'unopened';
  /** First request that failed, or first playlist that had to be taken for frozen. */
  readonly metAfterMs?: number | undefined;
  /** First request to another node, and that node. */
  readonly movedAfterMs?: number | undefined;
  readonly movedTo?: string | undefined;
  /** First media playlist it had from another node. */
  readonly servedAfterMs?: number | undefined;
  readonly withoutMediaMs: number;
  readonly missingMs: number;
  readonly requests: number;
  readonly bytes: number;
  /** Why it is where it is, where that needs to be said. */
  readonly note?: string | undefined;
  readonly expected: { readonly outcome: ExpectedOutcome; readonly withinMs?: number | undefined };
};

/** How one family came through. */
export type FamilyResult = {
  readonly family: DrillFamily;
  readonly isAssumed: boolean;
  readonly expected: ExpectedOutcome;
  /** When its rules would have brought it elsewhere at the latest, ms after the failure began. */
  readonly expectedWithinMs?: number | undefined;
  readonly probes: number;
  readonly chosen: number;
  readonly moved: number;
  readonly ended: number;
  /** The first that met it, ms after the failure began. */
  readonly metAfterMs?: number | undefined;
  /** The slowest of those that moved, ms after the failure began. */
  readonly movedAfterMs?: number | undefined;
  readonly servedAfterMs?: number | undefined;
  /** The worst of those chosen. */
  readonly withoutMediaMs: number;
  readonly missingMs: number;
  /** Nodes they moved to. */
  readonly to: readonly string[];
  /**
   * `carried`: all of them, without a second of nothing. `interrupted`: all, but not at once. `lost`: not all. `waiting`:
   * not due yet. `stays`: its rules leave it where it is. `unproved`: none was chosen, or none had opened.
   */
  readonly verdict: 'carried' | 'interrupted' | 'lost' | 'waiting' | 'stays' | 'unproved';
};

/** Families in the order in which they first come among `probes`; `failedForMs`: since the failure began. */
export function familyResults(
  probes: readonly ProbeResult[],
  facts: { readonly failedForMs: number; readonly isAssumed: (family: DrillFamily) => boolean },
): readonly FamilyResult[] {
  const families = [...new Set(probes.map(({ family }) => family))];
  return families.map((family) => {
    const all = probes.filter((probe) => probe.family === family);
    const chosen = all.filter((probe) => probe.chosen);
    const moved = chosen.filter(({ servedAfterMs }) => servedAfterMs !== undefined);
    const expected = all[0]?.expected;
    return {
      family,
      isAssumed: facts.isAssumed(family),
      expected: expected?.outcome ?? 'stays',
      expectedWithinMs: expected?.withinMs,
      probes: all.length,
      chosen: chosen.length,
      moved: moved.length,
      ended: chosen.filter(({ state }) => state === 'ended').length,
      metAfterMs: earliest(chosen.map(({ metAfterMs }) => metAfterMs)),
      movedAfterMs: latest(moved.map(({ movedAfterMs }) => movedAfterMs)),
      servedAfterMs: latest(moved.map(({ servedAfterMs }) => servedAfterMs)),
      withoutMediaMs: Math.max(0, ...chosen.map(({ withoutMediaMs }) => withoutMediaMs)),
      missingMs: Math.max(0, ...chosen.map(({ missingMs }) => missingMs)),
      to: [...new Set(moved.flatMap(({ movedTo }) => movedTo ?? []))].sort(),
      verdict: verdictOf(chosen, facts.failedForMs),
    };
  });
}

/**
 * Whether everybody who moves, or opens again, by its rules in the time that the failure lasted was carried, or interrupted at
 * most. Who gives up by its rules says nothing of the nodes. False where nothing was proved.
 */
export function isPassed(families: readonly FamilyResult[]): boolean {
  const isCarried = ({ verdict }: FamilyResult) =>
    verdict === 'carried' || verdict === 'interrupted';
  const isBlamed = ({ verdict, expected }: FamilyResult) =>
    verdict === 'lost' && expected !== 'ends';
  return families.some(isCarried) && !families.some(isBlamed);
}

function verdictOf(chosen: readonly ProbeResult[], failedForMs: number): FamilyResult['verdict'] {
  const tried = chosen.filter(({ state }) => state === 'playing' || state === 'ended');
  const [first] = tried;
  if (first === undefined) return 'unproved';
  const { outcome, withinMs = Number.POSITIVE_INFINITY } = first.expected;
  if (tried.every(({ servedAfterMs }) => servedAfterMs !== undefined))
    return tried.every(({ withoutMediaMs }) => withoutMediaMs < blinkMs)
      ? 'carried'
      : 'interrupted';
  if (outcome === 'stays') return 'stays';
  return failedForMs < withinMs ? 'waiting' : 'lost';
}

function earliest(times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter((ms) => ms !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}

function latest(times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter((ms) => ms !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}
