import { assessMember, assessTarget, type Member } from '../group/eligibility.ts';
import type { Assessment, NodeFacts, Peer } from '../group/node.ts';
import type { SourceVerdict } from '../group/source.ts';
import type { StreamFacts } from '../stream/stream.ts';
import type { Now } from '../time.ts';
import { type NodePlaces, placesOf } from './address-fit.ts';

/** Another node that carries the stream, judged as far as no viewer is needed for it. */
export type Candidate = {
  readonly node: NodeFacts;
  /** Its stream, whose name may differ from ours. */
  readonly stream: StreamFacts;
  readonly places: NodePlaces;
  readonly isReachable: boolean;
  /** What comparing its stream with ours has shown; absent where they are not compared. */
  readonly source?: SourceVerdict | undefined;
  /** Absent when this node does not carry the stream: then there is nothing to be a backup of. */
  readonly backup?: Assessment | undefined;
  /** As the target of a redirect, by protocol. */
  readonly target: { readonly hls: Assessment; readonly dash: Assessment };
  /** Parts of its weight that count now, by purpose; absent: the whole weight. */
  readonly shares?: Readonly<Record<Purpose, number>> | undefined;
};

/** What a candidate may be named for: as a backup, or to be sent to over HLS or DASH. */
export type Purpose = 'backup' | 'hls' | 'dash';

/** All that placement needs to know of the group of one stream. */
export type Candidates = {
  readonly self: { readonly id: string; readonly places: NodePlaces };
  readonly own: StreamFacts | undefined;
  /** One per node, by node id; never this node. */
  readonly list: readonly Candidate[];
};

/**
 * Judges every other node for one stream. Made in the background whenever peers, own facts or the key change,
 * and at least every few seconds, since facts age; a request only reads the result.
 *
 * With an own stream the members of its group are judged. A name that is unknown here is looked up among the
 * peers: those that carry it, and the members of their groups.
 */
export function judgeCandidates(parts: {
  readonly self: NodeFacts;
  /** Name that viewers ask for here. */
  readonly name: string;
  readonly own: StreamFacts | undefined;
  readonly peers: readonly Peer[];
  readonly signingKeyId: string | undefined;
  /** What comparing our stream with that of a node has shown. */
  readonly source?: ((node: string) => SourceVerdict | undefined) | undefined;
  readonly now: Now;
}): Candidates {
  const { self, own, signingKeyId, now } = parts;
  const others = parts.peers.filter(({ facts }) => facts !== undefined && facts.id !== self.id);
  const carries = streamFilter(parts.name, own, others);
  const byNode = new Map<string, Candidate>();
  for (const peer of others) {
    for (const peerStream of peer.streams.values()) {
      if (carries(peerStream)) {
        const source = peer.facts && parts.source?.(peer.facts.id);
        const member = { peer, peerStream, selfStream: own, signingKeyId, source, now };
        const candidate = judge(member);
        const known = candidate && byNode.get(candidate.node.id);
        if (candidate && (known === undefined || isBetter(candidate, known))) {
          byNode.set(candidate.node.id, candidate);
        }
      }
    }
  }
  return {
    self: { id: self.id, places: placesOf(self) },
    own,
    list: [...byNode.values()].sort((a, b) => (a.node.id < b.node.id ? -1 : 1)),
  };
}

function streamFilter(name: string, own: StreamFacts | undefined, others: readonly Peer[]) {
  if (own !== undefined) {
    return (stream: StreamFacts) => own.group !== undefined && stream.group === own.group;
  }
  const groups = new Set(others.flatMap(({ streams }) => streams.get(name)?.group ?? []));
  return (stream: StreamFacts) =>
    stream.name === name || (stream.group !== undefined && groups.has(stream.group));
}

function judge(member: Member): Candidate | undefined {
  const { peer, peerStream, selfStream } = member;
  return (
    peer.facts && {
      node: peer.facts,
      stream: peerStream,
      places: placesOf(peer.facts),
      source: member.source,
      isReachable: peer.reachability === 'reachable',
      backup: selfStream && assessMember({ ...member, selfStream }),
      target: {
        hls: assessTarget({ ...member, protocol: 'hls' }),
        dash: assessTarget({ ...member, protocol: 'dash' }),
      },
    }
  );
}

/** A node may carry a group twice, or be configured under two URLs: the fitter of the two counts, then the name. */
function isBetter(one: Candidate, other: Candidate): boolean {
  const difference = fitness(one) - fitness(other);
  return difference > 0 || (difference === 0 && one.stream.name < other.stream.name);
}

function fitness({ backup, target, isReachable }: Candidate): number {
  const fits = [backup?.eligible, target.hls.eligible, target.dash.eligible, isReachable];
  return fits.reduce((sum, is) => sum * 2 + (is ? 1 : 0), 0);
}
