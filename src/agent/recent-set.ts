/** Texts noted lately, in bounded memory: each is known until the second `turn` after it was noted, or until there is no room. */
export class RecentSet {
  readonly #max: number;
  #young = new Set<string>();
  #old = new Set<string>();

  /** @param max most that are noted in one turn; beyond it those of the turn before go at once */
  constructor(max: number) {
    this.#max = max;
  }

  add(text: string): void {
    if (this.#young.has(text)) return;
    if (this.#young.size >= this.#max) this.turn();
    this.#young.add(text);
  }

  has(text: string): boolean {
    return this.#young.has(text) || this.#old.has(text);
  }

  delete(text: string): void {
    this.#young.delete(text);
    this.#old.delete(text);
  }

  turn(): void {
    this.#old = this.#young;
    this.#young = new Set();
  }
}
