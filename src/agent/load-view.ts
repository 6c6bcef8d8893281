import type { NodeFacts } from '../core/group/node.ts';

type LoadFacts = Pick<
  NodeFacts,
  'load' | 'overloaded' | 'atBackupLimit' | 'backupSessionsMax' | 'weight'
>;

type ResourceView = {
  readonly state: 'measured' | 'unknown';
  readonly percent?: number;
  readonly limitPercent?: number;
};

/** Load of a node as operators see it; what cannot be measured there says so. */
export function loadView(facts: LoadFacts) {
  const { load, overloaded, atBackupLimit, backupSessionsMax, weight } = facts;
  return {
    cpu: resourceView(load?.cpuPercent, load?.cpuLimitPercent),
    network: resourceView(load?.networkPercent, load?.networkLimitPercent),
    overloaded,
    atBackupLimit,
    ...(backupSessionsMax !== undefined && { backupSessionsMax }),
    weight,
  };
}

function resourceView(percent: number | undefined, limitPercent: number | undefined): ResourceView {
  return {
    state: percent === undefined ? 'unknown' : 'measured',
    ...(percent !== undefined && { percent }),
    ...(limitPercent !== undefined && { limitPercent }),
  };
}
