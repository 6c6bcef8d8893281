import type { AacConfig } from './audio-headers.ts';
import { allocateBytes } from './bytes.ts';

type AdtsFields = Pick<AacConfig, 'coreType' | 'rateIndex' | 'channels'>;

const headerBytes = 7;
const frameBytesMax = 0x1fff;

/** Whether frames of this configuration can be given an ADTS header. */
export function fitsAdts(config: AdtsFields): boolean {
  return config.coreType <= 4 && config.rateIndex < 13 && config.channels < 8;
}

/** An AAC frame with an ADTS header of one form: MPEG-4, no CRC, variable rate (ISO 14496-3 1.A.2.2). */
export function withAdtsHeader(config: AdtsFields, frame: Uint8Array): Uint8Array {
  const length = Math.min(frame.length + headerBytes, frameBytesMax);
  const out = allocateBytes(length);
  out[0] = 0xff;
  out[1] = 0xf1;
  out[2] = ((config.coreType - 1) << 6) | (config.rateIndex << 2) | (config.channels >> 2);
  out[3] = ((config.channels & 3) << 6) | (length >> 11);
  out[4] = (length >> 3) & 255;
  out[5] = ((length & 7) << 5) | 0x1f;
  out[6] = 0xfc;
  out.set(frame.subarray(0, length - headerBytes), headerBytes);
  return out;
}

/**
 * An ADTS frame with the header that {@link withAdtsHeader} gives; packagers differ in fields that mean nothing.
 * Frames of several blocks stay as they are.
 */
export function withPlainHeader(frame: Uint8Array): Uint8Array {
  const word = frame[2] ?? 0;
  const isSingle = ((frame[6] ?? 0) & 3) === 0;
  const coded = ((frame[1] ?? 0) & 1) === 1 ? headerBytes : headerBytes + 2;
  if (!isSingle || frame.length <= coded) return frame;
  const config = {
    coreType: (word >> 6) + 1,
    rateIndex: (word >> 2) & 15,
    channels: ((word & 1) << 2) | ((frame[3] ?? 0) >> 6),
  };
  return withAdtsHeader(config, frame.subarray(coded));
}
