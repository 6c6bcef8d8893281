import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type {
  DvrFault,
  DvrStream,
  OpenDvr,
  RungName,
  SegmentToKeep,
} from '../../agent/archive-ports.ts';
import type { ArchivedRung } from '../../agent/ports.ts';
import { budgetCut, cutInstant } from '../../core/archive/budget-cut.ts';
import type { TimeRange } from '../../core/archive/ranges.ts';
import type { Container } from '../../core/stream/stream.ts';
import { BlockCache } from './block-cache.ts';
import { createDiskRoom } from './disk-room.ts';
import { makeFolderDurably } from './durable-files.ts';
import { folderName, folderText, hourMs, hourName, hourOfFile } from './names.ts';
import { RungFolder } from './rung-folder.ts';

/** Segments of hours held in memory, all streams together: 24 h of four rungs with segments of 4 s. */
const cachedSegmentsMax = 100_000;
/** Left free on the disk: the node's database may be there, too. */
const reserveBytesDefault = 256 * 1024 * 1024;
/** Most rungs of one stream; further ones are not recorded. */
const rungsMax = 64;
/** A segment that starts in an hour ends less than this after it. */
const overhangMsMax = 60_000;

/** Recordings on disk: `{folder}/{stream}/{container}.{rung}/{hour}/`, in each hour an index beside its segments. */
export function createDvr(options: {
  readonly defaultFolder: string;
  readonly reserveBytes?: number;
  readonly cachedSegmentsMax?: number;
}): { readonly open: OpenDvr } {
  const cache = new BlockCache(options.cachedSegmentsMax ?? cachedSegmentsMax);
  return {
    async open(stream, folder) {
      const own = join(folder ?? options.defaultFolder, folderName(stream));
      const opened = new DvrFolder(stream, own, cache, options.reserveBytes ?? reserveBytesDefault);
      await opened.recover();
      return opened;
    },
  };
}

class DvrFolder implements DvrStream {
  readonly #stream: string;
  readonly #folder: string;
  readonly #cache: BlockCache;
  readonly #room;
  readonly #rungs = new Map<string, RungFolder>();

  constructor(stream: string, folder: string, cache: BlockCache, reserveBytes: number) {
    this.#stream = stream;
    this.#folder = folder;
    this.#cache = cache;
    this.#room = createDiskRoom(folder, reserveBytes);
  }

  /** What cannot be read now is not known; it is left alone. */
  async recover(): Promise<void> {
    const names = await readdir(this.#folder).catch(() => []);
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

  async keep(name: RungName, segment: SegmentToKeep) {
    const rung = this.#rung(name);
    if (rung === undefined) return fault('recorder-disk-failed', `more than ${rungsMax} rungs`);
    const first = await this.#keepIn(rung, segment);
    // Somebody emptied the disk under the open index: everything is made anew, once.
    return first?.cause === 'ENOENT' ? await this.#keepIn(rung, segment) : first;
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
    return pathToFileURL(join(this.#folder, folderOfRung(name), hourName(hour), file)).href;
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
    let isLost = false;
    await this.#each(async (rung) => {
      const lostHours = await rung.findLostHours();
      const { hours } = rung;
      const hour = hours[turn % hours.length];
      const lostFiles = hour === undefined ? 0 : await rung.findLostFiles(hour);
      isLost ||= lostHours.length + lostFiles > 0;
    });
    return isLost;
  }

  async close(): Promise<void> {
    await this.#each((rung) => rung.close());
  }

  async #keepIn(rung: RungFolder, segment: SegmentToKeep): Promise<DvrFault | undefined> {
    try {
      await makeFolderDurably(rung.folder);
      const bytes = segment.content.length + (segment.init?.length ?? 0);
      if (!(await this.#room.takes(bytes))) return fault('recorder-disk-full', 'reserve reached');
      await rung.keep(segment);
      return undefined;
    } catch (error) {
      await rung.reset();
      const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
      const isFull = code === 'ENOSPC' || code === 'EDQUOT';
      return fault(isFull ? 'recorder-disk-full' : 'recorder-disk-failed', code);
    }
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
    if (known !== undefined || this.#rungs.size >= rungsMax) return known;
    const rung = new RungFolder(name, join(this.#folder, folder), this.#cache);
    this.#rungs.set(folder, rung);
    return rung;
  }
}

function folderOfRung({ container, rung }: RungName): string {
  return `${container}.${folderName(rung)}`;
}

function rungOfFolder(folder: string): RungName | undefined {
  const [, container, name] = /^(ts|fmp4)\.(.+)$/.exec(folder) ?? [];
  const rung = folderText(name ?? '');
  if (rung === undefined || rung === '') return undefined;
  return { container: container === 'ts' ? 'ts' : 'fmp4', rung };
}

function fault(reason: DvrFault['reason'], cause: string): DvrFault {
  return { kind: 'fault', reason, cause };
}
