import { clockSample, skewVerdict } from '../core/group/clock-offset.ts';
import { type IdentityVerdict, judgeIdentities } from '../core/group/identity.ts';
import type { Peer } from '../core/group/node.ts';
import { freshMs, judgeReachability, verdictsStandUntil } from '../core/group/reachability.ts';
import type { MonoMs, Now } from '../core/time.ts';
import type { PeerRecord } from './peer-record.ts';

export type PeerView = {
  readonly peers: readonly Peer[];
  /** Until when the view holds although nobody is heard. */
  readonly holdsUntil: MonoMs;
};

const noStreams: Peer['streams'] = new Map();

/**
 * Judges all records and shows them as peers, without the node itself. What did not change keeps its identity from
 * `earlier`, the array included.
 */
export function viewPeers(
  records: readonly PeerRecord[],
  earlier: readonly Peer[],
  { self, now, startedAt }: { self: { id: string; boot: string }; now: Now; startedAt: MonoMs },
): PeerView {
  const identities = judgeIdentities(
    records.map((record) => ({
      url: record.url,
      id: record.facts?.id,
      boot: record.boot,
      bootSeenAt: record.bootSeenAt,
      heardAt: record.heardAt,
      isFresh: record.heardAt !== undefined && now.monoMs - record.heardAt <= freshMs,
    })),
    self,
  );
  const holdsUntil = judge(records, identities, { now: now.monoMs, startedAt });
  const known = new Map(earlier.map((peer) => [peer.url, peer]));
  const peers = records.flatMap((record, index) => {
    const identity = identities[index];
    if (identity === undefined || identity.kind === 'self') return [];
    return keepIfEqual(known.get(record.url), show(record, identity, now));
  });
  const isSame = peers.length === earlier.length && peers.every((peer, at) => peer === earlier[at]);
  return { peers: isSame ? earlier : peers, holdsUntil };
}

/** Whether two views of a peer differ in more than times and measurements. */
export function differs(peer: Peer, earlier: Peer | undefined): boolean {
  return (
    peer.reachability !== earlier?.reachability ||
    peer.fault !== earlier.fault ||
    peer.facts !== earlier.facts ||
    peer.streams !== earlier.streams ||
    skewVerdict(peer.clock) !== skewVerdict(earlier.clock)
  );
}

/** Writes the verdicts on reachability into the records: each process counts once, this one not at all. */
function judge(
  records: readonly PeerRecord[],
  identities: readonly IdentityVerdict[],
  time: { now: MonoMs; startedAt: MonoMs },
): MonoMs {
  const judged = records.filter((_, index) => {
    const identity = identities[index];
    return identity?.kind === 'peer' || (identity?.kind === 'double' && !('sameAs' in identity));
  });
  const verdicts = judgeReachability(judged, time);
  for (const [index, record] of judged.entries()) {
    record.reachability = verdicts[index] ?? 'unknown';
  }
  for (const [index, identity] of identities.entries()) {
    const [record, other] = [records[index], records[sameAs(identity)]];
    if (record && other) record.reachability = other.reachability;
  }
  return verdictsStandUntil(judged, time);
}

function sameAs(identity: IdentityVerdict): number {
  return identity.kind === 'double' ? (identity.sameAs ?? -1) : -1;
}

function show(
  record: PeerRecord,
  identity: Exclude<IdentityVerdict, { kind: 'self' }>,
  now: Now,
): Peer {
  const fault = identity.fault ?? record.fault;
  const clock = clockSample(record.readings, now);
  return {
    url: record.url,
    reachability: record.reachability,
    ...(record.heardAt !== undefined && { heardAt: record.heardAt }),
    ...(fault !== undefined && { fault }),
    ...(record.facts && { facts: record.facts }),
    ...(clock && { clock }),
    streams: identity.kind === 'double' ? noStreams : record.streams,
  };
}

function keepIfEqual(earlier: Peer | undefined, peer: Peer): Peer {
  const isEqual =
    earlier !== undefined &&
    !differs(peer, earlier) &&
    peer.heardAt === earlier.heardAt &&
    peer.clock?.offsetMs === earlier.clock?.offsetMs &&
    peer.clock?.roundTripMs === earlier.clock?.roundTripMs;
  return isEqual ? earlier : peer;
}
