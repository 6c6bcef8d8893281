import type { LoadLimits } from '../core/load/load.ts';
import type { Now } from '../core/time.ts';
import { Admission } from './admission.ts';
import { Audience } from './audience.ts';
import { Drain } from './drain.ts';
import { LoginSlots } from './login-slots.ts';
import type { Peers } from './peers.ts';
import type { ReadLoad } from './ports.ts';
import { SessionNotes } from './session-notes.ts';
import { Sessions } from './sessions.ts';

export type VisitorSettings = {
  /** Node id. */
  readonly id: string;
  /** Most viewers of other nodes at once; absent: no limit. */
  readonly backupSessionsMax?: number | undefined;
  readonly loadLimits?: LoadLimits | undefined;
  /** Where the sessions of a login are counted together. */
  readonly loginLimitScope?: 'node' | 'group' | undefined;
};

const secondMs = 1_000;
const defaultLoadLimits: LoadLimits = { cpuPercent: 90, networkPercent: 90 };

/** Who watches here, who may come and who is to go. `peers` is asked for only once the agent runs. */
export function createVisitors(
  settings: VisitorSettings,
  deps: {
    readonly readLoad?: ReadLoad | undefined;
    readonly fingerprint: (text: string) => string;
    readonly peers: () => Peers;
  },
) {
  const { readLoad, fingerprint, peers } = deps;
  const { id: nodeId, backupSessionsMax, loadLimits = defaultLoadLimits } = settings;
  const sessions = new Sessions();
  const audience = new Audience({ nodeId, sessions });
  const drain = new Drain();
  const notes = new SessionNotes();
  const slots = new LoginSlots({
    scope: settings.loginLimitScope ?? 'node',
    ...{ notes, fingerprint },
    isReachable: (url, now) =>
      peers()
        .list(now)
        .some((peer) => peer.url === url && peer.reachability === 'reachable'),
  });
  const admission = new Admission({
    ...{ nodeId, readLoad, limits: loadLimits, backupSessionsMax, sessions, audience },
    peers: (now) => peers().list(now),
    onRefusing: () => void peers().tell(),
  });
  const cycles = [
    { name: 'sessions', run: (now: Now) => sessions.expire(now) },
    { name: 'admission', run: (now: Now) => admission.tick(now) },
    { name: 'audience', run: (now: Now) => audience.tick(now) },
    { name: 'ended sessions', run: (now: Now) => notes.expire(now) },
    { name: 'login slots', run: (now: Now) => slots.expire(now) },
  ].map((cycle) => ({ ...cycle, everyMs: secondMs }));
  return { sessions, audience, drain, notes, slots, admission, cycles };
}
