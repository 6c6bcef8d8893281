/** Windows get shorter above the first share of what they may take, and as long as before below the second. */
const tightShare = 0.75;
const easyShare = 0.4;

/** What the canonical windows of all streams take together, and may (ADR 25). */
export class WindowMemory {
  readonly #bytesMax: number;
  #bytes = 0;
  #isTight = false;

  /** Bytes of segments. */
  constructor(bytesMax: number = Number.POSITIVE_INFINITY) {
    this.#bytesMax = bytesMax;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Windows are to be as short as players can do with. */
  get isTight(): boolean {
    return this.#isTight;
  }

  /** More than they may take. */
  get isOver(): boolean {
    return this.#bytes > this.#bytesMax;
  }

  /** A window takes so many bytes more, or fewer. */
  change(bytes: number): void {
    this.#bytes += bytes;
    const share = this.#isTight ? easyShare : tightShare;
    this.#isTight = this.#bytes > this.#bytesMax * share;
  }
}
