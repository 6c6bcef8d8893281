import type { AudioFormat } from '../media/audio-headers.ts';
import { concatBytes } from '../media/bytes.ts';
import { packetBytes } from '../media/ts-reader.ts';
import {
  packetsOf,
  pesHeader,
  sectionItem,
  sparePackets,
  type TsItem,
  writeItem,
} from '../media/ts-writer.ts';
import type { VideoFormat } from '../media/units.ts';
import type { CarriedUnit } from './carried.ts';
import type { Layout } from './layout.ts';
import type { LanePicture } from './picture-lane.ts';
import type { TimelineRun } from './run.ts';
import type { TimedFrame } from './sound-lane.ts';

/** All that a segment is made of. */
export type SegmentParts = {
  readonly number: number;
  /** In decoding order. */
  readonly pictures: readonly LanePicture[];
  /** One list for each audio track of the layout. */
  readonly sound: readonly (readonly TimedFrame[])[];
  /** With a time, in its order. */
  readonly carried: readonly CarriedUnit[];
};

const pmtPid = 0x1000;
const videoPid = 0x100;
const firstAudioPid = 0x101;
const firstOtherPid = 0x120;
/** Frames of sound in one PES packet. */
const framesPerPacket = 8;
/** Clock reference ahead of decoding. */
const clockLeadTicks = 9_000;

/**
 * Bytes of a canonical segment (`docs/timeline.md`): they depend on the run, the number and the parts alone.
 * Continuity counters of pictures and sound begin and end at 0, so that segments of any node follow each other.
 */
export function writeSegment(run: TimelineRun, parts: SegmentParts): Uint8Array {
  const items = [...tables(run.layout), ...mediaItems(run, parts)];
  const packets = items.map(packetsOf);
  for (const pid of paddedPids(run.layout)) padTo16(items, packets, pid);
  const count = packets.reduce((sum, value) => sum + value, 0);
  const out = new Uint8Array(count * packetBytes);
  const counters = new Map([0, pmtPid].map((pid) => [pid, parts.number & 15] as const));
  let at = 0;
  for (const [index, item] of items.entries()) {
    const size = packets[index] ?? 0;
    const counter = counters.get(item.pid) ?? 0;
    counters.set(item.pid, writeItem(out, at, item, { packets: size, counter }));
    at += size * packetBytes;
  }
  return out;
}

const videoTypes: Readonly<Record<VideoFormat, number>> = { mpeg2: 0x02, h264: 0x1b, hevc: 0x24 };
const audioTypes: Readonly<Record<AudioFormat, number>> = {
  aac: 0x0f,
  mpeg: 0x03,
  ac3: 0x81,
  eac3: 0x87,
};

/** Registrations that stream types 0x81 and 0x87 need (ATSC A/52 annex A; Apple's HLS authoring rules). */
const audioNames: Readonly<Partial<Record<AudioFormat, string>>> = { ac3: 'AC-3', eac3: 'EAC3' };

/** PAT and PMT, one packet each; other tracks whose descriptors do not fit any more are left out of it. */
function tables(layout: Layout): readonly [TsItem, TsItem] {
  const pat = [0x00, 0xb0, 0, 0, 1, 0xc1, 0, 0, 0, 1, 0xe0 | (pmtPid >> 8), pmtPid & 255];
  const clockPid = layout.video === undefined ? firstAudioPid : videoPid;
  const program = programDescriptors(layout);
  const pmt = [
    ...[0x02, 0xb0, 0, 0, 1, 0xc1, 0, 0, 0xe0 | (clockPid >> 8), clockPid & 255],
    ...[0xf0, program.length, ...program],
  ];
  const add = (type: number, pid: number, descriptors: readonly number[]) => {
    if (pmt.length + 5 + descriptors.length + 4 > packetBytes - 5) return;
    pmt.push(type, 0xe0 | (pid >> 8), pid & 255, 0xf0, descriptors.length, ...descriptors);
  };
  if (layout.video !== undefined) add(videoTypes[layout.video], videoPid, []);
  for (const [index, { format, language }] of layout.audio.entries()) {
    const name = audioNames[format];
    const registration = name === undefined ? [] : [0x05, 4, ...letters(name)];
    const spoken = language === undefined ? [] : [0x0a, 4, ...letters(language), 0];
    add(audioTypes[format], firstAudioPid + index, [...registration, ...spoken]);
  }
  for (const [index, { streamType, descriptors }] of layout.others.entries()) {
    add(streamType, firstOtherPid + index, bytesOfHex(descriptors));
  }
  return [sectionItem(0, pat), sectionItem(pmtPid, pmt)];
}

