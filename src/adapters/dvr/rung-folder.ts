import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type {
  ArchiveBlock,
  ArchivedSegment,
  RungName,
  SegmentToKeep,
} from '../../agent/archive-ports.ts';
import type { TimeRange } from '../../core/archive/ranges.ts';
import type { IndexedSegment } from '../../core/archive/segment-index.ts';
import { inOrderOfTime } from '../../core/archive/segment-order.ts';
import type { BlockCache } from './block-cache.ts';
import { isLeftover, removeFolder, writeDurably } from './durable-files.ts';
import { indexName, readHour } from './hour-log.ts';
import { hourName, hourOf, hourOfName, mapName, mapOf, segmentName } from './names.ts';
import { type OpenHour, OpenHours } from './open-hours.ts';

/** Reads of an index that changes while it is read. */
const readsMax = 3;

/** The recordings of one rung: a folder per hour. Changes are made one after another; reading waits for none of them. */
export class RungFolder {
  readonly name: RungName;
  readonly folder: string;
  readonly #cache: BlockCache;
  /** Bytes by start of the hour, in the order of time; undefined until its index was read. */
  #hours = new Map<number, number | undefined>();
  readonly #open = new OpenHours();
  /** Counted up when an index changes. */
  #version = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(name: RungName, folder: string, cache: BlockCache) {
    this.name = name;
    this.folder = folder;
    this.#cache = cache;
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

  /** Records a segment. Rejects as the file system does; then nothing of it is left. */
  keep(segment: SegmentToKeep): Promise<void> {
    return this.#inTurn(async () => {
      const hour = hourOf(segment.startMs);
      const { log, maps, names } = await this.#openHour(hour);
      const name = segmentName(segment);
      if (names.has(name)) return;
      const folder = this.#pathOf(hour);
      const map = segment.init === undefined ? 0 : mapOf(segment.init);
      if (segment.init !== undefined && !maps.has(map)) {
        await writeDurably(folder, mapName(hour, map), segment.init);
        maps.add(map);
      }
      await writeDurably(folder, name, segment.content);
      const { content, init: _, ...facts } = segment;
      const indexed = { ...facts, bytes: content.length, map };
      await log.append(indexed);
      names.add(name);
      this.#hours.set(hour, this.bytesOf(hour) + content.length);
      this.#change(hour, (block) => inOrderOfTime([...block, archived(indexed)]));
    });
  }

  /** The segments of an hour in the order of time; frozen, and the same array until they change. */
  async block(hour: number): Promise<ArchiveBlock> {
    const folder = this.#pathOf(hour);
    for (let reads = 0; ; reads += 1) {
      const cached = this.#cache.get(folder);
      if (cached !== undefined) return cached;
      const version = this.#version;
      const { segments } = await readHour(folder);
      const block = Object.freeze(inOrderOfTime(segments).map(archived));
      const isCurrent = version === this.#version;
      if (!isCurrent && reads < readsMax) continue;
      if (isCurrent && block.length > 0) this.#cache.set(folder, block);
      return block;
    }
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
      this.#change(hour, (block) => block.filter((kept) => endOf(kept) > beforeMs));
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
      this.#change(hour, (block) => block.filter(({ name }) => there.has(name)));
      return true;
    });
  }

  /** Waits for what is under way and closes the indexes. */
  close(): Promise<void> {
    return this.#inTurn(() => this.#open.close(0));
  }

  /** After a fault nothing is known of open indexes: the next change opens them anew. */
  async reset(): Promise<void> {
    await this.#inTurn(() => this.#open.close(0)).catch(() => undefined);
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
    this.#change(hour, () => []);
    this.#cache.drop(this.#pathOf(hour));
    await this.#open.closeOne(hour);
  }

  #addHour(hour: number, bytes: number): void {
    const isNew = !this.#hours.has(hour);
    this.#hours.set(hour, bytes);
    if (isNew) this.#hours = new Map([...this.#hours].sort(([a], [b]) => a - b));
  }

  #change(hour: number, edit: (block: ArchiveBlock) => ArchiveBlock): void {
    this.#version += 1;
    const cached = this.#cache.get(this.#pathOf(hour));
    if (cached !== undefined) this.#cache.set(this.#pathOf(hour), Object.freeze(edit(cached)));
  }

  #pathOf(hour: number): string {
    return join(this.folder, hourName(hour));
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work, work);
    this.#last = done.catch(() => undefined);
    return done;
  }
}

function archived(segment: IndexedSegment): ArchivedSegment {
  const { startMs, durationMs, bytes, run, number, map } = segment;
  const name = segmentName(segment);
  const facts = { name, startMs, durationMs, bytes, run, number };
  return map === 0 ? facts : { ...facts, map: mapName(hourOf(startMs), map) };
}

function endOf({ startMs, durationMs }: { startMs: number; durationMs: number }): number {
  return startMs + durationMs;
}

function bytesOf(segments: readonly { readonly bytes: number }[]): number {
  return segments.reduce((sum, { bytes }) => sum + bytes, 0);
}
