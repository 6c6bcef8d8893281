import { cloneFaults } from '../core/group/eligibility.ts';
import type { NodeFacts, Peer } from '../core/group/node.ts';
import type { SourceVerdict } from '../core/group/source.ts';
import { placesOf } from '../core/placement/address-fit.ts';
import { matchLadders } from '../core/playlist/ladder-match.ts';
import type { ReasonCode } from '../core/reasons.ts';
import type { StreamFacts } from '../core/stream/stream.ts';
import type { Now } from '../core/time.ts';
import { matchStream } from './stream-match.ts';

/** A request that came to the host name of another node, in terms of this one. */
export type StandIn = {
  /** The node whose name it came to: passes for it are good. */
  readonly node: string;
  /** Path of the same thing here. */
  readonly path: string;
  /** Why a player that watches there cannot go on here; it may still open the stream anew. */
  readonly faults: readonly ReasonCode[];
};

/**
 * Answers for a peer whose address or name has moved here (virtual address, anycast, DNS): see `docs/operating.md`. The
 * stream of the same group stands in for the peer's; rungs are found by their place in the ladder, canonical segments
 * by their number.
 */
export function createStandIn(deps: {
  readonly peerHosts: (now: Now) => ReadonlyMap<string, Peer>;
  readonly ownStreams: () => readonly StreamFacts[];
  readonly source: (stream: string, node: string) => SourceVerdict | undefined;
}): (host: string, path: string, now: Now) => StandIn | undefined {
  return (host, path, now) => {
    const peer = deps.peerHosts(now).get(host);
    const match = peer && matchStream(path, (name) => asConfig(peer.streams.get(name)));
    const theirs = match && peer.streams.get(match.stream.name);
    if (peer?.facts === undefined || match === undefined || theirs?.group === undefined)
      return undefined;
    const own = deps.ownStreams().find(({ group }) => group === theirs.group);
    if (own === undefined) return undefined;
    const { id } = peer.facts;
    const rest = ownRest(own, theirs, match.rest);
    const faults = cloneFaults(own, theirs, deps.source(own.name, id));
    return { node: id, path: `${encodeName(own.name)}/${rest}`, faults };
  };
}

/** Hosts (and ports), as they are in a Host header, at which peers are reached and this node is not; the same map as long as nothing is learned of peers. */
export function createPeerHosts(deps: {
  readonly self: () => NodeFacts;
  readonly peers: (now: Now) => readonly Peer[];
}): (now: Now) => ReadonlyMap<string, Peer> {
  let known: { readonly peers: readonly Peer[]; readonly byHost: ReadonlyMap<string, Peer> };
  return (now) => {
    const peers = deps.peers(now);
    if (known?.peers !== peers) known = { peers, byHost: hostsOf(deps.self(), peers) };
    return known.byHost;
  };
}

/** Peers by the hosts that they are reached at, unless this node is reached there, too. */
function hostsOf(self: NodeFacts, peers: readonly Peer[]): ReadonlyMap<string, Peer> {
  const hosts = new Map<string, Peer>();
  for (const peer of peers)
    for (const host of peer.facts === undefined ? [] : hostsOfNode(peer.facts))
      hosts.set(host, peer);
  for (const host of hostsOfNode(self)) hosts.delete(host);
  return hosts;
}

/** All hosts that a node is reached at, as in a Host header. */
export function hostsOfNode(node: NodeFacts): readonly string[] {
  return placesOf(node).everywhere.map(({ base }) => new URL(base).host);
}

/** The same playlist here: the rung in the same place, else what is called the same. */
function ownRest(own: StreamFacts, theirs: StreamFacts, rest: string): string {
  const theirLadder = theirs.hls?.ladder;
  const ownLadder = own.hls?.ladder;
  const matched = theirLadder && ownLadder && matchLadders(theirLadder, ownLadder);
  if (matched === undefined || theirLadder === undefined) return rest;
  const isIt = ({ uri }: { readonly uri?: string | undefined }) => pathOf(uri) === rest;
  const variant = matched.variants[theirLadder.variants.findIndex(isIt)];
  const rendition = matched.renditions[theirLadder.renditions.findIndex(isIt)];
  return pathOf(variant ?? rendition) ?? rest;
}

function pathOf(uri: string | undefined): string | undefined {
  return uri?.replace(/^\.\//, '').split('?', 1)[0];
}

function encodeName(name: string): string {
  return name.split('/').map(encodeURIComponent).join('/');
}

function asConfig(stream: StreamFacts | undefined) {
  return stream && { name: stream.name, reserve: stream.reserve };
}
