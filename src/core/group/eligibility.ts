import { compareLadders } from '../playlist/ladder-match.ts';
import type { ReasonCode } from '../reasons.ts';
import type { AirState, StreamFacts } from '../stream/stream.ts';
import type { Now } from '../time.ts';
import { skewVerdict } from './clock-offset.ts';
import { type Assessment, type NodeFacts, type Peer, peerProtocolVersion } from './node.ts';
import { type SourceVerdict, sourceFaults } from './source.ts';

/** A member must have shown a moving live window this recently; exactly this long ago is fine. */
const recentWindowMs = 600_000;

/** A peer's stream, and what it is judged against. */
export type Member = {
  readonly peer: Peer;
  readonly peerStream: StreamFacts;
  /** Our own stream of the group; absent when this node carries none. */
  readonly selfStream: StreamFacts | undefined;
  /** The viewing key that signs now; absent while none is in force. */
  readonly signingKeyId: string | undefined;
  /** What comparing the streams has shown; absent where they are not compared. */
  readonly source?: SourceVerdict | undefined;
  readonly now: Now;
};

/**
 * Whether a member may be named as a backup of our stream, as far as that does not depend on the viewer; else
 * every reason why not, in a fixed order. A peer of which nothing is heard because nobody is heard is not
 * eligible either, but by a reason of its own (`reachability-unknown`), so that it can be the last resort.
 */
export function assessMember(member: Member & { readonly selfStream: StreamFacts }): Assessment {
  const { selfStream, peerStream } = member;
  return verdict([
    ...standingFaults(member),
    ...airFaults(member, 'hls'),
    ...sourceFaults(selfStream, peerStream, member.source),
    ...likenessFaults(selfStream, peerStream),
    ...trustFaults(member),
  ]);
}

/**
 * Whether a viewer who opens a stream that this node cannot serve may be sent to a member. Source and rungs
 * do not matter: the player starts anew there. The container does, and a low-latency stream is not replaced
 * by one that is not; both only where they are known.
 */
export function assessTarget(member: Member & { readonly protocol: 'hls' | 'dash' }): Assessment {
  const { selfStream, peerStream, protocol } = member;
  const own = protocol === 'hls' ? selfStream?.hls : undefined;
  const theirs = peerStream.hls;
  const known = own?.container !== undefined && theirs?.container !== undefined;
  return verdict([
    ...standingFaults(member),
    ...airFaults(member, protocol),
    known && own.container !== theirs.container && 'container-differs',
    known && own.lowLatency && !theirs.lowLatency && 'low-latency-differs',
    ...trustFaults(member),
  ]);
}

/** Why a player that watches `theirs` could not go on with `own` where it stands; empty for clones. */
export function cloneFaults(
  own: StreamFacts,
  theirs: StreamFacts,
  source: SourceVerdict | undefined,
): readonly ReasonCode[] {
  const faults = [...sourceFaults(own, theirs, source), ...likenessFaults(own, theirs)];
  // How far its window had come does not matter any more.
  return faults.flatMap((fault) => (fault && fault !== 'behind' ? fault : []));
}

type Fault = ReasonCode | false | undefined;

function verdict(faults: readonly Fault[]): Assessment {
  const reasons = faults.filter((fault): fault is ReasonCode => typeof fault === 'string');
  return reasons.length === 0 ? { eligible: true } : { eligible: false, reasons };
}

/** Is it there, understood, and offering itself? */
function standingFaults({ peer, peerStream }: Member): readonly Fault[] {
  return [
    peer.reachability === 'unreachable' && 'unreachable',
    peer.reachability === 'unknown' && 'reachability-unknown',
    peer.facts?.protocol !== peerProtocolVersion && 'protocol-version',
    !peerStream.reserve && 'reserve-off',
    peer.facts?.draining && 'draining',
  ];
}

function airFaults({ peer, peerStream, now }: Member, protocol: 'hls' | 'dash'): readonly Fault[] {
  const air: AirState = peerStream[protocol]?.air ?? { onAir: false, reason: 'no-such-protocol' };
  const movedMsAgo = air.onAir ? heardMsAgo(peer, now) : movedBeforeMs(peer, peerStream, now);
  // Of DASH it is not known when it moved last.
  const isKnown = air.onAir || protocol === 'hls';
  return [!air.onAir && air.reason, isKnown && movedMsAgo > recentWindowMs && 'no-recent-window'];
}

/** What a peer last said holds until now while it is reachable, else it is as old as its last answer. */
function heardMsAgo(peer: Peer, now: Now): number {
  return peer.reachability === 'reachable' ? 0 : now.monoMs - (peer.heardAt ?? -Infinity);
}

/** How long ago the window moved, by our clock. */
function movedBeforeMs(peer: Peer, { hls }: StreamFacts, now: Now): number {
  const lastMovedAt = hls?.lastMovedAt ?? -Infinity;
  return now.wallMs - (lastMovedAt - (peer.clock?.offsetMs ?? 0));
}

/** Could a player go on there where it stopped here? Nothing is said while our own playlist is not known. */
function likenessFaults(ownStream: StreamFacts, theirStream: StreamFacts): readonly Fault[] {
  const own = ownStream.hls;
  const theirs = theirStream.hls;
  if (own === undefined || theirs === undefined) {
    return [];
  }
  // A stream that is on air without our knowing its form is not known to match.
  const isKnown = (form: unknown) => form !== undefined || theirs.air.onAir;
  return [
    own.container !== undefined &&
      isKnown(theirs.container) &&
      own.container !== theirs.container &&
      'container-differs',
    own.container !== undefined &&
      isKnown(theirs.container) &&
      own.lowLatency !== theirs.lowLatency &&
      'low-latency-differs',
    ...(own.ladder !== undefined && isKnown(theirs.ladder)
      ? compareLadders(own.ladder, theirs.ladder ?? { variants: [], renditions: [] })
      : []),
  ];
}

/** Would it accept our passes, and does it take viewers of others? */
function trustFaults({ peer, signingKeyId }: Member): readonly Fault[] {
  const { facts } = peer;
  return [
    skewVerdict(peer.clock),
    signingKeyId === undefined && 'key-not-in-force',
    signingKeyId !== undefined && !facts?.keys.includes(signingKeyId) && 'key-missing',
    facts?.overloaded && 'overloaded',
    facts?.atBackupLimit && 'backup-limit',
  ];
}

/** This node as its peers would see it if they saw it perfectly: for judging ourselves by the same rules. */
export function selfAsPeer(self: NodeFacts, streams: readonly StreamFacts[], now: Now): Peer {
  return {
    url: '',
    reachability: 'reachable',
    heardAt: now.monoMs,
    facts: self,
    clock: { offsetMs: 0, roundTripMs: 0 },
    streams: new Map(streams.map((stream) => [stream.name, stream])),
  };
}
