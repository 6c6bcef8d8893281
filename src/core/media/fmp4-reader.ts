import { withAdtsHeader } from './adts.ts';
import { readAudioHeader } from './audio-headers.ts';
import { concatBytes } from './bytes.ts';
import { readBoxes } from './mp4-boxes.ts';
import type { Mp4Sample } from './mp4-fragments.ts';
import { readMp4Samples } from './mp4-fragments.ts';
import type { Mp4Track } from './mp4-init.ts';
import { readMp4Tracks } from './mp4-init.ts';
import { splitByLengths } from './nal-units.ts';
import type { Reading, SegmentReader, Unit } from './units.ts';
import { ticksPerSecond, wrapTicks } from './units.ts';
import { isKeyPicture } from './video-units.ts';

/** A feed without a segment end is given up beyond this. */
const heldBytesMax = 64 * 1_024 * 1_024;

/**
 * Reads fragmented MP4 whose initialization section is `init`, or comes at the head of a segment. An open
 * feed is read when its segment ends.
 */
export function createFmp4Reader(init?: Uint8Array): SegmentReader {
  let tracks = init === undefined ? [] : readMp4Tracks(init);
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  let base = 0;
  const listed = () => tracks.map((entry) => entry.track);
  return {
    read(bytes, end) {
      held.push(bytes);
      heldBytes += bytes.length;
      if (end === 'open' && heldBytes <= heldBytesMax) {
        return { tracks: listed(), units: [], faults: 0 };
      }
      const whole = held.length === 1 ? bytes : concatBytes(held);
      held = [];
      heldBytes = 0;
      const own = readMp4Tracks(whole);
      if (own.length > 0) tracks = own;
      const reading = readFragments(whole, tracks, base);
      base += whole.length;
      return { tracks: listed(), ...reading };
    },
  };
}

/** Whether the bytes begin like ISO base media: with a box of a known type. */
export function isFmp4(bytes: Uint8Array): boolean {
  const types = new Set(['ftyp', 'styp', 'moof', 'moov', 'sidx', 'emsg', 'prft', 'free']);
  return types.has(readBoxes(bytes)[0]?.type ?? '');
}

function readFragments(
  bytes: Uint8Array,
  tracks: readonly Mp4Track[],
  base: number,
): Omit<Reading, 'tracks'> {
  const units: Unit[] = [];
  let faults = 0;
  for (const sample of readMp4Samples(bytes, tracks)) {
    const unit = unitOf(sample, base);
    if (unit === undefined || unit.damaged) faults += 1;
    if (unit !== undefined) units.push(unit);
  }
  return { units: units.sort((a, b) => a.at - b.at), faults };
}

function unitOf(sample: Mp4Sample, offset: number): Unit | undefined {
  const { track, aac, lengthBytes, timescale, editStart } = sample.track;
  const base = { track: track.id, at: offset + sample.at, damaged: sample.damaged };
  const decodeTime = sample.decodeTime - editStart;
  const dts = ticksOf(decodeTime, timescale);
  const pts = ticksOf(decodeTime + sample.compositionOffset, timescale);
  switch (track.kind) {
    case 'video': {
      const parts = splitByLengths(sample.bytes, lengthBytes);
      const isKey = isKeyPicture(track.format, parts, sample.isSync);
      const times = { pts: wrapTicks(Math.round(pts)), dts: wrapTicks(Math.round(dts)) };
      return { ...base, kind: 'video', ...times, isKey, parts };
    }
    case 'audio': {
      const bytes = aac === undefined ? sample.bytes : withAdtsHeader(aac, sample.bytes);
      const header = readAudioHeader(track.format, bytes, 0);
      if (header === undefined) return undefined;
      const { samples, sampleRate } = header;
      return { ...base, kind: 'audio', pts: wrapTicks(pts), samples, sampleRate, bytes };
    }
    case 'other':
      return {
        ...base,
        kind: 'other',
        form: 'sample',
        pts: wrapTicks(Math.round(pts)),
        bytes: sample.bytes,
      };
  }
}

/** Ticks of a time in a timescale, in steps that stay exact for times as large as Unix time. */
function ticksOf(time: number, timescale: number): number {
  const seconds = Math.floor(time / timescale);
  return seconds * ticksPerSecond + ((time - seconds * timescale) * ticksPerSecond) / timescale;
}
