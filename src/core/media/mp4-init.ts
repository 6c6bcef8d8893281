import { u16, u32, u64 } from './bits.ts';
import { findBox, findBoxes, readBoxes } from './mp4-boxes.ts';
import type { Mp4Entry } from './mp4-entry.ts';
import { readMp4Entry } from './mp4-entry.ts';

/** A track of an initialization section, with what its fragments need. */
export type Mp4Track = Mp4Entry & {
  readonly timescale: number;
  /** Subtracted from every time of the track: its edit list (ISO 14496-12 8.6.6). */
  readonly editStart: number;
  /** Defaults of trex, for samples that give none of their own. */
  readonly sampleDuration: number;
  readonly sampleSize: number;
  readonly sampleFlags: number;
};

const tracksMax = 64;

/** Tracks of an initialization section (moov, ISO 14496-12 8.2.1); empty when there is none. */
export function readMp4Tracks(bytes: Uint8Array): Mp4Track[] {
  const moov = findBox(bytes, 'moov');
  if (moov === undefined) return [];
  const defaults = findBoxes(findBox(moov, 'mvex') ?? new Uint8Array(0), 'trex');
  const mvhd = findBox(moov, 'mvhd') ?? new Uint8Array(0);
  const movieScale = u32(mvhd, mvhd[0] === 1 ? 20 : 12);
  const tracks: Mp4Track[] = [];
  for (const trak of findBoxes(moov, 'trak').slice(0, tracksMax)) {
    const track = readTrack(trak, defaults, movieScale);
    if (track !== undefined) tracks.push(track);
  }
  return tracks;
}

function readTrack(
  trak: Uint8Array,
  defaults: readonly Uint8Array[],
  movieScale: number,
): Mp4Track | undefined {
  const tkhd = findBox(trak, 'tkhd');
  const mdhd = findBox(trak, 'mdia', 'mdhd');
  const stsd = findBox(trak, 'mdia', 'minf', 'stbl', 'stsd');
  const entry = stsd && readBoxes(stsd.subarray(8))[0];
  if (tkhd === undefined || mdhd === undefined || entry === undefined) return undefined;
  const id = u32(tkhd, tkhd[0] === 1 ? 20 : 12);
  const timescale = u32(mdhd, mdhd[0] === 1 ? 20 : 12);
  if (timescale === 0) return undefined;
  const ratio = movieScale === 0 ? 0 : timescale / movieScale;
  const trex = defaults.find((body) => u32(body, 4) === id) ?? new Uint8Array(24);
  const language = languageOf(u16(mdhd, mdhd[0] === 1 ? 32 : 20));
  return {
    timescale,
    editStart: readEditStart(findBox(trak, 'edts', 'elst'), ratio),
    sampleDuration: u32(trex, 12),
    sampleSize: u32(trex, 16),
    sampleFlags: u32(trex, 20),
    ...readMp4Entry({ id, language }, entry.type, entry.body),
  };
}

/**
 * Media time that is shown at time zero: where the first edit that shows something begins, less the empty edits
 * before it (in the movie's timescale; what keeps sound and pictures in step).
 */
function readEditStart(elst: Uint8Array | undefined, ratio: number): number {
  if (elst === undefined) return 0;
  const isLong = elst[0] === 1;
  const entryBytes = isLong ? 20 : 12;
  let empty = 0;
  for (let at = 8; at + entryBytes <= elst.length; at += entryBytes) {
    const duration = isLong ? u64(elst, at) : u32(elst, at);
    const high = isLong ? u32(elst, at + 8) | 0 : 0;
    const low = u32(elst, isLong ? at + 12 : at + 4);
    const start = isLong ? high * 2 ** 32 + low : low | 0;
    if (start >= 0) return start - empty * ratio;
    empty += duration;
  }
  return 0;
}

/** Three letters of five bits; `und` is none. */
function languageOf(packed: number): string | undefined {
  const letters = [packed >> 10, packed >> 5, packed].map((five) => (five & 31) + 0x60);
  const text = String.fromCharCode(...letters);
  return text === 'und' || !/^[a-z]{3}$/.test(text) ? undefined : text;
}
