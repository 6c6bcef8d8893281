import { type GroupReport, reportGroup } from '../core/group/group-report.ts';
import type { NodeFacts, Peer } from '../core/group/node.ts';
import type { StreamFacts } from '../core/stream/stream.ts';
import type { MonoMs, Now } from '../core/time.ts';
import type { Loss } from './forecasts.ts';
import type { Outlook } from './outlook.ts';

/** Whether a report is wanted on the group that is at this place of so many in the order of names. */
type Wanted = (name: string, at: number, total: number) => boolean;

/** What is seen of groups changes each second at most. */
const keptMs = 1_000;

/** Reports on groups, all of them unless told otherwise; as that takes a while, all of them are kept for a second. */
export type GroupReports = (now: Now, isWanted?: Wanted) => readonly GroupReport[];

type Deps = {
  readonly self: () => NodeFacts;
  readonly facts: () => readonly StreamFacts[];
  readonly peers: (now: Now) => readonly Peer[];
  readonly outlook: Pick<Outlook, 'candidates'>;
  readonly signingKeyId: () => string | undefined;
  readonly hasPublicViewers: (now: Now) => boolean;
  readonly losses: (now: Now) => readonly Loss[];
  /** Segments of a stream that had to be taken from others within the last minute. */
  readonly damagedLately: (stream: string, now: Now) => number;
};

/** Reports on every group that a stream of this node is in, by name. A group that is carried twice is told of once. */
export function createGroupReports(deps: Deps): GroupReports {
  let madeAt: MonoMs = Number.NEGATIVE_INFINITY;
  let kept: readonly GroupReport[] = [];
  return (now, isWanted) => {
    if (isWanted !== undefined) return reportOn(deps, now, isWanted);
    if (now.monoMs - madeAt < keptMs) return kept;
    kept = reportOn(deps, now, () => true);
    madeAt = now.monoMs;
    return kept;
  };
}

function reportOn(deps: Deps, now: Now, isWanted: Wanted): readonly GroupReport[] {
  const self = deps.self();
  const peers = deps.peers(now);
  const signingKeyId = deps.signingKeyId();
  const hasPublicViewers = deps.hasPublicViewers(now);
  const losses = deps.losses(now);
  const byGroup = new Map<string, StreamFacts>();
  for (const own of deps.facts())
    if (own.group !== undefined && !byGroup.has(own.group)) byGroup.set(own.group, own);
  return [...byGroup]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .filter(([name], at) => isWanted(name, at, byGroup.size))
    .map(([name, own]) => {
      const candidates = deps.outlook.candidates(own.name, now);
      const damagedLately = deps.damagedLately(own.name, now);
      return reportGroup({
        ...{ name, self, own, candidates, peers, signingKeyId, hasPublicViewers, losses, now },
        damagedLately,
      });
    });
}
