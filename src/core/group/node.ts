import type { Assigned } from '../load/assigned.ts';
import type { ReasonCode } from '../reasons.ts';
import type { StreamFacts } from '../stream/stream.ts';
import type { MonoMs } from '../time.ts';

/** Version of the peer protocol; a node of another version is shown, never used. */
export const peerProtocolVersion = 1;

/** What a node says of itself in every heartbeat; small, whatever the number of streams. */
export type NodeFacts = {
  readonly id: string;
  /** Peer protocol version, see {@link peerProtocolVersion}. */
  readonly protocol: number;
  /** Version of the agent, for people. */
  readonly version: string;
  /** Scheme and host viewers reach the node at; absent: only `addresses`, http. */
  readonly publicUrl?: string | undefined;
  /** The node's own IP addresses with the viewer port, e.g. `198.51.100.7:8080`, `[2001:db8::7]:8080`. */
  readonly addresses: readonly string[];
  readonly draining: boolean;
  /** Over a load limit: viewers of other nodes are refused. */
  readonly overloaded: boolean;
  /** As many viewers of other nodes as it may take. */
  readonly atBackupLimit: boolean;
  /** Absent: not told. */
  readonly load?: NodeLoad | undefined;
  /** Most viewers of other nodes at once; absent: no limit. */
  readonly backupSessionsMax?: number | undefined;
  /** Share of new backups relative to the other nodes; 1 unless configured. */
  readonly weight: number;
  readonly ownSessions: number;
  readonly backupSessions: number;
  /** Viewers who watch now; sessions are active for longer than that. Absent: not known. */
  readonly watching?: number | undefined;
  /** Where its viewers would go if it died now; largest first, at most 240. Absent: not known. */
  readonly assigned?: readonly Assigned[] | undefined;
  /** Ids of the nodes that it hears now, sorted. Absent: not told. */
  readonly hears?: readonly string[] | undefined;
  /** Ids of the viewing keys held, newest first. */
  readonly keys: readonly string[];
  /** Id of the one that signs its passes for other nodes: they keep it at least as long. */
  readonly signingKey?: string | undefined;
  /** How long this node's passes live, seconds: others keep old keys at least this long. */
  readonly passTtlS: number;
};

/** How full a node is, whole percent, smoothed over seconds; what cannot be measured there is absent. */
export type NodeLoad = {
  readonly cpuPercent?: number | undefined;
  readonly networkPercent?: number | undefined;
  /** Above these viewers of other nodes are refused. */
  readonly cpuLimitPercent: number;
  readonly networkLimitPercent: number;
  /** What 100 percent of network load is; absent: not known. */
  readonly networkMbps?: number | undefined;
  /** What one more viewer costs, three digits; absent: not measured. */
  readonly viewerCpuPercent?: number | undefined;
};

/** Clock of a peer relative to ours. */
export type ClockSample = {
  /** Peer's wall clock minus ours, ms, signed. */
  readonly offsetMs: number;
  /** Round trip of the exchange that gave it, ms: the error is at most half of it. */
  readonly roundTripMs: number;
};

/** `unknown`: we hear nobody, or have not asked yet: it need not be the peer's fault. */
export type Reachability = 'reachable' | 'unreachable' | 'unknown';

/** What we believe of one peer now. */
export type Peer = {
  /** Base URL from `UNDERSTUDY_PEERS`. */
  readonly url: string;
  readonly reachability: Reachability;
  /** Last good answer, on our monotonic clock; absent if there was none. */
  readonly heardAt?: MonoMs | undefined;
  /** Why the last question failed; absent after a good answer. Never holds a secret. */
  readonly fault?: string | undefined;
  /** Last announced facts, kept when the peer dies; absent until the first good answer. */
  readonly facts?: NodeFacts | undefined;
  readonly clock?: ClockSample | undefined;
  /** By stream name on that peer. */
  readonly streams: ReadonlyMap<string, StreamFacts>;
};

/** What those say of themselves who are heard now. */
export function heardFacts(peers: readonly Peer[]): readonly NodeFacts[] {
  return peers.flatMap(({ facts, reachability }) =>
    facts !== undefined && reachability === 'reachable' ? [facts] : [],
  );
}

/** Fit for a purpose, or every reason why not. */
export type Assessment =
  | { readonly eligible: true }
  | { readonly eligible: false; readonly reasons: readonly ReasonCode[] };
