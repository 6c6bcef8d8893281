import type { UnixMs } from '../time.ts';

/** What a segment's file ends in; the place in the list is what the index holds, so new ones come last. */
export const segmentEndings = ['ts', 'm4s', 'aac', 'vtt', 'mp3', 'ac3', 'ec3'] as const;

export type SegmentEnding = (typeof segmentEndings)[number];

/** A recorded segment as the index knows it; its file's name follows from it. */
export type IndexedSegment = {
  readonly ending: SegmentEnding;
  readonly startMs: UnixMs;
  readonly durationMs: number;
  readonly number: number;
  readonly bytes: number;
  /** See `ArchivedSegment`: at most {@link runLengthMax} ASCII characters. */
  readonly run: string;
  /** First 48 bits of the SHA-256 of its initialisation segment; 0 without one. */
  readonly map: number;
};

/** What an index says. */
export type IndexReading = {
  /** In the order in which they were recorded, without those that were trimmed. */
  readonly segments: readonly IndexedSegment[];
  /** Up to here the index is whole; what follows is the tail of a write that was cut off. */
  readonly wholeBytes: number;
};

/** Length of every record, bytes. */
export const recordBytes = 40;
/** Longest text of a run, characters. */
export const runLengthMax = 28;

const segmentKind = 1;
const trimKind = 2;
const runKind = 3;
const lostKind = 4;
const checkedBytes = recordBytes - 4;

/**
 * The record of a segment of the run that {@link encodeRun} gave the number `runNumber` in the same index. Little endian:
 * kind (1 byte), ending (1), high bits of the map (2), duration, start (double), number (double), size, run number, low
 * bits of the map, CRC-32 of the bytes before it.
 */
export function encodeSegment(segment: IndexedSegment, runNumber: number): Uint8Array {
  const { bytes, view } = newRecord(segmentKind);
  view.setUint8(1, segmentEndings.indexOf(segment.ending));
  view.setUint16(2, Math.floor(segment.map / 2 ** 32), true);
  view.setUint32(4, segment.durationMs, true);
  view.setFloat64(8, segment.startMs, true);
  view.setFloat64(16, segment.number, true);
  view.setUint32(24, segment.bytes, true);
  view.setUint32(28, runNumber, true);
  view.setUint32(32, segment.map % 2 ** 32, true);
  return sealed(bytes, view);
}

/** The record that makes `run` known by a number to the segments that follow. */
export function encodeRun(run: string, runNumber: number): Uint8Array {
  const { bytes, view } = newRecord(runKind);
  view.setUint8(2, run.length);
  view.setUint32(4, runNumber, true);
  for (let i = 0; i < Math.min(run.length, runLengthMax); i += 1)
    bytes[8 + i] = run.charCodeAt(i) & 0x7f;
  return sealed(bytes, view);
}

/** The record that takes back all segments which end at or before `beforeMs`. */
export function encodeTrim(beforeMs: UnixMs): Uint8Array {
  const { bytes, view } = newRecord(trimKind);
  view.setFloat64(8, beforeMs, true);
  return sealed(bytes, view);
}

/** The record that takes back one segment, whose file is not there any more. */
export function encodeLost(segment: Pick<IndexedSegment, 'startMs' | 'number'>): Uint8Array {
  const { bytes, view } = newRecord(lostKind);
  view.setFloat64(8, segment.startMs, true);
  view.setFloat64(16, segment.number, true);
  return sealed(bytes, view);
}

/** Reads an index, whatever a crash left of it; damaged records are left out. Never throws. */
export function readIndex(index: Uint8Array): IndexReading {
  const view = new DataView(index.buffer, index.byteOffset, index.byteLength);
  const state: State = { runs: new Map(), segments: [] };
  let wholeBytes = 0;
  for (let at = 0; at + recordBytes <= index.length; at += recordBytes) {
    if (!isSealed(index, view, at)) continue;
    wholeBytes = at + recordBytes;
    take(state, index, view, at);
  }
  return { segments: state.segments, wholeBytes };
}

