import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ArchiveBlock, RungName, SegmentToKeep } from '../../agent/archive-ports.ts';
import type { TimeRange } from '../../core/archive/ranges.ts';
import { inOrderOfTime } from '../../core/archive/segment-order.ts';
import type { BlockCache } from './block-cache.ts';
import { isLeftover, removeFolder, writeDurably } from './durable-files.ts';
import { archived, HourBlocks } from './hour-blocks.ts';
import { indexName, readHour } from './hour-log.ts';
import { hourName, hourOf, hourOfName, mapName, mapOf, segmentName } from './names.ts';
import { type OpenHour, OpenHours } from './open-hours.ts';

/** The recordings of one rung: a folder per hour. Changes are made one after another; reading waits for none of them. */
export class RungFolder {
  readonly name: RungName;
  readonly folder: string;
  readonly #blocks: HourBlocks;
  /** Bytes by start of the hour, in the order of time; undefined until its index was read. */
  #hours = new Map<number, number | undefined>();
  readonly #open = new OpenHours();
  #last: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(name: RungName, folder: string, cache: BlockCache) {
    this.name = name;
    this.folder = folder;
    this.#blocks = new HourBlocks(cache);
  }

  /** Starts of hours, in the order of time. */
  get hours(): readonly number[] {
    return [...this.#hours.keys()];
  }

  bytesOf(hour: number): number {
    return this.#hours.get(hour) ?? 0;
  }

  /** Finds what is there, and takes away what a crash left behind. Rejects as the file system does. */
  async recover(): Promise<void> {
    const names = await this.#findHours();
    for (const name of names.filter(isLeftover))
      await rm(join(this.folder, name), { recursive: true, force: true });
    const { hours } = this;
    // Writing goes on in the newest hour, trimming in the oldest.
    for (const hour of new Set([hours[0], hours.at(-1)]))
      if (hour !== undefined) await this.#sweep(hour);
  }

  /** Hours that are gone, as when somebody emptied the disk; with `all`, none is believed to be there as it was. */
  findLostHours(all = false): Promise<readonly number[]> {
    return this.#inTurn(async () => {
      const before = this.hours;
      await this.#findHours();
      const lost = before.filter((hour) => all || !this.#hours.has(hour));
      for (const hour of lost) await this.#forget(hour);
      if (all) await this.#findHours();
      return lost;
    });
  }

  /** Records a segment. Rejects as the file system does; then nothing of it is recorded, nor left for long. */
  keep(segment: SegmentToKeep): Promise<void> {
    return this.#inTurn(async () => {
      const hour = hourOf(segment.startMs);
      const { log, maps, names } = await this.#openHour(hour);
      const name = segmentName(segment);
      if (names.has(name)) return;
      const folder = this.#pathOf(hour);
      const { content, init, ...facts } = segment;
      const map = init === undefined ? 0 : mapOf(init);
      if (init !== undefined && !maps.has(map)) {
        await writeDurably(folder, mapName(hour, map), init);
        maps.add(map);
      }
      const indexed = { ...facts, bytes: content.length, map };
      try {
        await writeDurably(folder, name, content);
        await log.append(indexed);
      } catch (error) {
        await rm(join(folder, name), { force: true }).catch(() => undefined);
        throw error;
      }
      names.add(name);
      this.#hours.set(hour, this.bytesOf(hour) + content.length);
      this.#blocks.change(this.#pathOf(hour), (block) =>
        inOrderOfTime([...block, archived(indexed)]),
      );
    });
  }

  /** See {@link HourBlocks.get}. */
  block(hour: number): Promise<ArchiveBlock> {
    return this.#blocks.get(this.#pathOf(hour));
  }

  /** What the index of an hour says is recorded; its size is known from now on. */
  async survey(hour: number): Promise<readonly TimeRange[]> {
    const { segments } = await readHour(this.#pathOf(hour));
    if (this.#hours.get(hour) === undefined && this.#hours.has(hour))
      this.#hours.set(hour, bytesOf(segments));
    return segments.map(({ startMs, durationMs }) => ({ startMs, endMs: startMs + durationMs }));
  }

  /** Removes a whole hour. Rejects as the file system does. */
  dropHour(hour: number): Promise<void> {
    return this.#inTurn(async () => {
      await this.#forget(hour);
      await removeFolder(this.folder, hourName(hour));
    });
  }

  /** Removes the segments of an hour that end at or before `beforeMs`: first from the index, then from the disk. */
  trimHour(hour: number, beforeMs: number): Promise<void> {
    return this.#inTurn(async () => {
      const { log, names } = await this.#openHour(hour);
      const { segments } = await readHour(this.#pathOf(hour));
      const gone = segments.filter(({ startMs, durationMs }) => startMs + durationMs <= beforeMs);
      if (gone.length === 0) return;
      await log.trim(beforeMs);
      this.#blocks.change(this.#pathOf(hour), (block) =>
        block.filter((kept) => endOf(kept) > beforeMs),
      );
      this.#hours.set(hour, bytesOf(segments) - bytesOf(gone));
      for (const segment of gone) {
        names.delete(segmentName(segment));
        await rm(join(this.#pathOf(hour), segmentName(segment)), { force: true });
      }
    });
  }

  /** Whether files of segments are not there; these are taken out of the index. */
  hasLostFiles(hour: number): Promise<boolean> {
    return this.#inTurn(async () => {
      const folder = this.#pathOf(hour);
      const there = new Set(await readdir(folder));
      if (!there.has(indexName)) {
        await this.#forget(hour);
        return true;
      }
      const { segments } = await readHour(folder);
      const lost = segments.filter((segment) => !there.has(segmentName(segment)));
      if (lost.length === 0) return false;
      const { log, names } = await this.#openHour(hour);
      for (const segment of lost) {
        await log.lose(segment);
        names.delete(segmentName(segment));
      }
      this.#hours.set(hour, bytesOf(segments) - bytesOf(lost));
      this.#blocks.change(this.#pathOf(hour), (block) =>
        block.filter(({ name }) => there.has(name)),
      );
      return true;
    });
  }

  /** Waits for what is under way and closes the indexes; further changes are rejected. */
  close(): Promise<void> {
    this.#isClosed = true;
    return this.#afterLast(() => this.#open.close(0));
  }

  /** After a fault nothing is known of open indexes: the next change opens them anew. */
  async reset(): Promise<void> {
    await this.#afterLast(() => this.#open.close(0)).catch(() => undefined);
  }

  #openHour(hour: number): Promise<OpenHour> {
    return this.#open.get(hour, this.#pathOf(hour), (segments) =>
      this.#addHour(hour, bytesOf(segments)),
    );
  }

  /** All names in the folder; hours among them are known from now on. */
  async #findHours(): Promise<readonly string[]> {
    const names = await readdir(this.folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    });
    const found = names.flatMap((name) => hourOfName(name) ?? []).sort((a, b) => a - b);
    this.#hours = new Map(found.map((hour) => [hour, this.#hours.get(hour)]));
    return names;
  }

  /** Files of an hour that its index does not name: never acknowledged, or trimmed. */
  async #sweep(hour: number): Promise<void> {
    const folder = this.#pathOf(hour);
    const { segments } = await readHour(folder);
    const known = new Set([
      indexName,
      ...segments.map(segmentName),
      ...segments.map(({ map }) => mapName(hour, map)),
    ]);
    for (const name of await readdir(folder))
      if (!known.has(name)) await rm(join(folder, name), { recursive: true, force: true });
  }

  async #forget(hour: number): Promise<void> {
    this.#hours.delete(hour);
    this.#blocks.drop(this.#pathOf(hour));
    await this.#open.closeOne(hour);
  }

  #addHour(hour: number, bytes: number): void {
    const isNew = !this.#hours.has(hour);
    this.#hours.set(hour, bytes);
    if (isNew) this.#hours = new Map([...this.#hours].sort(([a], [b]) => a - b));
  }

  #pathOf(hour: number): string {
    return join(this.folder, hourName(hour));
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    return this.#afterLast(() => {
      if (this.#isClosed) throw new Error('closed');
      return work();
    });
  }

  #afterLast<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work, work);
    this.#last = done.catch(() => undefined);
    return done;
  }
}

function endOf({ startMs, durationMs }: { startMs: number; durationMs: number }): number {
  return startMs + durationMs;
}

function bytesOf(segments: readonly { readonly bytes: number }[]): number {
  return segments.reduce((sum, { bytes }) => sum + bytes, 0);
}
