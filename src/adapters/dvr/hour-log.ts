import { constants } from 'node:fs';
import { type FileHandle, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  encodeLost,
  encodeRun,
  encodeSegment,
  encodeTrim,
  type IndexedSegment,
  type IndexReading,
  readIndex,
  recordBytes,
} from '../../core/archive/segment-index.ts';

/** In each folder of an hour, beside the segments. */
export const indexName = 'index';

/** The index of one hour, open for writing. What an append has resolved for stays. */
export class HourLog {
  readonly #file: FileHandle;
  /** Where the next record goes; what a failed write left behind it is cut off, or written over. */
  #length: number;
  /** The run that the last segment belongs to, and its number. */
  #run: { readonly text: string; readonly number: number } | undefined;

  private constructor(file: FileHandle, length: number) {
    this.#file = file;
    this.#length = length;
  }

  /** Opens or makes the index; a tail that was cut off is taken away. */
  static async open(folder: string): Promise<{ log: HourLog; reading: IndexReading }> {
    const file = await open(join(folder, indexName), constants.O_RDWR | constants.O_CREAT, 0o640);
    try {
      const index = await file.readFile();
      const reading = readIndex(index);
      if (reading.wholeBytes < index.length) await file.truncate(reading.wholeBytes);
      return { log: new HourLog(file, reading.wholeBytes), reading };
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  async append(segment: IndexedSegment): Promise<void> {
    const isNewRun = this.#run?.text !== segment.run;
    // A number that no other run of this file has, whoever wrote them and whatever is damaged.
    const number = isNewRun ? this.#length / recordBytes : (this.#run?.number ?? 0);
    const records = isNewRun ? [encodeRun(segment.run, number)] : [];
    await this.#write([...records, encodeSegment(segment, number)]);
    this.#run = { text: segment.run, number };
  }

  async trim(beforeMs: number): Promise<void> {
    await this.#write([encodeTrim(beforeMs)]);
  }

  async lose(segment: { readonly startMs: number; readonly number: number }): Promise<void> {
    await this.#write([encodeLost(segment)]);
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  async #write(records: readonly Uint8Array[]): Promise<void> {
    const bytes = Buffer.concat(records);
    try {
      const { bytesWritten } = await this.#file.write(bytes, 0, bytes.length, this.#length);
      if (bytesWritten < bytes.length)
        throw Object.assign(new Error('the disk took only a part'), { code: 'ENOSPC' });
      await this.#file.datasync();
    } catch (error) {
      // What was not acknowledged is not to be read either.
      await this.#file.truncate(this.#length).catch(() => undefined);
      throw error;
    }
    this.#length += bytes.length;
  }
}

/** What the index in `folder` says; nothing where there is none. */
export async function readHour(folder: string): Promise<IndexReading> {
  try {
    return readIndex(await readFile(join(folder, indexName)));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return { segments: [], wholeBytes: 0 };
  }
}
