import type { Now } from '../core/time.ts';
import type { Admission } from './admission.ts';
import { AlertDelivery } from './alert-delivery.ts';
import type { AlertOutcome, AlertStore, AlertTarget } from './alert-ports.ts';
import { Alerts } from './alerts.ts';
import type { Audience } from './audience.ts';
import type { Cycle } from './cycles.ts';
import type { GroupReports } from './group-reports.ts';
import type { LiveStreams } from './live-streams.ts';
import type { Peers } from './peers.ts';
import type { Clock, Log, RandomBytes } from './ports.ts';
import type { ViewingKeys } from './viewing-keys.ts';

const everyMs = 1_000;

/** Who was told a test, by host, and whether it was taken. */
export type TestedTarget = { readonly to: string } & AlertOutcome;

/** The alerts of a node and their delivery, with the cycles that drive both. */
export function createAlerting(parts: {
  readonly nodeId: string;
  readonly ports: {
    readonly clock: Clock;
    readonly log: Log;
    readonly randomBytes: RandomBytes;
    readonly alertStore: AlertStore;
    readonly alertTargets: readonly AlertTarget[];
  };
  readonly groups: GroupReports;
  readonly peers: Pick<Peers, 'list'>;
  readonly keys: Pick<ViewingKeys, 'view'>;
  readonly audience: Pick<Audience, 'watching'>;
  readonly admission: Pick<Admission, 'refusals'>;
  readonly live: Pick<LiveStreams, 'facts'>;
}) {
  const { nodeId, groups, peers, keys, audience, admission, live } = parts;
  const { clock, log, randomBytes, alertStore: store, alertTargets: targets } = parts.ports;
  const alerts = new Alerts({
    ...{ nodeId, log, store, groups, keys },
    targets: targets.map(({ key }) => key),
    peers: (now) => peers.list(now),
    watching: () => audience.watching(),
    groupOf: (stream) => live.facts(stream)?.group,
    refusals: () => admission.refusals(),
  });
  const delivery = new AlertDelivery({
    ...{ clock, log, store, targets, randomBytes },
    standing: () => alerts.standing(),
  });
  const cycles: readonly Cycle[] = [
    { name: 'alerts', everyMs, run: (now) => alerts.tick(now) },
    { name: 'alert delivery', everyMs, run: (now) => delivery.tick(now) },
  ];
  /** Tells every target a test now, and says what each of them made of it. */
  const test = (now: Now): Promise<readonly TestedTarget[]> =>
    Promise.all(
      targets.map(async (target) => ({ to: target.host, ...(await target.test(now.wallMs)) })),
    );
  return { alerts, cycles, test, stop: () => delivery.stop() };
}
