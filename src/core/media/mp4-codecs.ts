import type { AacConfig } from './audio-headers.ts';
import { readAacConfig } from './audio-headers.ts';
import { findBox } from './mp4-boxes.ts';
import { hevcCodec } from './video-headers.ts';

/** RFC 6381 string of a sample entry; undefined where its configuration is missing. */
export function codecOf(type: string, boxes: Uint8Array): string | undefined {
  switch (type) {
    case 'avc1':
    case 'avc3': {
      const avcc = findBox(boxes, 'avcC');
      return avcc && `${type}.${hexBytes(avcc.subarray(1, 4))}`;
    }
    case 'hvc1':
    case 'hev1': {
      const hvcc = findBox(boxes, 'hvcC');
      return hvcc && hevcCodec(hvcc.subarray(1, 13)).replace('hvc1', type);
    }
    case 'mp4a':
      return readEsds(findBox(boxes, 'esds'))?.codec;
    case 'vp09': {
      const config = findBox(boxes, 'vpcC')?.subarray(4);
      return config && `vp09.${two(config[0])}.${two(config[1])}.${two((config[2] ?? 0) >> 4)}`;
    }
    case 'av01': {
      const config = findBox(boxes, 'av1C');
      return config && av1Codec(config);
    }
    case 'Opus':
      return 'opus';
    default:
      return type;
  }
}

/** AV1 codec string (AV1 ISOBMFF binding, 5): profile, level and tier, bit depth. */
function av1Codec(config: Uint8Array): string {
  const second = config[1] ?? 0;
  const third = config[2] ?? 0;
  const tier = (third & 0x80) === 0 ? 'M' : 'H';
  const depth = (third & 0x40) === 0 ? 8 : (third & 0x20) === 0 ? 10 : 12;
  return `av01.${second >> 5}.${two(second & 31)}${tier}.${two(depth)}`;
}

/** What an esds box says of its stream. */
export type EsConfig = {
  readonly codec: string;
  readonly aac?: AacConfig | undefined;
  readonly isMpegAudio: boolean;
};

/** Decoder configuration of an esds box (ISO 14496-1 7.2.6). */
export function readEsds(esds: Uint8Array | undefined): EsConfig | undefined {
  if (esds === undefined) return undefined;
  const es = descriptorBody(esds, 4, 0x03);
  if (es === undefined) return undefined;
  const flags = es[2] ?? 0;
  const depends = (flags & 0x80) === 0 ? 0 : 2;
  const url = (flags & 0x40) === 0 ? 0 : 1 + (es[3 + depends] ?? 0);
  const clock = (flags & 0x20) === 0 ? 0 : 2;
  const decoder = descriptorBody(es, 3 + depends + url + clock, 0x04);
  if (decoder === undefined || decoder.length < 13) return undefined;
  const objectType = decoder[0] ?? 0;
  if (objectType === 0x40) {
    const specific = descriptorBody(decoder, 13, 0x05);
    const aac = specific && readAacConfig(specific);
    return aac && { codec: `mp4a.40.${aac.objectType}`, aac, isMpegAudio: false };
  }
  const isMpegAudio = objectType === 0x69 || objectType === 0x6b;
  const codec = isMpegAudio ? 'mp4a.40.34' : `mp4a.${objectType.toString(16).toUpperCase()}`;
  return { codec, isMpegAudio };
}

/** Body of the descriptor at `at` when it has `tag`; its length is written in up to four bytes of seven bits. */
function descriptorBody(bytes: Uint8Array, at: number, tag: number): Uint8Array | undefined {
  if (bytes[at] !== tag) return undefined;
  let length = 0;
  for (let i = 1; i <= 4; i += 1) {
    const byte = bytes[at + i] ?? 0;
    length = length * 128 + (byte & 127);
    if ((byte & 128) === 0) return bytes.subarray(at + 1 + i, at + 1 + i + length);
  }
  return undefined;
}

function hexBytes(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

function two(value: number | undefined): string {
  return String(value ?? 0).padStart(2, '0');
}
