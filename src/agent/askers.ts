import {
  type Asker,
  judgeQuestion,
  type QuestionHead,
  type RefusalReason,
} from '../core/group/exchange.ts';
import type { Now, UnixMs } from '../core/time.ts';

/** Nodes remembered as askers; the one that asked least recently is forgotten first. */
const askersMax = 256;

/** Who asks this node: refuses replays, and knows nodes that ask without being asked. */
export class Askers {
  /** By node id, the one that asked last at the end. */
  readonly #askers = new Map<string, Asker & { readonly lastAskedAt: UnixMs }>();

  /** Why a question is refused; absent when it is to be answered, which counts as asked. */
  refusal(
    question: QuestionHead,
    self: { readonly id: string; readonly boot: string },
    now: Now,
  ): RefusalReason | undefined {
    const asker = this.#askers.get(question.from);
    const verdict = judgeQuestion(question, self, asker, now.monoMs);
    if (verdict.kind === 'refused') return verdict.reason;
    this.#askers.delete(question.from);
    this.#askers.set(question.from, { ...verdict.asker, lastAskedAt: now.wallMs });
    for (const id of this.#askers.keys()) {
      if (this.#askers.size <= askersMax) break;
      this.#askers.delete(id);
    }
    return undefined;
  }

  /** Nodes that asked, but whose ids are not among `known`; the last one to ask first. */
  strangers(known: ReadonlySet<string>): readonly { id: string; lastAskedAt: UnixMs }[] {
    return [...this.#askers]
      .filter(([id]) => !known.has(id))
      .map(([id, { lastAskedAt }]) => ({ id, lastAskedAt }))
      .reverse();
  }
}
