import type { ArchiveBlock } from '../../agent/archive-ports.ts';

/** Hours that were read, by folder; those read longest ago go when together they have too many segments. */
export class BlockCache {
  readonly #segmentsMax: number;
  readonly #blocks = new Map<string, ArchiveBlock>();
  #segments = 0;

  constructor(segmentsMax: number) {
    this.#segmentsMax = segmentsMax;
  }

  get(folder: string): ArchiveBlock | undefined {
    const block = this.#blocks.get(folder);
    if (block === undefined) return undefined;
    this.#blocks.delete(folder);
    this.#blocks.set(folder, block);
    return block;
  }

  /** Segments held now. */
  get segments(): number {
    return this.#segments;
  }

  set(folder: string, block: ArchiveBlock): void {
    this.drop(folder);
    this.#blocks.set(folder, block);
    this.#segments += block.length;
    for (const [oldest] of this.#blocks) {
      if (this.#segments <= this.#segmentsMax) break;
      this.drop(oldest);
    }
  }

  drop(folder: string): void {
    this.#segments -= this.#blocks.get(folder)?.length ?? 0;
    this.#blocks.delete(folder);
  }
}
