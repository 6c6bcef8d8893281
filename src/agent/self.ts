import { type NodeFacts, peerProtocolVersion } from '../core/group/node.ts';
import type { Admission } from './admission.ts';
import type { Audience } from './audience.ts';
import type { Drain } from './drain.ts';
import { isSameShallow, keepSame } from './same-facts.ts';
import type { Sessions } from './sessions.ts';
import type { ViewingKeys } from './viewing-keys.ts';

/** Most nodes that are named as heard. */
const hearsMax = 256;

/** What this node says of itself, as of now: the same object as long as it says the same. */
export function createSelf(parts: {
  readonly id: string;
  readonly version: string;
  readonly publicUrl?: string | undefined;
  readonly addresses: () => readonly string[];
  readonly weight: number;
  readonly passTtlS: number;
  /** Most viewers of other nodes at once; absent: no limit. */
  readonly backupSessionsMax?: number | undefined;
  readonly sessions: Sessions;
  readonly admission: Pick<Admission, 'announced' | 'load'>;
  readonly audience: Pick<Audience, 'assigned' | 'count'>;
  readonly drain: Pick<Drain, 'isOn'>;
  readonly keys: ViewingKeys;
  /** Ids of the nodes that are heard. */
  readonly heard: () => readonly string[];
}): () => NodeFacts {
  const { sessions, audience, admission, drain, keys, heard } = parts;
  let last: NodeFacts | undefined;
  let heardIds: readonly string[] = [];
  let hears: readonly string[] = [];
  return () => {
    if (heardIds !== heard()) {
      heardIds = heard();
      hears = keepSame(hears, heardIds.slice(0, hearsMax).toSorted(), isSameList);
    }
    const { own, backup } = sessions.counts();
    const { overloaded, atBackupLimit } = admission.announced();
    // Field by field: it is asked for by each viewer who opens, and spreading made it ten times as dear.
    const now: NodeFacts = {
      id: parts.id,
      version: parts.version,
      publicUrl: parts.publicUrl,
      weight: parts.weight,
      passTtlS: parts.passTtlS,
      backupSessionsMax: parts.backupSessionsMax,
      addresses: parts.addresses(),
      protocol: peerProtocolVersion,
      draining: drain.isOn(),
      overloaded,
      atBackupLimit,
      load: admission.load(),
      ownSessions: own,
      backupSessions: backup,
      watching: audience.count(),
      assigned: audience.assigned(),
      hears,
      keys: keys.heldIds(),
      signingKey: keys.signing()?.id,
    };
    if (last === undefined || !isSameShallow(last, now)) last = now;
    return last;
  };
}

function isSameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((id, at) => id === b[at]);
}
