import { createBitReader } from './bits.ts';
import { splitByStartCodes, withoutEscapes } from './nal-units.ts';
import type { VideoFormat } from './units.ts';

/** What a unit within a picture's bytes is for. */
type PartRole = 'delimiter' | 'filler' | 'parameters' | 'slice' | 'other';

/** The parts of a picture's bytes with start codes, see {@link splitByStartCodes}. */
export function splitPicture(format: VideoFormat, bytes: Uint8Array): Uint8Array[] {
  return splitByStartCodes(bytes, format === 'mpeg2');
}

/** Role of one part by its type (H.264 table 7-1, H.265 table 7-1, ISO 13818-2 table 6-1). */
export function roleOf(format: VideoFormat, part: Uint8Array): PartRole {
  const first = part[0] ?? 0;
  switch (format) {
    case 'h264':
      return h264Roles[first & 31] ?? 'other';
    case 'hevc': {
      const type = (first >> 1) & 63;
      if (type < 32) return 'slice';
      return hevcRoles[type] ?? 'other';
    }
    case 'mpeg2':
      if (first >= 0x01 && first <= 0xaf) return 'slice';
      return first === 0xb3 || isSequenceExtension(part) ? 'parameters' : 'other';
  }
}

/**
 * Whether playback may begin with this picture: IDR or a recovery point (H.264), IRAP (HEVC), an I picture
 * (MPEG-2). `marked` is the container's word for it; alone it is believed of an H.264 picture only when
 * the first slice is an I slice (open GOPs of encoders that write no recovery point).
 */
export function isKeyPicture(
  format: VideoFormat,
  parts: readonly Uint8Array[],
  marked: boolean,
): boolean {
  switch (format) {
    case 'h264':
      return isH264Key(parts, marked);
    case 'hevc':
      return parts.some((part) => {
        const type = ((part[0] ?? 0) >> 1) & 63;
        return type >= 16 && type <= 23;
      });
    case 'mpeg2': {
      const picture = parts.find((part) => part[0] === 0);
      return picture !== undefined && (((picture[2] ?? 0) >> 3) & 7) === 1;
    }
  }
}

/** Sequence, sequence display and sequence scalable extension (ISO 13818-2 table 6-2). */
function isSequenceExtension(part: Uint8Array): boolean {
  const id = (part[1] ?? 0) >> 4;
  return part[0] === 0xb5 && (id === 1 || id === 2 || id === 5);
}

const h264Roles: Readonly<Record<number, PartRole>> = {
  1: 'slice',
  2: 'slice',
  3: 'slice',
  4: 'slice',
  5: 'slice',
  7: 'parameters',
  8: 'parameters',
  9: 'delimiter',
  12: 'filler',
  13: 'parameters',
};

const hevcRoles: Readonly<Record<number, PartRole>> = {
  32: 'parameters',
  33: 'parameters',
  34: 'parameters',
  35: 'delimiter',
  38: 'filler',
};

function isH264Key(parts: readonly Uint8Array[], marked: boolean): boolean {
  for (const part of parts) {
    const type = (part[0] ?? 0) & 31;
    if (type === 5) return true;
    if (type === 6 && hasRecoveryPoint(part)) return true;
    if (type === 1) return marked && isIntraSlice(part);
  }
  return false;
}

/** Slice types 2 and 7 are I (H.264 table 7-6). */
function isIntraSlice(slice: Uint8Array): boolean {
  const r = createBitReader(withoutEscapes(slice.subarray(1), 12));
  r.ue();
  const type = r.ue();
  return !r.overrun() && type % 5 === 2;
}

/** SEI messages that are looked at in one unit. */
const seiBytesMax = 4_096;

/** Whether an SEI unit holds a recovery point (H.264 D.1.8, payload type 6). */
function hasRecoveryPoint(unit: Uint8Array): boolean {
  const bytes = withoutEscapes(unit.subarray(1), seiBytesMax);
  let at = 0;
  const readNumber = () => {
    let value = 0;
    while (bytes[at] === 255) {
      value += 255;
      at += 1;
    }
    value += bytes[at] ?? 0;
    at += 1;
    return value;
  };
  while (at + 2 <= bytes.length && bytes[at] !== 0x80) {
    const type = readNumber();
    const size = readNumber();
    if (type === 6) return true;
    at += size;
  }
  return false;
}
