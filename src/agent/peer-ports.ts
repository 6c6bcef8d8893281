/** The outside world of the peer exchange: see `ports.ts`. */
import type { PeerAnswer, PeerQuestion, PeerRefusal } from '../core/group/exchange.ts';
import type { Now } from '../core/time.ts';
import type { CompareAnswer, CompareQuestion, SegmentName } from '../core/timeline/compare.ts';

/** Why a question to a peer brought nothing that can be trusted. `text` holds no secret. */
export type PeerFault = {
  readonly kind: 'fault';
  readonly cause: 'unanswered' | 'unauthenticated' | 'unreadable';
  readonly text: string;
};

/** The way to other nodes. Authenticates both directions with the cluster secret. */
export type PeerLink = {
  /** Asks the node at `url` (a configured peer base URL). Never rejects; settles by `deadlineMs`, faults are values. */
  ask(
    url: string,
    question: PeerQuestion,
    deadlineMs: number,
  ): Promise<PeerAnswer | PeerRefusal | PeerFault>;
  /** Exchanges what both nodes know of the timelines of the streams they share. As `ask`. */
  compare(
    url: string,
    question: CompareQuestion,
    deadlineMs: number,
  ): Promise<CompareAnswer | PeerRefusal | PeerFault>;
  /** Bytes of a canonical segment of the node at `url`. As `ask`; a segment that is not there is a fault. */
  segment(url: string, name: SegmentName, deadlineMs: number): Promise<Uint8Array | PeerFault>;
  /** Gives up what is under way and frees connections. */
  close(): void;
};

/** What the peer listener asks the agent. Every question is known to come from a node of the domain. */
export type AnswerPeers = {
  readonly ask: AnswerPeer;
  compare(question: CompareQuestion, now: Now): CompareAnswer | PeerRefusal;
  segment(name: SegmentName): Uint8Array | undefined;
};

/** Answers an authentic question of another node; `now` is when it came. */
type AnswerPeer = (question: PeerQuestion, now: Now) => Promise<PeerAnswer | PeerRefusal>;
