import { concatBytes } from '../media/bytes.ts';
import type { VideoFormat } from '../media/units.ts';
import { roleOf } from '../media/video-units.ts';

/** Writes pictures in the one form that every packager's output can be brought to. */
export type PictureWriter = {
  /** Bytes of a picture with start codes, whatever container its parts came from. */
  write(parts: readonly Uint8Array[], isKey: boolean): Uint8Array;
};

/**
 * One fixed delimiter, then parameter sets, then the rest in order; no filler, four-byte start codes. Every
 * keyframe has the parameter sets in force, the same set only once: MP4 keeps them outside of the pictures.
 */
export function createPictureWriter(
  format: VideoFormat,
  outside: readonly Uint8Array[],
): PictureWriter {
  let inForce: readonly Uint8Array[] = sortedSets(format, outside);
  const codeBytes = format === 'mpeg2' ? startCode.subarray(1) : startCode;
  return {
    write(parts, isKey) {
      const own: Uint8Array[] = [];
      const rest: Uint8Array[] = [];
      for (const part of parts) {
        const role = roleOf(format, part);
        if (role === 'parameters') own.push(part);
        else if (role !== 'delimiter' && role !== 'filler') rest.push(part);
      }
      const given = sortedSets(format, own);
      const isWhole = given.some((set) => typeOf(format, set) === sequenceType[format]);
      if (isWhole) inForce = given.map((set) => set.slice());
      const sets = isKey && !isWhole ? inForce : given;
      const all = [...delimiters[format], ...sets, ...rest];
      return concatBytes(all.flatMap((part) => [codeBytes, part]));
    },
  };
}

const startCode = Uint8Array.of(0, 0, 0, 1);

/** H.264: any slice type; HEVC: any slice type; MPEG-2 has none. */
const delimiters: Readonly<Record<VideoFormat, readonly Uint8Array[]>> = {
  h264: [Uint8Array.of(0x09, 0xf0)],
  hevc: [Uint8Array.of(0x46, 0x01, 0x50)],
  mpeg2: [],
};

/** Sequence parameter set, or sequence header. */
const sequenceType: Readonly<Record<VideoFormat, number>> = { h264: 7, hevc: 33, mpeg2: 0xb3 };

/** Each set once; in the order VPS, SPS, extension, PPS, else as given. */
function sortedSets(format: VideoFormat, sets: readonly Uint8Array[]): Uint8Array[] {
  const once = sets.filter(
    (set, index) => sets.findIndex((other) => isEqual(other, set)) === index,
  );
  const order = (set: Uint8Array) => {
    const type = typeOf(format, set);
    if (format === 'mpeg2') return 0;
    return type === 13 ? 7.5 : type;
  };
  return once.sort((a, b) => order(a) - order(b));
}

function typeOf(format: VideoFormat, part: Uint8Array): number {
  const first = part[0] ?? 0;
  if (format === 'mpeg2') return first;
  return format === 'h264' ? first & 31 : (first >> 1) & 63;
}

function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}
