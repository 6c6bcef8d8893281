import { u32, u64 } from './bits.ts';
import type { Box } from './mp4-boxes.ts';
import { findBox, findBoxes, readBoxes } from './mp4-boxes.ts';
import type { Mp4Track } from './mp4-init.ts';

/** One sample of a fragment, times in the track's timescale. */
export type Mp4Sample = {
  readonly track: Mp4Track;
  readonly decodeTime: number;
  readonly compositionOffset: number;
  readonly duration: number;
  readonly isSync: boolean;
  readonly bytes: Uint8Array;
  /** Where its bytes begin. */
  readonly at: number;
  /** Its bytes are not all there. */
  readonly damaged: boolean;
};

/** Samples of one segment; hostile input claims more. */
const samplesMax = 20_000;

/** Samples of all fragments in the bytes (moof and mdat, ISO 14496-12 8.8), in the order of the fragments. */
export function readMp4Samples(bytes: Uint8Array, tracks: readonly Mp4Track[]): Mp4Sample[] {
  const samples: Mp4Sample[] = [];
  for (const box of readBoxes(bytes)) {
    if (box.type !== 'moof') continue;
    for (const traf of findBoxes(box.body, 'traf')) readTraf(bytes, box, traf, tracks, samples);
  }
  return samples;
}

type Header = {
  readonly track: Mp4Track;
  readonly base: number;
  readonly duration: number;
  readonly size: number;
  readonly flags: number;
};

function readTraf(
  bytes: Uint8Array,
  moof: Box,
  traf: Uint8Array,
  tracks: readonly Mp4Track[],
  samples: Mp4Sample[],
): void {
  const tfhd = findBox(traf, 'tfhd');
  const header = tfhd && readTfhd(tfhd, moof.at, tracks);
  if (header === undefined) return;
  const tfdt = findBox(traf, 'tfdt');
  const state = {
    time: tfdt === undefined ? 0 : tfdt[0] === 1 ? u64(tfdt, 4) : u32(tfdt, 4),
    at: header.base,
  };
  for (const trun of findBoxes(traf, 'trun')) readTrun(bytes, header, trun, state, samples);
}

/** tfhd (8.8.7): optional fields in the order of the flags, defaults of trex else. */
function readTfhd(
  tfhd: Uint8Array,
  moofAt: number,
  tracks: readonly Mp4Track[],
): Header | undefined {
  const track = tracks.find((candidate) => candidate.track.id === u32(tfhd, 4));
  if (track === undefined) return undefined;
  const flags = u32(tfhd, 0) & 0xff_ffff;
  let at = 8;
  const field = (mask: number, width: number, fallback: number) => {
    if ((flags & mask) === 0) return fallback;
    const value = width === 8 ? u64(tfhd, at) : u32(tfhd, at);
    at += width;
    return value;
  };
  const base = field(0x01, 8, moofAt);
  field(0x02, 4, 0);
  const duration = field(0x08, 4, track.sampleDuration);
  const size = field(0x10, 4, track.sampleSize);
  return { track, base, duration, size, flags: field(0x20, 4, track.sampleFlags) };
}

/** trun (8.8.8). */
function readTrun(
  bytes: Uint8Array,
  header: Header,
  trun: Uint8Array,
  state: { time: number; at: number },
  samples: Mp4Sample[],
): void {
  const version = trun[0] ?? 0;
  const flags = u32(trun, 0) & 0xff_ffff;
  const count = u32(trun, 4);
  let at = 8;
  const field = (mask: number, fallback: number) => {
    if ((flags & mask) === 0) return fallback;
    const value = u32(trun, at);
    at += 4;
    return value;
  };
  const dataOffset = field(0x01, -1);
  if (dataOffset >= 0) state.at = header.base + (dataOffset | 0);
  const firstFlags = field(0x04, header.flags);
  for (let i = 0; i < count && samples.length < samplesMax && at <= trun.length; i += 1) {
    const duration = field(0x100, header.duration);
    const size = field(0x200, header.size);
    const sampleFlags = field(0x400, i === 0 ? firstFlags : header.flags);
    const offset = field(0x800, 0);
    const from = Math.max(state.at, 0);
    const end = from + size;
    samples.push({
      track: header.track,
      decodeTime: state.time,
      compositionOffset: version === 0 ? offset : offset | 0,
      duration,
      isSync: (sampleFlags & 0x1_0000) === 0,
      bytes: bytes.subarray(from, end),
      at: from,
      damaged: end > bytes.length,
    });
    state.time += duration;
    state.at = end;
  }
}
