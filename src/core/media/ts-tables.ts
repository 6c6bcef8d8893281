import type { AudioFormat } from './audio-headers.ts';
import { u16 } from './bits.ts';
import { asciiText, concatBytes } from './bytes.ts';
import type { Track, VideoFormat } from './units.ts';

/** One elementary stream of a PMT. */
export type TsStream = {
  readonly pid: number;
  readonly streamType: number;
  readonly descriptors: Uint8Array;
};

/** A section is never longer (private sections, ISO 13818-1 2.4.4.11). */
const sectionBytesMax = 4_096;
/** Streams of one program that are read; further ones are left out. */
const streamsMax = 64;

/** Gathers sections of one PID from packet payloads. */
export type SectionGatherer = {
  /** Sections completed by this payload, with CRC, checked when they have one. */
  push(payload: Uint8Array, starts: boolean): Uint8Array[];
  /** Forgets what was begun: packets were lost. */
  reset(): void;
};

export function createSectionGatherer(): SectionGatherer {
  let held = new Uint8Array(0);
  const take = (bytes: Uint8Array, found: Uint8Array[]) => {
    let rest = bytes;
    // A table id of 0xff is stuffing: nothing follows in this packet.
    while (rest.length >= 3 && rest[0] !== 0xff) {
      const length = 3 + (u16(rest, 1) & 0xfff);
      if (length > sectionBytesMax) return new Uint8Array(0);
      if (rest.length < length) break;
      const section = rest.slice(0, length);
      if (isIntact(section)) found.push(section);
      rest = rest.subarray(length);
    }
    return rest[0] === 0xff ? new Uint8Array(0) : rest.slice();
  };
  return {
    push(payload, starts) {
      const found: Uint8Array[] = [];
      const pointer = starts ? Math.min(payload[0] ?? 0, payload.length) : 0;
      const before = starts ? payload.subarray(1, 1 + pointer) : payload;
      if (held.length > 0) held = take(concatBytes([held, before]), found);
      if (starts) held = take(payload.subarray(1 + pointer), found);
      return found;
    },
    reset() {
      held = new Uint8Array(0);
    },
  };
}

/** PMT PIDs by program, of a program association section; empty when it is something else. */
export function readPat(section: Uint8Array): number[] {
  if (section[0] !== 0) return [];
  const pids: number[] = [];
  for (let at = 8; at + 8 <= section.length && pids.length < streamsMax; at += 4) {
    if (u16(section, at) !== 0) pids.push(u16(section, at + 2) & 0x1fff);
  }
  return pids;
}

/** Streams of a program map section in its order; empty when it is something else. */
export function readPmt(section: Uint8Array): TsStream[] {
  if (section[0] !== 2) return [];
  const streams: TsStream[] = [];
  let at = 12 + (u16(section, 10) & 0xfff);
  while (at + 9 <= section.length && streams.length < streamsMax) {
    const length = u16(section, at + 3) & 0xfff;
    const descriptors = section.subarray(at + 5, Math.min(at + 5 + length, section.length - 4));
    streams.push({
      streamType: section[at] ?? 0,
      pid: u16(section, at + 1) & 0x1fff,
      descriptors: descriptors.slice(),
    });
    at += 5 + length;
  }
  return streams;
}

/** What a stream of a PMT carries, by stream type, else by descriptor (private data). */
export function trackOf(stream: TsStream): Track {
  const base = { id: stream.pid, encrypted: encryptedTypes.has(stream.streamType) };
  const format = formats.get(stream.streamType) ?? privateFormat(stream);
  switch (format) {
    case 'h264':
    case 'hevc':
    case 'mpeg2':
      return { ...base, kind: 'video', format, parameterSets: [] };
    case 'aac':
    case 'mpeg':
    case 'ac3':
    case 'eac3': {
      const language = findDescriptor(stream.descriptors, 0x0a)?.subarray(0, 3);
      const text = language?.length === 3 ? asciiText(language) : undefined;
      return { ...base, kind: 'audio', format, language: text };
    }
    default: {
      const { streamType, descriptors } = stream;
      return { ...base, kind: 'other', streamType, descriptors };
    }
  }
}

/** Stream types whose payload is sections, not PES packets: SCTE-35 and other private sections. */
export function carriesSections(streamType: number): boolean {
  return streamType === 0x05 || streamType === 0x86 || (streamType >= 0x0a && streamType <= 0x0d);
}

/** CRC-32 as sections use it (ISO 13818-1 annex A). Over a whole section with its CRC it is 0. */
export function sectionCrc(bytes: Uint8Array): number {
  let crc = 0xffff_ffff;
  for (const byte of bytes) {
    crc = (crc << 8) ^ (crcTable[((crc >>> 24) ^ byte) & 255] ?? 0);
  }
  return crc >>> 0;
}

const crcTable = Int32Array.from({ length: 256 }, (_, index) => {
  let crc = index << 24;
  for (let i = 0; i < 8; i += 1) crc = crc & 0x8000_0000 ? (crc << 1) ^ 0x04c1_1db7 : crc << 1;
  return crc;
});

const formats = new Map<number, VideoFormat | AudioFormat>([
  [0x01, 'mpeg2'],
  [0x02, 'mpeg2'],
  [0x1b, 'h264'],
  [0x24, 'hevc'],
  [0x0f, 'aac'],
  [0x03, 'mpeg'],
  [0x04, 'mpeg'],
  [0x81, 'ac3'],
  [0x87, 'eac3'],
]);

/** SAMPLE-AES (Apple, "MPEG-2 Stream Encryption Format for HTTP Live Streaming"). */
const encryptedTypes = new Set([0xdb, 0xcf, 0xc1, 0xc2]);

/** AC-3 and HEVC in private data are named by a descriptor (ETSI EN 300 468 annex D, registrations). */
function privateFormat(stream: TsStream): 'ac3' | 'eac3' | 'hevc' | undefined {
  if (stream.streamType !== 0x06) return undefined;
  const { descriptors } = stream;
  if (findDescriptor(descriptors, 0x6a)) return 'ac3';
  if (findDescriptor(descriptors, 0x7a)) return 'eac3';
  const registration = findDescriptor(descriptors, 0x05);
  if (registration === undefined || registration.length < 4) return undefined;
  const name = asciiText(registration.subarray(0, 4));
  return registeredFormats[name];
}

const registeredFormats: Readonly<Record<string, 'ac3' | 'eac3' | 'hevc'>> = {
  'AC-3': 'ac3',
  EAC3: 'eac3',
  HEVC: 'hevc',
};

/** Body of the first descriptor with `tag`. */
function findDescriptor(descriptors: Uint8Array, tag: number): Uint8Array | undefined {
  let at = 0;
  while (at + 2 <= descriptors.length) {
    const end = at + 2 + (descriptors[at + 1] ?? 0);
    if (descriptors[at] === tag && end <= descriptors.length) {
      return descriptors.subarray(at + 2, end);
    }
    at = end;
  }
  return undefined;
}

/** Sections with the syntax bit carry a CRC, and so does SCTE-35 (table id 0xfc) without it. */
function isIntact(section: Uint8Array): boolean {
  const hasCrc = ((section[1] ?? 0) & 0x80) !== 0 || section[0] === 0xfc;
  return !hasCrc || (section.length >= 7 && sectionCrc(section) === 0);
}
