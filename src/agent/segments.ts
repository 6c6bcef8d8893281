import type { MonoMs } from '../core/time.ts';
import type { OriginFault, OriginStream, Timers } from './ports.ts';
import {
  answerFrom,
  type Fill,
  firstRoomBytes,
  newFill,
  notify,
  type StoredSegment,
} from './segment-fill.ts';

export type { StoredSegment } from './segment-fill.ts';

/** Asks the origin for the segment, or for a range of it. */
export type RequestSegment = (range?: string) => Promise<OriginStream | OriginFault>;

const segmentCacheBytesDefault = 256 * 1024 * 1024;
/** Largest segment that is kept; larger ones stream through. */
const segmentBytesMax = 32 * 1024 * 1024;
/** An origin that stops within a segment is waited for so long, ms: viewers are better off asking again. */
const stallMsMax = 5_000;
/** How long a segment that has left the live window is kept for viewers who lag behind, ms. */
export const leftKeptMs = 60_000;

/** Cannot be shared: whoever takes the stream first has it. */
type Alone = { readonly kind: 'alone'; take(): OriginStream | undefined };

type Kept = {
  /** Settles when the origin has answered. */
  begun: Promise<Fill | Alone | OriginFault>;
  fill?: Fill;
  /** Bytes counted against the budget. */
  room: number;
  isForgotten: boolean;
  leftAt?: MonoMs;
};

/**
 * The segments of live windows, each read from its origin once and kept in one buffer for everybody, within a budget.
 * What does not fit streams through. Identified by numbers of {@link newId}: a file name used again is another segment.
 */
export class Segments {
  readonly #bytesMax: number;
  readonly #timers: Timers;
  readonly #kept = new Map<number, Kept>();
  #bytes = 0;
  #ids = 0;

  constructor(options: { timers: Timers; segmentCacheBytesMax?: number | undefined }) {
    this.#timers = options.timers;
    this.#bytesMax = options.segmentCacheBytesMax ?? segmentCacheBytesDefault;
  }

  newId(): number {
    this.#ids += 1;
    return this.#ids;
  }

  /** Bytes in memory, those on their way included. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * The segment, or a range of it, from memory; the first who asks makes it be read. `onComplete` is told its length
   * when it has been read whole.
   */
  async open(
    id: number,
    request: RequestSegment,
    options: { range?: string | undefined; onComplete?: (bytes: number) => void },
  ): Promise<StoredSegment | OriginStream | OriginFault> {
    const kept = this.#kept.get(id) ?? this.#begin(id, request, options.onComplete);
    const begun = kept.fill ?? (await kept.begun);
    if (begun.kind === 'fault') return begun;
    if (begun.kind === 'fill')
      return answerFrom(begun, options.range) ?? (await request(options.range));
    const stream = begun.take();
    if (stream !== undefined && options.range === undefined) return stream;
    stream?.close();
    return request(options.range);
  }

  /** Whether all of it is in memory. */
  isWhole(id: number): boolean {
    return this.#kept.get(id)?.fill?.end === 'complete';
  }

  /** The segment has left its live window: it is kept for another minute if nothing else needs the room. */
  leave(id: number, at: MonoMs): void {
    const kept = this.#kept.get(id);
    if (kept !== undefined) kept.leftAt ??= at;
  }

  forget(id: number): void {
    const kept = this.#kept.get(id);
    if (kept === undefined) return;
    this.#kept.delete(id);
    this.#giveRoom(kept, kept.room);
    kept.isForgotten = true;
  }

  #begin(id: number, request: RequestSegment, onComplete?: (bytes: number) => void): Kept {
    const kept: Kept = { begun: this.#ask(id, request, onComplete), room: 0, isForgotten: false };
    this.#kept.set(id, kept);
    return kept;
  }

