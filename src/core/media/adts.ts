import type { AacConfig } from './audio-headers.ts';

const headerBytes = 7;
const frameBytesMax = 0x1fff;

/** Whether frames of this configuration can be given an ADTS header. */
export function fitsAdts(config: AacConfig): boolean {
  return config.coreType <= 4 && config.rateIndex < 13 && config.channels < 8;
}

/** An AAC frame with an ADTS header of one form: MPEG-4, no CRC, variable rate (ISO 14496-3 1.A.2.2). */
export function withAdtsHeader(config: AacConfig, frame: Uint8Array): Uint8Array {
  const length = Math.min(frame.length + headerBytes, frameBytesMax);
  const out = new Uint8Array(length);
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
