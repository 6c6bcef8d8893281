import { Gauge, type Registry } from 'prom-client';
import type { MonitoredState } from '../../agent/ports.ts';

/** Streams and peers that get a series of their own; all are in the sums. */
const namedMax = 500;

type Gauges = ReturnType<typeof stateGauges>;

/** The gauges of a node's state. */
export function stateGauges(registry: Registry) {
  const gauge = <T extends string = never>(name: string, help: string, ...labelNames: T[]) =>
    new Gauge<T>({ name: `understudy_${name}`, help, labelNames, registers: [registry] });
  return {
    sessions: gauge('sessions', 'Viewers now: own ones and those of other nodes', 'kind'),
    streams: gauge('streams', 'Streams of this node by whether they are on air', 'state'),
    onAir: gauge('stream_on_air', '1 while the stream is on air here', 'stream'),
    groups: gauge('groups', 'Groups by their state as this node sees it', 'state'),
    problems: gauge('group_problems', 'Problems of all groups by reason code', 'code'),
    peers: gauge('peers', 'Configured peers by reachability', 'reachability'),
    reachable: gauge('peer_reachable', '1 while the peer answers', 'peer'),
    offset: gauge(
      'peer_clock_offset_seconds',
      'Wall clock of the peer minus that of this node',
      'peer',
    ),
    key: gauge('viewing_key_in_force', '1 while the newest viewing key signs'),
    draining: gauge('draining', '1 while the node is being drained'),
    overloaded: gauge('overloaded', '1 while viewers of other nodes are refused for load'),
    full: gauge('at_backup_limit', '1 while as many viewers of other nodes are here as may be'),
    load: gauge(
      'load_ratio',
      'Smoothed load as a share of what the machine can do; absent where it cannot be measured',
      'resource',
    ),
    alerts: gauge('alerts', 'Standing alerts by code', 'code'),
  };
}

/** Puts the state of now in the place of that of before. */
export function setState(gauges: Gauges, state: MonitoredState): void {
  const count = <T>(items: readonly T[], is: (item: T) => boolean) => items.filter(is).length;
  gauges.sessions.set({ kind: 'own' }, state.sessions.own);
  gauges.sessions.set({ kind: 'backup' }, state.sessions.backup);
  const onAir = count(state.streams, (stream) => stream.onAir);
  gauges.streams.set({ state: 'on_air' }, onAir);
  gauges.streams.set({ state: 'off_air' }, state.streams.length - onAir);
  for (const is of ['reserve', 'degraded', 'none'] as const)
    gauges.groups.set(
      { state: is },
      count(state.groups, (group) => group.state === is),
    );
  for (const reachability of ['reachable', 'unreachable', 'unknown'] as const)
    gauges.peers.set(
      { reachability },
      count(state.peers, (peer) => peer.reachability === reachability),
    );
  gauges.key.set(state.keyState === 'in-force' ? 1 : 0);
  gauges.draining.set(state.draining ? 1 : 0);
  gauges.overloaded.set(state.overloaded ? 1 : 0);
  gauges.full.set(state.atBackupLimit ? 1 : 0);
  setNamed(gauges, state);
}

/** Series that come and go. */
function setNamed(gauges: Gauges, { streams, groups, peers, load, alerts }: MonitoredState): void {
  const { onAir, problems, reachable, offset } = gauges;
  for (const gauge of [onAir, problems, reachable, offset, gauges.load]) gauge.reset();
  for (const stream of streams.slice(0, namedMax))
    onAir.set({ stream: stream.name }, stream.onAir ? 1 : 0);
  for (const { code } of groups.flatMap((group) => group.problems)) problems.inc({ code });
  for (const { url, reachability, clockOffsetMs } of peers.slice(0, namedMax)) {
    reachable.set({ peer: url }, reachability === 'reachable' ? 1 : 0);
    if (clockOffsetMs !== undefined) offset.set({ peer: url }, clockOffsetMs / 1000);
  }
  if (load.cpu !== undefined) gauges.load.set({ resource: 'cpu' }, load.cpu / 100);
  if (load.network !== undefined) gauges.load.set({ resource: 'network' }, load.network / 100);
  for (const code of [70, 78, 79]) gauges.alerts.set({ code: String(code) }, alerts.get(code) ?? 0);
}
