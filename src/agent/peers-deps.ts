import type { NodeFacts } from '../core/group/node.ts';
import type { StreamFacts } from '../core/stream/stream.ts';
import type { PeerLink } from './peer-ports.ts';
import type { Clock, Log, Timers } from './ports.ts';
import type { Seek } from './seek.ts';
import type { SessionNotes } from './session-notes.ts';

/** What the exchange with peers is made from. */
export type PeersDeps = {
  readonly link: Pick<PeerLink, 'ask' | 'close'>;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  /** `UNDERSTUDY_PEERS`; may hold this node's own address. */
  readonly urls: readonly string[];
  /** Names this life of the process: 128 random bits. */
  readonly boot: string;
  /** The facts of this node now. */
  readonly self: () => NodeFacts;
  /** The streams of this node; `version` changes whenever one of them did. */
  readonly ownStreams: () => { readonly version: number; readonly facts: readonly StreamFacts[] };
  readonly wrappedKeys: () => Promise<string>;
  readonly absorbKeys: (wrapped: string) => Promise<unknown>;
  /** What is told of single sessions, and what others tell: `from` is a peer's URL. */
  readonly notes?: Pick<SessionNotes, 'news' | 'learn'> | undefined;
  /** Finds out where sessions have gone. */
  readonly seek?: Seek | undefined;
  /** Whether one of these viewing keys is not held here. */
  readonly lacksKeys: (ids: readonly string[]) => boolean;
};
