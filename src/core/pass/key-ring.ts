/**
 * How the nodes agree on one viewing key with nobody's help. Keys have one order, the same everywhere and independent
 * of any clock that runs now; the newest wins. A key signs only when every reachable peer holds it; once one signs, the
 * signature never goes back to an older one. Superseded keys verify until the last pass they can have signed is over.
 */
import { type Peer, peerProtocolVersion } from '../group/node.ts';
import type { UnixMs } from '../time.ts';
import { passToleranceS } from './claims.ts';

/** What the agreement needs to know of a key. */
export type RingKey = {
  readonly id: string;
  /** 1 for a domain's first key, one more with each rotation; 0: good on this node only, never told to others. */
  readonly generation: number;
  readonly createdAt: UnixMs;
  readonly supersededAt?: UnixMs | undefined;
};

/** What a node knows of its domain when it agrees. */
export type KeyDomain = {
  readonly peers: readonly Peer[];
  /** Peers there should be, heard of or not. */
  readonly peersExpected: number;
};

/** Most keys a node holds. */
export const ringSizeMax = 16;

/** How long a node without any key waits for peers that do not answer before it makes the first one. */
const settleMs = 3_000;

/** How long the passes of a peer not yet heard since our start are taken to live. */
const unheardPassTtlS = 86_400;

/** For the news that a key is superseded to reach everybody. */
const newsMs = 60_000;

/** While a peer still signs with a superseded key, how often its life starts again: below `newsMs`. */
const inUseStepMs = 30_000;

/** `in-force`: the newest key signs; `spreading`: it waits for peers; `missing`: there is none to share. */
export type KeyState = 'in-force' | 'spreading' | 'missing';

/** Order of keys, newest first: generation, then time of making, then id. */
function newestFirst(a: RingKey, b: RingKey): number {
  const byId = a.id < b.id ? 1 : -1;
  return b.generation - a.generation || b.createdAt - a.createdAt || (a.id === b.id ? 0 : byId);
}

/** The keys that other nodes may hold, in the order given. */
export function sharedKeys<K extends RingKey>(ring: readonly K[]): readonly K[] {
  return ring.filter((key) => key.generation > 0);
}

/** The ring with the keys it lacked, newest first; `ring` itself when there were none. A held id is never replaced. */
export function mergeKeys<K extends RingKey>(
  ring: readonly K[],
  given: readonly K[],
): readonly K[] {
  const merged = new Map(ring.map((key) => [key.id, key]));
  for (const key of given) if (!merged.has(key.id)) merged.set(key.id, key);
  return merged.size === ring.length ? ring : [...merged.values()].sort(newestFirst);
}

/**
 * The key for passes that name other nodes: the newest that every reachable peer says it holds, never one older than
 * `current`. Unreachable peers are not waited for, but at least one must have confirmed. Without peers: the newest.
 * Undefined until a first key is confirmed. A peer that lacks the key which signs is not eligible (`key-missing`), so
 * that a node that joins without keys holds nobody up.
 */
export function signingKey<K extends RingKey>(
  ring: readonly K[],
  current: K | undefined,
  domain: KeyDomain,
): K | undefined {
  const shared = sharedKeys(ring);
  if (domain.peersExpected === 0) return shared[0];
  const confirming = confirmingPeers(domain.peers);
  if (confirming.length === 0) return current;
  const confirmed = shared.find((key) => confirming.every((peer) => holds(peer, key.id)));
  if (current === undefined || confirmed === undefined) return current ?? confirmed;
  return newestFirst(confirmed, current) < 0 ? confirmed : current;
}

/** Peers whose word counts: reachable, and of our protocol version. */
export function confirmingPeers(peers: readonly Peer[]): readonly Peer[] {
  return peers.filter(
    ({ reachability, facts }) =>
      reachability === 'reachable' && facts?.protocol === peerProtocolVersion,
  );
}

/** Whether a peer says that it holds a key. */
export function holds(peer: Peer, id: string): boolean {
  return peer.facts?.keys.includes(id) === true;
}

export function keyState(ring: readonly RingKey[], signing: RingKey | undefined): KeyState {
  const [newest] = sharedKeys(ring);
  if (newest === undefined) return 'missing';
  return newest.id === signing?.id ? 'in-force' : 'spreading';
}

/** The key that signed before a restart: the oldest that no other had superseded, else the newest. */
export function signingAtStart<K extends RingKey>(ring: readonly K[]): K | undefined {
  const shared = sharedKeys(ring);
  return shared.findLast(({ supersededAt }) => supersededAt === undefined) ?? shared[0];
}

/**
 * Whether a node without a key should make the domain's first one: no reachable peer has any, and all configured peers
 * have been heard or 3 s have passed since start. Several nodes may do so at once; the order of keys picks one.
 */
export function isFirstKeyDue(
  ring: readonly RingKey[],
  { peers, peersExpected }: KeyDomain,
  sinceStartMs: number,
): boolean {
  if (sharedKeys(ring).length > 0) return false;
  if (confirmingPeers(peers).some(({ facts }) => facts !== undefined && facts.keys.length > 0))
    return false;
  return heardCount(peers) >= peersExpected || sinceStartMs >= settleMs;
}

/**
 * The ring after time has passed: keys older than the signing one are marked superseded; what was superseded for
 * longer than the longest pass life, the tolerance at both ends and a minute for the news is dropped, and so are the
 * oldest beyond {@link ringSizeMax}, never the signing one. While a peer is unheard, its passes are taken to live a
 * day. `ring` itself when nothing changed.
 */
export function settleRing<K extends RingKey>(
  ring: readonly K[],
  facts: {
    readonly signing: K | undefined;
    readonly domain: KeyDomain;
    /** Longest life of passes heard of in the domain, this node's own included. */
    readonly longestPassTtlS: number;
    readonly at: UnixMs;
  },
): readonly K[] {
  const { signing, domain, at } = facts;
  const unheardS = heardCount(domain.peers) < domain.peersExpected ? unheardPassTtlS : 0;
  const ttlS = Math.max(facts.longestPassTtlS, unheardS);
  const lifeMs = (ttlS + 2 * passToleranceS) * 1000 + newsMs;
  const inUse = new Set(confirmingPeers(domain.peers).map((peer) => peer.facts?.signingKey));
  const living = ring
    .map((key) => markSuperseded(key, { signing, isInUse: inUse.has(key.id), at }))
    .filter(({ supersededAt }) => at - (supersededAt ?? at) <= lifeMs);
  const place = living.findIndex(({ id }) => id === signing?.id);
  const room = place >= ringSizeMax ? ringSizeMax - 1 : ringSizeMax;
  const kept = living.filter((_, index) => index < room || index === place);
  const isSame = kept.length === ring.length && kept.every((key, index) => key === ring[index]);
  return isSame ? ring : kept;
}

function markSuperseded<K extends RingKey>(
  key: K,
  { signing, isInUse, at }: { signing: K | undefined; isInUse: boolean; at: UnixMs },
): K {
  if (signing === undefined) return key;
  const { supersededAt } = key;
  if (newestFirst(key, signing) <= 0) {
    return supersededAt === undefined ? key : { ...key, supersededAt: undefined };
  }
  const forMs = at - (supersededAt ?? Number.POSITIVE_INFINITY);
  const isKnown = forMs >= 0 && (!isInUse || forMs < inUseStepMs);
  return isKnown ? key : { ...key, supersededAt: at };
}

function heardCount(peers: readonly Peer[]): number {
  return peers.filter(({ facts }) => facts !== undefined).length;
}
