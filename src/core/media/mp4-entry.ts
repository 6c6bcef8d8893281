import { fitsAdts } from './adts.ts';
import type { AacConfig } from './audio-headers.ts';
import { u16 } from './bits.ts';
import { asciiText } from './bytes.ts';
import { findBox } from './mp4-boxes.ts';
import { codecOf, readEsds } from './mp4-codecs.ts';
import type { Track } from './units.ts';

/** What a sample entry says. */
export type Mp4Entry = {
  readonly track: Track;
  /** Bytes of the length before each NAL unit; 0 where there are none. */
  readonly lengthBytes: number;
  /** Of AAC samples, which come without a header. */
  readonly aac?: AacConfig | undefined;
};

type TrackFacts = {
  readonly id: number;
  readonly language: string | undefined;
};

const videoEntryBytes = 78;
const audioEntryBytes = 28;
const videoEntries = new Set(['avc1', 'avc3', 'hvc1', 'hev1', 'vp08', 'vp09', 'av01', 'mp4v']);

/** Reads one sample entry (ISO 14496-12 8.5.2, ISO 14496-15, ISO 14496-14, ETSI TS 102 366 annex F). */
export function readMp4Entry(facts: TrackFacts, written: string, body: Uint8Array): Mp4Entry {
  const isVideo = written === 'encv' || videoEntries.has(written);
  const boxes = body.subarray(isVideo ? videoEntryBytes : audioEntryBytes);
  const original = findBox(boxes, 'sinf', 'frma');
  const encrypted = original !== undefined;
  const type = original === undefined ? written : asciiText(original);
  const base = { id: facts.id, encrypted, codec: codecOf(type, boxes) };
  const resolution = isVideo ? `${u16(body, 24)}x${u16(body, 26)}` : undefined;
  const readable = encrypted ? undefined : readableEntry(base, type, boxes, facts.language);
  const descriptors = new Uint8Array(0);
  return readable ?? { track: { ...base, kind: 'other', resolution, descriptors }, lengthBytes: 0 };
}

type Base = {
  readonly id: number;
  readonly encrypted: boolean;
  readonly codec: string | undefined;
};

function readableEntry(
  base: Base,
  type: string,
  boxes: Uint8Array,
  language: string | undefined,
): Mp4Entry | undefined {
  switch (type) {
    case 'avc1':
    case 'avc3':
      return avcEntry(base, findBox(boxes, 'avcC'));
    case 'hvc1':
    case 'hev1':
      return hevcEntry(base, findBox(boxes, 'hvcC'));
    case 'mp4a': {
      const config = readEsds(findBox(boxes, 'esds'));
      const audio = { ...base, kind: 'audio', language } as const;
      if (config?.isMpegAudio) return { track: { ...audio, format: 'mpeg' }, lengthBytes: 0 };
      const { aac } = config ?? {};
      if (aac === undefined || !fitsAdts(aac)) return undefined;
      return { track: { ...audio, format: 'aac' }, lengthBytes: 0, aac };
    }
    case 'ac-3':
      return { track: { ...base, kind: 'audio', format: 'ac3', language }, lengthBytes: 0 };
    case 'ec-3':
      return { track: { ...base, kind: 'audio', format: 'eac3', language }, lengthBytes: 0 };
    default:
      return undefined;
  }
}

function avcEntry(base: Base, avcc?: Uint8Array): Mp4Entry | undefined {
  if (avcc === undefined || avcc.length < 7) return undefined;
  const parameterSets: Uint8Array[] = [];
  let at = 5;
  for (const mask of [31, 255]) {
    const count = (avcc[at] ?? 0) & mask;
    at += 1;
    for (let i = 0; i < count && at + 2 <= avcc.length; i += 1) {
      const end = at + 2 + u16(avcc, at);
      if (end <= avcc.length) parameterSets.push(avcc.slice(at + 2, end));
      at = end;
    }
  }
  const lengthBytes = ((avcc[4] ?? 0) & 3) + 1;
  return { track: { ...base, kind: 'video', format: 'h264', parameterSets }, lengthBytes };
}

function hevcEntry(base: Base, hvcc?: Uint8Array): Mp4Entry | undefined {
  if (hvcc === undefined || hvcc.length < 23) return undefined;
  const parameterSets: Uint8Array[] = [];
  let at = 23;
  for (let array = 0; array < (hvcc[22] ?? 0) && at + 3 <= hvcc.length; array += 1) {
    const type = (hvcc[at] ?? 0) & 63;
    const count = u16(hvcc, at + 1);
    at += 3;
    for (let i = 0; i < count && at + 2 <= hvcc.length; i += 1) {
      const end = at + 2 + u16(hvcc, at);
      if (end <= hvcc.length && type <= 34) parameterSets.push(hvcc.slice(at + 2, end));
      at = end;
    }
  }
  const lengthBytes = ((hvcc[21] ?? 0) & 3) + 1;
  return { track: { ...base, kind: 'video', format: 'hevc', parameterSets }, lengthBytes };
}
