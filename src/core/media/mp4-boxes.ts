import { u32, u64 } from './bits.ts';
import { asciiText } from './bytes.ts';

/** One box of ISO base media (ISO 14496-12 4.2). */
export type Box = {
  readonly type: string;
  /** Without the box header. */
  readonly body: Uint8Array;
  /** Where the box begins in the bytes given. */
  readonly at: number;
};

/** Boxes of one level that are looked at; hostile input has more. */
const boxesMax = 10_000;

/** Boxes of one level in order; stops at a size that does not fit. A size of 0 reaches to the end. */
export function readBoxes(bytes: Uint8Array): Box[] {
  const boxes: Box[] = [];
  let at = 0;
  while (at + 8 <= bytes.length && boxes.length < boxesMax) {
    const small = u32(bytes, at);
    const header = small === 1 ? 16 : 8;
    const size = small === 0 ? bytes.length - at : small === 1 ? u64(bytes, at + 8) : small;
    if (size < header || at + size > bytes.length) break;
    const type = asciiText(bytes.subarray(at + 4, at + 8));
    boxes.push({ type, at, body: bytes.subarray(at + header, at + size) });
    at += size;
  }
  return boxes;
}

/** Body of the first box reached by `path` from one level down to the next. */
export function findBox(bytes: Uint8Array, ...path: readonly string[]): Uint8Array | undefined {
  let level: Uint8Array | undefined = bytes;
  for (const type of path) {
    level = level && readBoxes(level).find((box) => box.type === type)?.body;
  }
  return level;
}

/** Bodies of all boxes of one type on one level. */
export function findBoxes(bytes: Uint8Array, type: string): Uint8Array[] {
  return readBoxes(bytes)
    .filter((box) => box.type === type)
    .map((box) => box.body);
}
