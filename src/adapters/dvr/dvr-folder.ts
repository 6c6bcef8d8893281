import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type {
  ArchivedRung,
  DvrFault,
  DvrStream,
  RungName,
  SegmentToKeep,
} from '../../agent/archive-ports.ts';
import { budgetCut, cutInstant } from '../../core/archive/budget-cut.ts';
import type { TimeRange } from '../../core/archive/ranges.ts';
import type { Container } from '../../core/stream/stream.ts';
import type { BlockCache } from './block-cache.ts';
import { createDisk } from './disk.ts';
import { writeDurably } from './durable-files.ts';
import { folderOfRung, hourMs, hourName, hourOfFile, rungOfFolder } from './names.ts';
import { RungFolder } from './rung-folder.ts';

/** Most rungs of one stream of which something is there; further ones are not recorded. */
const rungsMax = 64;
/** In the folder of a stream, beside its rungs. */
const entryName = 'entry.m3u8';
/** A segment that starts in an hour ends less than this after it. */
const overhangMsMax = 60_000;

const tooManyRungs: DvrFault = {
  kind: 'fault',
  reason: 'recorder-disk-failed',
  cause: `more than ${rungsMax} rungs`,
};

const closed: DvrFault = { kind: 'fault', reason: 'recorder-disk-failed', cause: 'closed' };

/** The recordings of one stream in `folder`. */
export class DvrFolder implements DvrStream {
  readonly #stream: string;
  readonly folder: string;
  readonly #cache: BlockCache;
  readonly #disk;
  readonly #rungs = new Map<string, RungFolder>();
  #entry: Uint8Array | undefined;
  /** Something was found to be gone since the last look. */
  #isLost = false;
  #isClosed = false;
  /** Rungs that are being written to, with how often. */
  readonly #writes = new Map<RungFolder, number>();

  constructor(stream: string, folder: string, cache: BlockCache, reserveBytes: number) {
    this.#stream = stream;
    this.folder = folder;
    this.#cache = cache;
    this.#disk = createDisk(folder, reserveBytes);
  }

  /** What cannot be read now is not known; it is left alone. */
  async recover(): Promise<void> {
    const names = await readdir(this.folder).catch(() => []);
    this.#entry = await readFile(join(this.folder, entryName)).catch(() => undefined);
    for (const name of names) {
      const rung = rungOfFolder(name);
      if (rung !== undefined)
        await this.#rung(rung)
          ?.recover()
          .catch(() => undefined);
    }
  }