/** SCTE-35 and timed ID3 are announced for the program too (SCTE 35 8.1; Apple, "Timed Metadata for HLS"). */
function programDescriptors(layout: Layout): number[] {
  const has = (type: number) => layout.others.some((other) => other.streamType === type);
  const cues = has(0x86) ? [0x05, 4, ...letters('CUEI')] : [];
  const id3 = letters('ID3 ');
  const metadata = [0x25, 15, 0xff, 0xff, ...id3, 0xff, ...id3, 0, 0x1f, 0, 1];
  return [...cues, ...(has(0x15) ? metadata : [])];
}

/** Each picture, behind it the sound that is due before the next one, and what is carried beside them. */
function mediaItems(run: TimelineRun, parts: SegmentParts): TsItem[] {
  const { pictures } = parts;
  const first = pictures[0];
  const queues = parts.sound.map((frames) => [...frames]);
  const carried = [...parts.carried];
  const known = new Set<number>();
  const items: TsItem[] = [];
  const addSound = (limit: number) => {
    for (const [index, queue] of queues.entries()) {
      const due = queue.splice(0, countBefore(queue, limit));
      while (due.length > 0) items.push(soundItem(run, index, due.splice(0, framesPerPacket)));
    }
  };
  const addCarried = (units: readonly CarriedUnit[]) => {
    for (const unit of units) {
      items.push(carriedItem(unit, !known.has(unit.lane)));
      known.add(unit.lane);
    }
  };
  for (const [index, picture] of pictures.entries()) {
    items.push(pictureItem(picture));
    addCarried(picture.behind);
    const next = pictures[index + 1]?.dts ?? Number.POSITIVE_INFINITY;
    const shown = next + (first?.pts ?? 0) - (first?.dts ?? 0);
    addSound(shown);
    addCarried(carried.splice(0, countBefore(carried, shown)));
  }
  addSound(Number.POSITIVE_INFINITY);
  addCarried(carried);
  return items;
}

function pictureItem(picture: LanePicture): TsItem {
  const { pts, dts, isKey, bytes } = picture;
  return {
    pid: videoPid,
    header: pesHeader(0xe0, { pts, dts }, bytes.length),
    payload: bytes,
    pcr: dts - clockLeadTicks,
    isRandomAccess: isKey,
  };
}

function soundItem(run: TimelineRun, index: number, frames: readonly TimedFrame[]): TsItem {
  const payload = concatBytes(frames.map((frame) => frame.bytes));
  const pts = frames[0]?.pts ?? 0;
  const format = run.layout.audio[index]?.format;
  const streamId = format === 'ac3' || format === 'eac3' ? 0xbd : 0xc0 + index;
  const isClock = run.layout.video === undefined && index === 0;
  const pcr = isClock ? pts - clockLeadTicks : undefined;
  const header = pesHeader(streamId, { pts }, payload.length);
  return { pid: firstAudioPid + index, header, payload, pcr, isRandomAccess: isClock };
}

/** The counter of a carried PID begins anew in each segment: the first packet says so. */
function carriedItem(unit: CarriedUnit, isFirst: boolean): TsItem {
  const header =
    unit.form === 'section'
      ? new Uint8Array(1)
      : pesHeader(unit.streamId, { pts: unit.pts }, unit.bytes.length);
  const pid = firstOtherPid + unit.lane;
  return { pid, header, payload: unit.bytes, isDiscontinuity: isFirst };
}

function paddedPids(layout: Layout): number[] {
  const audio = layout.audio.map((_, index) => firstAudioPid + index);
  return layout.video === undefined ? audio : [videoPid, ...audio];
}

/** Spreads the largest items of a PID over more packets until their sum is a multiple of 16. */
function padTo16(items: readonly TsItem[], packets: number[], pid: number): void {
  const own = [...items.keys()].filter((index) => items[index]?.pid === pid);
  const sum = own.reduce((total, index) => total + (packets[index] ?? 0), 0);
  let missing = (16 - (sum % 16)) % 16;
  const size = (index: number) => items[index]?.payload.length ?? 0;
  for (const index of own.sort((a, b) => size(b) - size(a) || a - b)) {
    const item = items[index];
    const more = item === undefined ? 0 : Math.min(missing, sparePackets(item));
    packets[index] = (packets[index] ?? 0) + more;
    missing -= more;
  }
}

function countBefore(units: readonly { readonly pts?: number | undefined }[], limit: number) {
  const index = units.findIndex((unit) => (unit.pts ?? 0) > limit);
  return index < 0 ? units.length : index;
}

function letters(text: string): number[] {
  return [...text].map((letter) => letter.charCodeAt(0));
}

function bytesOfHex(hex: string): number[] {
  return (hex.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16));
}
