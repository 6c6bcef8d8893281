import type { MonoMs } from '../../core/time.ts';
import type { TimelineWord } from '../../core/timeline/compare.ts';
import type { Mark } from '../../core/timeline/marks.ts';
import type { TimelineRun } from '../../core/timeline/run.ts';
import { Mate } from './mate.ts';

/** A member that can be reached now. */
export type MateSeen = {
  readonly id: string;
  /** Its wall clock minus ours, ms. */
  readonly clockOffsetMs: number;
};

/** The other members of a stream's group. What was learned of one outlives it. */
export class Mates {
  readonly #all = new Map<string, Mate>();
  #reachable: readonly Mate[] = [];
  /** False while there may be members that were not heard yet. */
  isComplete = true;

  get reachable(): readonly Mate[] {
    return this.#reachable;
  }

  get(id: string): Mate | undefined {
    return this.#all.get(id);
  }

  /** Takes in what a member said. */
  hear(id: string, word: TimelineWord, at: MonoMs): void {
    const mate = this.#all.get(id) ?? new Mate(id);
    this.#all.set(id, mate);
    mate.hear(word, at);
  }

  /** Looks again who can be reached, and at the proofs. */
  review(
    seen: readonly MateSeen[],
    ours: readonly Mark[],
    options: { isNew: boolean; declared: boolean; ownNewest: number; at: MonoMs },
  ): void {
    this.#reachable = seen.map(({ id, clockOffsetMs }) => {
      const mate = this.#all.get(id) ?? new Mate(id);
      this.#all.set(id, mate);
      mate.review(ours, { ...options, clockOffsetMs });
      mate.noteLag(options.ownNewest, options.at);
      return mate;
    });
  }

  forgetProofs(): void {
    for (const mate of this.#all.values()) mate.forgetProof();
  }

  /** Runs of all rungs, from whoever follows the run of this key. */
  runsOf(key: string): readonly TimelineRun[] | undefined {
    for (const mate of this.#reachable)
      if (mate.runKey === key && mate.runs !== undefined) return mate.runs;
    return undefined;
  }

  /** Usual segment lengths of the packagers of those that can be reached and are proved, where they tell it, ms. */
  get packagedMs(): readonly number[] {
    const proved = this.#reachable.filter(({ proof }) => proof.kind === 'proved');
    return proved.flatMap(({ word }) => word?.packagedMs ?? []);
  }

  /** Members that can be reached and are not known to carry another source. */
  get alike(): readonly Mate[] {
    return this.#reachable.filter(({ proof }) => proof.kind !== 'different');
  }

  /**
   * Members that can be reached and follow the run of this key. They were proved when they joined it; that our packager
   * or theirs has just begun anew, so that the proof is to be made again, does not make their segments others.
   */
  following(key: string): readonly Mate[] {
    return this.alike.filter((mate) => mate.runKey === key);
  }
}