type State = {
  readonly runs: Map<number, string>;
  segments: IndexedSegment[];
};

/** Records of a kind that is not known come from a later version, and are left alone. */
function take(state: State, index: Uint8Array, view: DataView, at: number): void {
  switch (view.getUint8(at)) {
    case segmentKind:
      state.segments.push(decodeSegment(view, at, state.runs));
      return;
    case runKind:
      state.runs.set(view.getUint32(at + 4, true), decodeRun(index, view, at));
      return;
    case trimKind: {
      const beforeMs = view.getFloat64(at + 8, true);
      takeBack(state, ({ startMs, durationMs }) => startMs + durationMs <= beforeMs);
      return;
    }
    case lostKind: {
      const lostMs = view.getFloat64(at + 8, true);
      const lost = view.getFloat64(at + 16, true);
      takeBack(state, ({ startMs, number }) => startMs === lostMs && number === lost);
    }
  }
}

function takeBack(state: State, isGone: (segment: IndexedSegment) => boolean): void {
  state.segments = state.segments.filter((segment) => !isGone(segment));
}

function newRecord(kind: number): { bytes: Uint8Array; view: DataView } {
  const bytes = new Uint8Array(recordBytes);
  const view = new DataView(bytes.buffer);
  view.setUint8(0, kind);
  return { bytes, view };
}

function sealed(bytes: Uint8Array, view: DataView): Uint8Array {
  view.setUint32(checkedBytes, crc32(view, 0, checkedBytes), true);
  return bytes;
}

function isSealed(index: Uint8Array, view: DataView, at: number): boolean {
  const kept = view.getUint32(at + checkedBytes, true);
  return index[at] !== 0 && kept === crc32(view, at, checkedBytes);
}

/** A segment whose run was lost with a damaged record is a run of its own: nothing is claimed to go on. */
function decodeSegment(
  view: DataView,
  at: number,
  runs: ReadonlyMap<number, string>,
): IndexedSegment {
  const startMs = view.getFloat64(at + 8, true);
  return {
    ending: segmentEndings[view.getUint8(at + 1)] ?? 'ts',
    startMs,
    durationMs: view.getUint32(at + 4, true),
    number: view.getFloat64(at + 16, true),
    bytes: view.getUint32(at + 24, true),
    run: runs.get(view.getUint32(at + 28, true)) ?? `?${startMs}`,
    map: view.getUint16(at + 2, true) * 2 ** 32 + view.getUint32(at + 32, true),
  };
}

function decodeRun(index: Uint8Array, view: DataView, at: number): string {
  const length = Math.min(view.getUint8(at + 2), runLengthMax);
  return String.fromCharCode(...index.subarray(at + 8, at + 8 + length));
}

/** CRC-32 of a byte, and of a byte that is followed by one to three zero bytes: four bytes at a step. */
const crcTables = makeCrcTables();

function makeCrcTables(): readonly [Uint32Array, Uint32Array, Uint32Array, Uint32Array] {
  const first = Uint32Array.from({ length: 256 }, (_, byte) => {
    let crc = byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? 0xedb88320 ^ (crc >>> 1) : crc >>> 1;
    return crc;
  });
  const followed = (table: Uint32Array) =>
    table.map((crc) => (first[crc & 0xff] ?? 0) ^ (crc >>> 8));
  const second = followed(first);
  const third = followed(second);
  return [first, second, third, followed(third)];
}

/** Of `length` bytes, a multiple of four. */
function crc32(view: DataView, from: number, length: number): number {
  const [first, second, third, fourth] = crcTables;
  let crc = 0xffffffff;
  for (let at = from; at < from + length; at += 4) {
    const word = crc ^ view.getUint32(at, true);
    crc =
      (fourth[word & 0xff] ?? 0) ^
      (third[(word >>> 8) & 0xff] ?? 0) ^
      (second[(word >>> 16) & 0xff] ?? 0) ^
      (first[word >>> 24] ?? 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}
