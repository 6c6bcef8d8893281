import { readdir } from 'node:fs/promises';
import type { IndexedSegment } from '../../core/archive/segment-index.ts';
import { makeFolderDurably } from './durable-files.ts';
import { HourLog } from './hour-log.ts';
import { mapName, segmentName } from './names.ts';

/** Hours of one rung that are open at once: the present one, and one that is being filled. */
const hoursMax = 2;

/** An hour that is written to. */
export type OpenHour = {
  readonly log: HourLog;
  /** Initialisation segments that are there. */
  readonly maps: Set<number>;
  /** Files of segments that the index names. */
  readonly names: Set<string>;
};

/** The indexes of one rung that are open for writing. */
export class OpenHours {
  readonly #open = new Map<number, OpenHour>();

  /** Opens the hour in `folder`, or makes it; `found` is told what it held if it was not open. */
  async get(
    hour: number,
    folder: string,
    found: (segments: readonly IndexedSegment[]) => void,
  ): Promise<OpenHour> {
    const known = this.#open.get(hour);
    if (known !== undefined) return known;
    await this.close(hoursMax - 1);
    await makeFolderDurably(folder);
    const { log, reading } = await HourLog.open(folder);
    const { segments } = reading;
    const there = new Set(await readdir(folder));
    const maps = [...new Set(segments.map(({ map }) => map))];
    const opened = {
      log,
      maps: new Set(maps.filter((map) => there.has(mapName(hour, map)))),
      names: new Set(segments.map(segmentName)),
    };
    this.#open.set(hour, opened);
    found(segments);
    return opened;
  }

  async closeOne(hour: number): Promise<void> {
    const opened = this.#open.get(hour);
    this.#open.delete(hour);
    await opened?.log.close();
  }

  /** Closes all but the `leave` that were opened last. */
  async close(leave: number): Promise<void> {
    for (const hour of [...this.#open.keys()].slice(0, Math.max(0, this.#open.size - leave)))
      await this.closeOne(hour);
  }
}
