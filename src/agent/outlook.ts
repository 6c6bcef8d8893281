import type { NodeFacts, Peer } from '../core/group/node.ts';
import type { SourceVerdict } from '../core/group/source.ts';
import {
  type Candidate,
  type Candidates,
  judgeCandidates,
  type Purpose,
} from '../core/placement/candidates.ts';
import { type Comeback, noteVerdict, shareOf } from '../core/placement/comeback.ts';
import type { StreamFacts } from '../core/stream/stream.ts';
import type { MonoMs, Now } from '../core/time.ts';
import { streamsByGroup } from './streams-by-group.ts';

/** A verdict is made anew at least this often, since facts age without anything changing. */
const verdictMsMax = 500;

/** Names whose verdicts are kept; more than a node carries. A name that nobody carries is never kept. */
const namesMax = 4_096;

/** By purpose and node id. A node that is heard no more stays: that is what it comes back from. */
type Comebacks = Map<string, Comeback>;

type Kept = { readonly candidates: Candidates; readonly at: MonoMs };

/**
 * Who can stand in for whom, judged when peers, own facts or the viewing key changed and kept until they change
 * again: a request only reads it.
 */
export class Outlook {
  readonly #deps: {
    readonly self: () => NodeFacts;
    readonly facts: (name: string) => StreamFacts | undefined;
    readonly factsVersion: () => number;
    readonly peers: (now: Now) => readonly Peer[];
    /** Rises when anything of a peer changed but times. */
    readonly peerChanges: () => number;
    readonly signingKeyId: () => string | undefined;
    readonly source: (stream: string, node: string) => SourceVerdict | undefined;
  };
  readonly #kept = new Map<string, Kept>();
  readonly #comebacks = new Map<string, Comebacks>();
  #peers: readonly Peer[] = [];
  #peerChanges = -1;
  #factsVersion = -1;
  #signingKeyId: string | undefined;

  constructor(deps: {
    self: () => NodeFacts;
    facts: (name: string) => StreamFacts | undefined;
    factsVersion: () => number;
    peers: (now: Now) => readonly Peer[];
    peerChanges: () => number;
    signingKeyId: () => string | undefined;
    source: (stream: string, node: string) => SourceVerdict | undefined;
  }) {
    this.#deps = deps;
  }

  /** The other nodes that carry the stream viewers ask for as `name` here, each with its verdict. */
  candidates(name: string, now: Now): Candidates {
    this.#forgetIfChanged(now);
    const kept = this.#kept.get(name);
    if (kept !== undefined && now.monoMs - kept.at <= verdictMsMax) return kept.candidates;
    const own = this.#deps.facts(name);
    const isCarried = own !== undefined || this.#peers.some(({ streams }) => streams.has(name));
    const judged = judgeCandidates({
      self: this.#deps.self(),
      name,
      own,
      peers: isCarried ? this.#carriers(name, own) : [],
      signingKeyId: this.#signingKeyId,
      source: (node) => this.#deps.source(name, node),
      now,
    });
    const isKnown = own !== undefined || judged.list.length > 0;
    if (!isKnown || this.#kept.size >= namesMax) return judged;
    const candidates = { ...judged, list: this.#withShares(name, judged.list, now.monoMs) };
    this.#kept.set(name, { candidates, at: now.monoMs });
    return candidates;
  }

  /** Whether another node could serve the stream to somebody. */
  canServe(name: string, protocol: 'hls' | 'dash', now: Now): boolean {
    return this.candidates(name, now).list.some(({ target }) => target[protocol].eligible);
  }

  /** What each counts for now: less while it has come back a moment ago, as seen from here. */
  #withShares(name: string, list: readonly Candidate[], at: MonoMs): readonly Candidate[] {
    const known = this.#comebacks.get(name);
    if (known === undefined && this.#comebacks.size >= namesMax) return list;
    const comebacks: Comebacks = known ?? new Map();
    this.#comebacks.set(name, comebacks);
    return list.map((candidate) => {
      const { node, backup, target } = candidate;
      const verdicts = { backup, ...target };
      const share = (purpose: Purpose) => {
        const key = `${purpose} ${node.id}`;
        const comeback = noteVerdict(comebacks.get(key), verdicts[purpose]?.eligible === true, at);
        if (comeback !== undefined) comebacks.set(key, comeback);
        return shareOf(comeback, at);
      };
      return {
        ...candidate,
        shares: { backup: share('backup'), hls: share('hls'), dash: share('dash') },
      };
    });
  }

  #forgetIfChanged(now: Now): void {
    // When peers were last heard changes many times a second where there are many, and shows within `verdictMsMax`.
    this.#peers = this.#deps.peers(now);
    const peerChanges = this.#deps.peerChanges();
    const factsVersion = this.#deps.factsVersion();
    const signingKeyId = this.#deps.signingKeyId();
    if (
      peerChanges === this.#peerChanges &&
      factsVersion === this.#factsVersion &&
      signingKeyId === this.#signingKeyId
    )
      return;
    this.#peerChanges = peerChanges;
    this.#factsVersion = factsVersion;
    this.#signingKeyId = signingKeyId;
    this.#kept.clear();
  }

  /** The peers, each with only those of its streams that can matter: nodes carry hundreds of others. */
  #carriers(name: string, own: StreamFacts | undefined): readonly Peer[] {
    const groups = own === undefined ? this.#groupsNamed(name) : [own.group];
    return this.#peers.map((peer) => {
      const streams = new Map<string, StreamFacts>();
      const named = own === undefined ? peer.streams.get(name) : undefined;
      if (named !== undefined) streams.set(name, named);
      for (const group of groups)
        for (const stream of (group && streamsByGroup(peer.streams).get(group)) || [])
          streams.set(stream.name, stream);
      return { ...peer, streams };
    });
  }

  #groupsNamed(name: string): readonly (string | undefined)[] {
    return [...new Set(this.#peers.map(({ streams }) => streams.get(name)?.group))];
  }
}
