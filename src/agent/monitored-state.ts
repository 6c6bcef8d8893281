import type { Now } from '../core/time.ts';
import type { Administer } from './administer.ts';
import { isOnAir } from './administer-streams.ts';
import type { Alerts } from './alerts.ts';
import type { MonitoredState } from './ports.ts';

type Deps = {
  readonly administer: Pick<Administer, 'node' | 'streams' | 'groups' | 'peers'>;
  readonly alerts: Pick<Alerts, 'standing'>;
};

/** What monitoring may see of the node, from what operators see and the alerts that stand. Reads nothing from disk. */
export function monitoredState({ administer, alerts }: Deps, now: Now): MonitoredState {
  const node = administer.node(now);
  const standing = new Map<number, number>();
  for (const { code } of alerts.standing()) standing.set(code, (standing.get(code) ?? 0) + 1);
  return {
    sessions: { own: node.counts.ownSessions, backup: node.counts.backupSessions },
    streams: administer.streams().map(({ name, air }) => ({ name, onAir: isOnAir(air) })),
    groups: administer.groups(now),
    peers: administer.peers(now).peers,
    keyState: node.key.state,
    draining: node.draining,
    overloaded: node.load.overloaded,
    atBackupLimit: node.load.atBackupLimit,
    load: { cpu: node.load.cpu.percent, network: node.load.network.percent },
    alerts: standing,
  };
}
