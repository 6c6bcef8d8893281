import type { ArchiveBlock } from '../../agent/archive-ports.ts';
import type { IndexedSegment } from '../../core/archive/segment-index.ts';
import type { ArchivedSegment } from '../../core/archive/segment-list.ts';
import { inOrderOfTime } from '../../core/archive/segment-order.ts';
import type { BlockCache } from './block-cache.ts';
import { readHour } from './hour-log.ts';
import { hourOf, mapName, segmentName } from './names.ts';

/** Reads of an index that changes while it is read. */
const readsMax = 3;

type Read = { readonly version: number; readonly block: Promise<ArchiveBlock> };

/** The hours of one rung as they are listed, by folder. Reading waits for no change. */
export class HourBlocks {
  readonly #cache: BlockCache;
  /** Counted up when an index changes. */
  #version = 0;
  /** Under way. */
  readonly #reads = new Map<string, Read>();

  constructor(cache: BlockCache) {
    this.#cache = cache;
  }

  /**
   * The segments of an hour in the order of time; frozen, and the same array until they change. Rejects as the file
   * system does.
   */
  async get(folder: string): Promise<ArchiveBlock> {
    for (let reads = 0; ; reads += 1) {
      const cached = this.#cache.get(folder);
      if (cached !== undefined) return cached;
      const version = this.#version;
      const block = await this.#readOnce(folder);
      const isCurrent = version === this.#version;
      if (!isCurrent && reads < readsMax) continue;
      if (isCurrent && block.length > 0) this.#cache.set(folder, block);
      return block;
    }
  }

  /** The index of an hour was changed, as `edit` changes its block. */
  change(folder: string, edit: (block: ArchiveBlock) => ArchiveBlock): void {
    this.#version += 1;
    const cached = this.#cache.get(folder);
    if (cached !== undefined) this.#cache.set(folder, Object.freeze(edit(cached)));
  }

  /** The hour is gone. */
  drop(folder: string): void {
    this.#version += 1;
    this.#cache.drop(folder);
  }

  /** Who asks for an hour that is being read, and has not changed since, waits for that. */
  #readOnce(folder: string): Promise<ArchiveBlock> {
    const underWay = this.#reads.get(folder);
    if (underWay?.version === this.#version) return underWay.block;
    const block = readHour(folder).then(({ segments }) =>
      Object.freeze(inOrderOfTime(segments).map(archived)),
    );
    const read = { version: this.#version, block };
    this.#reads.set(folder, read);
    const end = () => {
      if (this.#reads.get(folder) === read) this.#reads.delete(folder);
    };
    block.then(end, end);
    return block;
  }
}

/** A segment of the index as it is listed. */
export function archived(segment: IndexedSegment): ArchivedSegment {
  const { startMs, durationMs, bytes, run, number, map } = segment;
  const name = segmentName(segment);
  const facts = { name, startMs, durationMs, bytes, run, number };
  return map === 0 ? facts : { ...facts, map: mapName(hourOf(startMs), map) };
}
