import type { DrillWish } from '../../core/drill/failure.ts';
import { playerRules } from '../../core/drill/player-rules.ts';
import {
  type FamilyResult,
  familyResults,
  isPassed,
  type ProbeResult,
} from '../../core/drill/report.ts';
import type { MonoMs, UnixMs } from '../../core/time.ts';
import type { PlayerFamily } from '../../core/viewer/viewer.ts';
import type { Probe } from './probe.ts';
import type { Sleeper } from './sleeper.ts';
import type { MetViewer } from './staging.ts';

/** Viewers who have not asked here for so many target durations have left: a reload is due in each. */
const gapTargets = 3;

/** A drill as it goes on. */
export type Drill = {
  readonly id: string;
  readonly wish: DrillWish;
  readonly startedAt: UnixMs;
  /** `warming`: its players begin to watch; `failing`: the failure is on; `stopped`: somebody ended it. */
  state: 'warming' | 'failing' | 'done' | 'stopped';
  readonly probes: Probe[];
  viewers: ReadonlyMap<string, MetViewer>;
  readonly sleeper: Sleeper;
  failure?: { readonly at: UnixMs; readonly beganAt: MonoMs };
  ended?: { readonly at: UnixMs; readonly monoMs: MonoMs };
  /** As it was when it ended. */
  final?: DrillView;
};

/** Real viewers of one player family who met the failure, as this node saw them. */
type ViewersResult = {
  readonly family: PlayerFamily;
  readonly met: number;
  /** Who had not asked this node for three target durations. */
  readonly left: number;
  /** Longest time for which one of these went on asking here, ms. */
  readonly leftAfterMs?: number | undefined;
  /** Who was found at another node, the longest that it took one of them, to the second, and those nodes. */
  readonly arrived: number;
  readonly arrivedAfterMs?: number | undefined;
  readonly to: readonly string[];
};

export type DrillView = {
  readonly id: string;
  readonly wish: DrillWish;
  readonly state: Drill['state'];
  readonly startedAt: UnixMs;
  /** When the failure began, and when it will end or did. */
  readonly failureAt?: UnixMs | undefined;
  readonly endsAt?: UnixMs | undefined;
  readonly endedAt?: UnixMs | undefined;
  /** Whether all who move by their rules were carried; absent until the failure is over. */
  readonly passed?: boolean | undefined;
  readonly families: readonly FamilyResult[];
  readonly probes: readonly ProbeResult[];
  readonly viewers: readonly ViewersResult[];
};

/** What is known of a drill now; of one that is over, what was known then. */
export function drillView(drill: Drill, now: MonoMs): DrillView {
  if (drill.final !== undefined) return drill.final;
  const { id, wish, state, startedAt, failure, ended } = drill;
  const probes = drill.probes.map((probe) => probe.result(now));
  const families = familyResults(probes, {
    failedForMs: failure === undefined ? 0 : now - failure.beganAt,
    isAssumed: (family) => playerRules[family].isAssumed,
  });
  return {
    ...{ id, wish, state, startedAt },
    failureAt: failure?.at,
    endsAt: failure && failure.at + wish.durationS * 1000,
    endedAt: ended?.at,
    passed: ended === undefined || failure === undefined ? undefined : isPassed(families),
    ...{ families, probes, viewers: viewersResults(drill, now) },
  };
}

function viewersResults({ viewers, probes }: Drill, now: MonoMs): readonly ViewersResult[] {
  const gapMs = gapTargets * Math.max(...probes.map(({ targetMs }) => targetMs));
  const families = new Set([...viewers.values()].map(({ family }) => family));
  return [...families].map((family) => {
    const met = [...viewers.values()].filter((viewer) => viewer.family === family);
    const left = met.filter(({ lastAt }) => now - lastAt > gapMs);
    const triedMs = left.map(({ firstAt, lastAt }) => Math.round(lastAt - firstAt));
    const arrived = met.filter(({ at }) => at !== undefined);
    const tookMs = arrived.map(({ firstAt, servedAt = firstAt }) => Math.round(servedAt - firstAt));
    return {
      ...{ family, met: met.length, left: left.length, arrived: arrived.length },
      leftAfterMs: triedMs.length === 0 ? undefined : Math.max(...triedMs),
      arrivedAfterMs: tookMs.length === 0 ? undefined : Math.max(...tookMs),
      to: [...new Set(arrived.flatMap(({ at }) => at ?? []))].sort(),
    };
  });
}