  rungs(): readonly ArchivedRung[] {
    return [...this.#rungs.values()]
      .filter(({ hours }) => hours.length > 0)
      .map(({ name }) => ({ stream: this.#stream, ...name }));
  }

  bytes(): number {
    return this.#hours().reduce((sum, { bytes }) => sum + bytes, 0);
  }

  entry(): Uint8Array | undefined {
    return this.#entry;
  }

  async keepEntry(bytes: Uint8Array): Promise<DvrFault | undefined> {
    if (this.#isClosed) return closed;
    const kept = await this.#disk.write(bytes.length, () =>
      writeDurably(this.folder, entryName, bytes),
    );
    if (kept === undefined) this.#entry = bytes;
    return kept;
  }

  async keep(name: RungName, segment: SegmentToKeep): Promise<DvrFault | undefined> {
    if (this.#isClosed) return closed;
    const rung = this.#rung(name);
    if (rung === undefined) return tooManyRungs;
    this.#writes.set(rung, (this.#writes.get(rung) ?? 0) + 1);
    try {
      return await this.#keepPatiently(rung, segment);
    } finally {
      const writes = (this.#writes.get(rung) ?? 1) - 1;
      if (writes > 0) this.#writes.set(rung, writes);
      else this.#writes.delete(rung);
    }
  }

  async #keepPatiently(rung: RungFolder, segment: SegmentToKeep) {
    const first = await this.#keepIn(rung, segment);
    if (first?.cause !== 'ENOENT') return first;
    // Somebody emptied the disk under the open index: everything is made anew, once.
    this.#isLost = true;
    await rung.findLostHours(true).catch(() => []);
    return this.#keepIn(rung, segment);
  }

  async list(name: RungName, period: TimeRange) {
    const rung = this.#rungs.get(folderOfRung(name));
    const hours = (rung?.hours ?? []).filter(
      (hour) => hour < period.endMs && hour + hourMs + overhangMsMax > period.startMs,
    );
    const blocks = await Promise.all(hours.map((hour) => rung?.block(hour).catch(() => [])));
    return blocks.flatMap((block) => {
      const last = block?.at(-1);
      const isNeeded = last !== undefined && last.startMs + last.durationMs > period.startMs;
      return isNeeded && block !== undefined ? [block] : [];
    });
  }

  async newest(name: RungName) {
    const rung = this.#rungs.get(folderOfRung(name));
    for (const hour of rung?.hours.toReversed() ?? []) {
      const last = (await rung?.block(hour).catch(() => []))?.at(-1);
      if (last !== undefined) return last;
    }
    return undefined;
  }

  urlOf(name: RungName, file: string): string | undefined {
    const hour = hourOfFile(file);
    if (hour === undefined) return undefined;
    return pathToFileURL(join(this.folder, folderOfRung(name), hourName(hour), file)).href;
  }

  async survey() {
    const found: { container: Container; range: TimeRange }[] = [];
    for (const rung of this.#rungs.values())
      for (const hour of rung.hours) {
        const ranges = await rung.survey(hour).catch(() => []);
        for (const range of ranges) found.push({ container: rung.name.container, range });
      }
    return found;
  }

  async trim(beforeMs: number, bytesMax: number): Promise<number> {
    await this.#trimTo(beforeMs);
    const cut = budgetCut(this.#hours(), bytesMax);
    let cutMs = beforeMs;
    for (const hour of cut.hours) {
      cutMs = Math.max(cutMs, hour + hourMs);
      await this.#each((rung) => rung.hours.includes(hour) && rung.dropHour(hour));
    }
    const { partly } = cut;
    if (partly === undefined) return cutMs;
    const blocks: { startMs: number; durationMs: number; bytes: number }[] = [];
    await this.#each(async (rung) => {
      if (rung.hours.includes(partly.startMs)) blocks.push(...(await rung.block(partly.startMs)));
    });
    const instant = cutInstant(blocks, partly.bytes);
    await this.#trimTo(instant);
    return Math.max(cutMs, instant);
  }

  async verify(turn: number): Promise<boolean> {
    let isLost = this.#isLost;
    this.#isLost = false;
    await this.#each(async (rung) => {
      const lostHours = await rung.findLostHours();
      isLost ||= lostHours.length > 0;
      const { hours } = rung;
      for (const hour of new Set([hours[turn % hours.length], hours.at(-1)]))
        if (hour !== undefined && (await rung.hasLostFiles(hour))) isLost = true;
    });
    return isLost;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#each((rung) => rung.close());
  }

  async #keepIn(rung: RungFolder, segment: SegmentToKeep): Promise<DvrFault | undefined> {
    const bytes = segment.content.length + (segment.init?.length ?? 0);
    const kept = await this.#disk.write(bytes, () => rung.keep(segment));
    if (kept !== undefined) await rung.reset();
    return kept;
  }

  /** Hours that may hold something that ends later are trimmed file by file. */
  async #trimTo(beforeMs: number): Promise<void> {
    await this.#each(async (rung) => {
      for (const hour of rung.hours.filter((start) => start < beforeMs)) {
        if (hour + hourMs + overhangMsMax <= beforeMs) await rung.dropHour(hour);
        else await rung.trimHour(hour, beforeMs);
      }
    });
  }

  /** What one rung's folder fails at does not keep the others from it. */
  async #each(work: (rung: RungFolder) => unknown): Promise<void> {
    for (const rung of this.#rungs.values())
      try {
        await work(rung);
      } catch {
        await rung.reset();
      }
  }

  #hours(): readonly { readonly startMs: number; readonly bytes: number }[] {
    const bytes = new Map<number, number>();
    for (const rung of this.#rungs.values())
      for (const hour of rung.hours) bytes.set(hour, (bytes.get(hour) ?? 0) + rung.bytesOf(hour));
    return [...bytes]
      .map(([startMs, sum]) => ({ startMs, bytes: sum }))
      .sort((a, b) => a.startMs - b.startMs);
  }

  #rung(name: RungName): RungFolder | undefined {
    const folder = folderOfRung(name);
    const known = this.#rungs.get(folder);
    if (known !== undefined) return known;
    // A media server that names its rungs anew for each session leaves many behind.
    for (const [other, one] of this.#rungs)
      if (one.hours.length === 0 && !this.#writes.has(one)) this.#rungs.delete(other);
    if (this.#rungs.size >= rungsMax) return undefined;
    const rung = new RungFolder(name, join(this.folder, folder), this.#cache);
    this.#rungs.set(folder, rung);
    return rung;
  }
}
