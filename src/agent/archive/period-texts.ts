import { joinPeriod, type PeriodText } from '../../core/archive/period-playlist.ts';
import type { Slice } from '../../core/archive/take-segments.ts';

/** Memory that all texts that are kept may hold, bytes; a joined day of segments of 4 s holds 7 MB. */
const bytesMax = 64 * 1024 * 1024;
/** Texts that are kept; the one unused for longest goes first. */
const textsMax = 500;
/** A place for a pass, bytes. */
const placeBytes = 8;
/** A segment as it is listed, bytes: texts hold those they were made of. */
const segmentBytes = 250;

/** The playlists of the periods that were asked for lately, so that each is joined once, and gone on from when it grows. */
export class PeriodTexts {
  readonly #texts = new Map<string, { readonly text: PeriodText; readonly bytes: number }>();
  #bytes = 0;

  /** The playlist of a period; `key` says of which, in words of any kind. */
  join(
    key: string,
    slices: readonly Slice[],
    form: { readonly grows: boolean; readonly node: string },
  ): PeriodText {
    const known = this.#texts.get(key);
    const text = joinPeriod(slices, form, known?.text);
    const bytes = known?.text === text ? known.bytes : bytesOf(text);
    this.#forget(key);
    this.#texts.set(key, { text, bytes });
    this.#bytes += bytes;
    for (const [oldest] of this.#texts) {
      if (this.#bytes <= bytesMax && this.#texts.size <= textsMax) break;
      this.#forget(oldest);
    }
    return text;
  }

  #forget(key: string): void {
    this.#bytes -= this.#texts.get(key)?.bytes ?? 0;
    this.#texts.delete(key);
  }
}

/** Texts that share segments or memory count as if they did not. */
function bytesOf({ length, passes, parts }: PeriodText): number {
  let segments = 0;
  for (const { slice } of parts) segments += slice.block.length;
  return length + passes * placeBytes + segments * segmentBytes;
}