  async #ask(
    id: number,
    request: RequestSegment,
    onComplete?: (bytes: number) => void,
  ): Promise<Fill | Alone | OriginFault> {
    const found = await request();
    const kept = this.#kept.get(id);
    const length = found.kind === 'stream' ? lengthOf(found) : undefined;
    const canBeKept =
      found.kind === 'stream' &&
      found.status === 200 &&
      kept !== undefined &&
      this.#takeRoom(kept, length ?? firstRoomBytes);
    if (canBeKept) {
      const fill = newFill(found.headers, length);
      kept.fill = fill;
      void this.#pump(id, kept, fill, found, onComplete);
      return fill;
    }
    this.forget(id);
    return found.kind === 'fault' ? found : alone(found);
  }

  async #pump(
    id: number,
    kept: Kept,
    fill: Fill,
    stream: OriginStream,
    onComplete?: (bytes: number) => void,
  ): Promise<void> {
    let hasStalled = false;
    const watch = () =>
      this.#timers.after(stallMsMax, () => {
        hasStalled = true;
        notify(fill, 'broken');
        this.forget(id);
        stream.close();
      });
    let takeBack = watch();
    try {
      for await (const part of stream.body) {
        takeBack();
        if (hasStalled) return;
        if (!this.#append(kept, fill, part)) return this.#giveUp(kept, fill);
        notify(fill, 'open');
        takeBack = watch();
      }
      if (hasStalled) return;
      this.#giveRoom(kept, fill.bytes.length - fill.size);
      if (fill.size < fill.bytes.length) fill.bytes = fill.bytes.slice(0, fill.size);
      notify(fill, 'complete');
      onComplete?.(fill.size);
    } catch {
      notify(fill, 'broken');
      this.forget(id);
    } finally {
      takeBack();
      stream.close();
    }
  }

  /** The segment turned out too large: from now on it streams through. */
  #giveUp(kept: Kept, fill: Fill): void {
    notify(fill, 'broken');
    delete kept.fill;
    kept.begun = Promise.resolve({ kind: 'alone', take: () => undefined });
    this.#giveRoom(kept, kept.room);
  }

  /** False when there is no room for more. */
  #append(kept: Kept, fill: Fill, part: Uint8Array): boolean {
    const size = fill.size + part.length;
    if (size > fill.bytes.length) {
      const room = Math.min(Math.max(size, fill.bytes.length * 2), segmentBytesMax);
      if (size > room || !this.#takeRoom(kept, room - fill.bytes.length)) return false;
      const larger = new Uint8Array(room);
      larger.set(fill.bytes.subarray(0, fill.size));
      fill.bytes = larger;
    }
    fill.bytes.set(part, fill.size);
    fill.size = size;
    return true;
  }

  /** Makes room by forgetting what has left its window, longest ago first; never what viewers still come for. */
  #takeRoom(kept: Kept, bytes: number): boolean {
    if (bytes > segmentBytesMax) return false;
    if (kept.isForgotten) return true;
    if (this.#bytes + bytes > this.#bytesMax) {
      const left = [...this.#kept].filter(
        ([, other]) => other.leftAt !== undefined && other !== kept,
      );
      left.sort(([, a], [, b]) => (a.leftAt ?? 0) - (b.leftAt ?? 0));
      for (const [id] of left) {
        if (this.#bytes + bytes <= this.#bytesMax) break;
        this.forget(id);
      }
    }
    if (this.#bytes + bytes > this.#bytesMax) return false;
    this.#bytes += bytes;
    kept.room += bytes;
    return true;
  }

  #giveRoom(kept: Kept, bytes: number): void {
    const given = Math.min(bytes, kept.room);
    kept.room -= given;
    this.#bytes -= given;
  }
}

function lengthOf({ headers }: OriginStream): number | undefined {
  const length = headers['content-length'];
  return length !== undefined && /^\d{1,15}$/.test(length) ? Number(length) : undefined;
}

function alone(stream: OriginStream): Alone {
  let left: OriginStream | undefined = stream;
  return {
    kind: 'alone',
    take: () => {
      const taken = left;
      left = undefined;
      return taken;
    },
  };
}
