import type { StreamFacts } from '../stream/stream.ts';
import type { MonoMs, UnixMs } from '../time.ts';
import { type NodeFacts, peerProtocolVersion } from './node.ts';
import type { Notes } from './notes.ts';
import type { Found } from './sought.ts';

/** What a node asks a peer, each second. A boot is one life of a process, named by 128 random bits. */
export type PeerQuestion = {
  readonly protocol: number;
  readonly from: string;
  readonly boot: string;
  /** Rises with every question of this boot. */
  readonly seq: number;
  /** Boot that is asked. Without it, or with another one, the question is only told the right one. */
  readonly to?: string | undefined;
  /** Version of what is known of `to`; 0: nothing. */
  readonly since: number;
  readonly wantKeys: boolean;
  /** Version of the asker itself, when it has news that cannot wait: whoever knows less asks back at once. */
  readonly news?: number | undefined;
  /** Version of what is known of single sessions at `to`; 0: nothing. */
  readonly notesSince?: number | undefined;
  /** Ids of sessions that a drill has sent away, at most 100: has one of them come? */
  readonly sought?: readonly string[] | undefined;
};

/** What tells a question from a replay. */
export type QuestionHead = Pick<PeerQuestion, 'protocol' | 'from' | 'boot' | 'seq' | 'to'>;

/** What changed since the version named in the question. */
export type PeerAnswer = {
  readonly kind: 'answer';
  readonly protocol: number;
  readonly boot: string;
  /** Wall clock of the answering node when it was asked. */
  readonly at: UnixMs;
  readonly version: number;
  /** Absent if unchanged. */
  readonly facts?: NodeFacts | undefined;
  /** Whether what was known of the streams before is void. */
  readonly full: boolean;
  /** Whether there is more to be asked for with `version`, at once. */
  readonly more: boolean;
  readonly streams: readonly StreamFacts[];
  readonly removed: readonly string[];
  /** Of single sessions; absent if nothing changed. */
  readonly notes?: Notes | undefined;
  /** Those sought that are watched here; absent if none is. */
  readonly found?: readonly Found[] | undefined;
  /** Viewing keys, wrapped. */
  readonly keys?: string | undefined;
};

/** A refusal that is as authentic as an answer. These fields stay the same in every protocol version. */
export type PeerRefusal = {
  readonly kind: 'refusal';
  readonly reason: RefusalReason;
  readonly protocol: number;
  /** Node, boot and agent version of who refuses. */
  readonly id: string;
  readonly boot: string;
  readonly version: string;
};

/**
 * `protocol`: another protocol version. `boot`: meant for another boot; ask again with the right one. `replayed`: not
 * newer than a question seen already. `superseded`: a later boot of the same node asks. `same-id`: the asker's node id
 * is the answerer's own.
 */
export type RefusalReason = 'protocol' | 'boot' | 'replayed' | 'superseded' | 'same-id';

/** What is remembered of one node that asks: its boots in the order they were first seen. */
export type Asker = { readonly boots: readonly AskerBoot[] };

type AskerBoot = { readonly boot: string; readonly seq: number; readonly askedAt: MonoMs };

/** Boots remembered per node; a question recorded from an older one could be asked again, to no other effect. */
const askerBootsMax = 64;

/** An earlier boot is heard again when the later one has been silent for longer: a second agent that is gone again. */
const supersededMs = 60_000;

/**
 * Whether a question is answered, with what to remember of the asker then. Replays are refused whatever the clocks say:
 * a question must name our boot, and its number must be higher than any of its own boot before. The genuine boot of a
 * node is never locked out by an earlier one.
 */
export function judgeQuestion(
  question: QuestionHead,
  self: { readonly id: string; readonly boot: string },
  asker: Asker | undefined,
  now: MonoMs,
): { kind: 'accepted'; asker: Asker } | { kind: 'refused'; reason: RefusalReason } {
  if (question.protocol !== peerProtocolVersion) return { kind: 'refused', reason: 'protocol' };
  if (question.to !== self.boot) return { kind: 'refused', reason: 'boot' };
  if (question.from === self.id && question.boot !== self.boot) {
    return { kind: 'refused', reason: 'same-id' };
  }
  const boots = asker?.boots ?? [];
  const index = boots.findIndex(({ boot }) => boot === question.boot);
  const seen: AskerBoot = { boot: question.boot, seq: question.seq, askedAt: now };
  if (index < 0)
    return { kind: 'accepted', asker: { boots: [...boots, seen].slice(-askerBootsMax) } };
  if (question.seq <= (boots[index]?.seq ?? 0)) return { kind: 'refused', reason: 'replayed' };
  if (boots.slice(index + 1).some(({ askedAt }) => now - askedAt <= supersededMs)) {
    return { kind: 'refused', reason: 'superseded' };
  }
  return { kind: 'accepted', asker: { boots: boots.with(index, seen) } };
}
