import type { Timers } from './ports.ts';

/** Longest wait for those who were told: a lost question is made up for by the next one, a second later. */
const tellMsMax = 1_900;

type Telling = {
  readonly version: number;
  readonly left: Set<string>;
  readonly told: string[];
  readonly end: () => void;
};

/** Waits until peers ask with the version they were to be told: then they know it. */
export class Tellings {
  readonly #timers: Timers;
  readonly #underWay = new Set<Telling>();

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /** Resolves with those of `ids` who know `version`, when all do or after 1.9 s. */
  begin(version: number, ids: readonly string[]): Promise<readonly string[]> {
    const told: string[] = [];
    if (ids.length === 0) return Promise.resolve(told);
    return new Promise((resolve) => {
      const takeBack = this.#timers.after(tellMsMax, () => end());
      const end = () => {
        takeBack();
        this.#underWay.delete(telling);
        resolve(told);
      };
      const telling = { version, left: new Set(ids), told, end };
      this.#underWay.add(telling);
    });
  }

  /** A peer asked for what is newer than `version`. */
  note(id: string, version: number): void {
    for (const { version: wanted, left, told, end } of this.#underWay) {
      if (version < wanted || !left.delete(id)) continue;
      told.push(id);
      if (left.size === 0) end();
    }
  }
}
