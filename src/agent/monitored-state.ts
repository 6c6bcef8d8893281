import type { Now } from '../core/time.ts';
import type { Administer } from './administer.ts';
import type { MonitoredState } from './ports.ts';

/** What monitoring may see of the node, from what operators see. */
export function monitoredState(administer: Administer, now: Now): MonitoredState {
  const node = administer.node(now);
  const alerts = new Map<number, number>();
  for (const { code } of administer.alerts('raised')) alerts.set(code, (alerts.get(code) ?? 0) + 1);
  return {
    sessions: { own: node.counts.ownSessions, backup: node.counts.backupSessions },
    streams: administer.streams().map(({ name, air }) => ({
      name,
      onAir: air.hls?.onAir === true || air.dash?.onAir === true,
    })),
    groups: administer.groups(now),
    peers: administer.peers(now).peers,
    keyState: node.key.state,
    draining: node.draining,
    overloaded: node.load.overloaded,
    atBackupLimit: node.load.atBackupLimit,
    load: { cpu: node.load.cpu.percent, network: node.load.network.percent },
    alerts,
  };
}
