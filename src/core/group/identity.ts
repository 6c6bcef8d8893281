import type { MonoMs } from '../time.ts';

/** Who answers under one configured address. */
export type Identity = {
  readonly url: string;
  readonly id?: string | undefined;
  readonly boot?: string | undefined;
  /** When this boot was first seen there. */
  readonly bootSeenAt: MonoMs;
  /** Last good answer. */
  readonly heardAt?: MonoMs | undefined;
  readonly isFresh: boolean;
};

/**
 * `self`: the node listed itself. `peer`: a node of its own, perhaps with a fault to show. `double`: shown with its
 * fault, never used: the node is listed before under another address, or shares its id with one that is.
 */
export type IdentityVerdict =
  | { readonly kind: 'self' }
  | { readonly kind: 'peer'; readonly fault?: string | undefined }
  | { readonly kind: 'double'; readonly fault: string; readonly sameAs?: number };

/**
 * Tells nodes that answer under several addresses, and agents that share a node id, from ordinary peers; in the order
 * given, earlier addresses first served. `sameAs` is the index of the address under which the same process was met.
 */
export function judgeIdentities(
  peers: readonly Identity[],
  self: { readonly id: string; readonly boot: string },
): readonly IdentityVerdict[] {
  return peers.map((peer, index): IdentityVerdict => {
    if (peer.boot === self.boot) return { kind: 'self' };
    if (peer.id === undefined) return { kind: 'peer' };
    if (peer.id === self.id) {
      return { kind: 'double', fault: `node id "${peer.id}" is also the id of this node` };
    }
    const sameAs = peers.findIndex((other, at) => at < index && isSameBoot(peer, other));
    if (sameAs >= 0) {
      return { kind: 'double', fault: `the same node as ${peers[sameAs]?.url}`, sameAs };
    }
    const rival = peers.findIndex((other) => other !== peer && areRivals(peer, other));
    if (rival < 0) return { kind: 'peer' };
    const fault = `node id "${peer.id}" is also used by ${peers[rival]?.url}`;
    return rival < index ? { kind: 'double', fault } : { kind: 'peer', fault };
  });
}

function isSameBoot(peer: Identity, other: Identity): boolean {
  return other.isFresh && peer.boot !== undefined && peer.boot === other.boot;
}

/** Two processes with one id, both heard after the other was first met: neither is the other's later life. */
function areRivals(a: Identity, b: Identity): boolean {
  if (!(a.isFresh && b.isFresh) || a.id !== b.id || a.boot === b.boot) return false;
  return (a.heardAt ?? 0) > b.bootSeenAt && (b.heardAt ?? 0) > a.bootSeenAt;
}
