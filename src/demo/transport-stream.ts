/** MPEG-TS clock, ticks per second. */
export const ticksPerSecond = 90_000;

/** Timestamps are 33 bits: they start over after 26.5 hours. */
const ticksWrap = 2 ** 33;
const packetBytes = 188;

/** What must be known of a segment to move it to another place in a continuous stream. */
export type SegmentShape = {
  /** First presentation timestamp of the video, ticks. */
  readonly firstVideoTicks: number;
  /** Continuity counter of the first packet with a payload, by PID. */
  readonly firstCounter: ReadonlyMap<number, number>;
  /** Packets with a payload, by PID: what the continuity counters advance by. */
  readonly packets: ReadonlyMap<number, number>;
};

/** How far a segment is moved. */
export type Shift = {
  /** Added to every PTS, DTS and PCR, modulo 2^33. May be negative. */
  readonly ticks: number;
  /** Continuity counter that the first packet with a payload gets, by PID; a PID not named keeps its own. */
  readonly firstCounter: ReadonlyMap<number, number>;
};

/**
 * Reads the shape of a whole number of MPEG-TS packets (ISO/IEC 13818-1, 2.4.3).
 * @throws if a sync byte is missing or there is no video timestamp: the clip is damaged.
 */
export function readShape(segment: Uint8Array): SegmentShape {
  let firstVideoTicks: number | undefined;
  const firstCounter = new Map<number, number>();
  const packets = new Map<number, number>();
  for (const packet of packetsOf(segment)) {
    const { pid, payloadAt, counter } = readHeader(packet);
    if (payloadAt === undefined) continue;
    if (!firstCounter.has(pid)) firstCounter.set(pid, counter);
    packets.set(pid, (packets.get(pid) ?? 0) + 1);
    const stamps = findTimestamps(packet, payloadAt);
    if (firstVideoTicks === undefined && stamps?.isVideo && stamps.ptsAt !== undefined) {
      firstVideoTicks = readTicks(packet, stamps.ptsAt);
    }
  }
  if (firstVideoTicks === undefined) throw new Error('segment has no video timestamp');
  return { firstVideoTicks, firstCounter, packets };
}

/** A copy of `segment`, moved: same packets, same payload, other clocks and continuity counters. */
export function shiftSegment(segment: Uint8Array, shape: SegmentShape, shift: Shift): Uint8Array {
  // Not `slice`: on a Buffer that is a view, and the clip itself would be moved.
  const moved = new Uint8Array(segment);
  for (const packet of packetsOf(moved)) {
    const { pid, payloadAt, counter, pcrAt } = readHeader(packet);
    if (pcrAt !== undefined) writePcr(packet, pcrAt, wrap(readPcr(packet, pcrAt) + shift.ticks));
    const first = shift.firstCounter.get(pid);
    if (first !== undefined) {
      const advance = first - (shape.firstCounter.get(pid) ?? first);
      packet[3] = (byteAt(packet, 3) & 0xf0) | ((counter + advance) & 0x0f);
    }
    if (payloadAt === undefined) continue;
    const stamps = findTimestamps(packet, payloadAt);
    for (const at of [stamps?.ptsAt, stamps?.dtsAt]) {
      if (at !== undefined) writeTicks(packet, at, wrap(readTicks(packet, at) + shift.ticks));
    }
  }
  return moved;
}

function wrap(ticks: number): number {
  return ((ticks % ticksWrap) + ticksWrap) % ticksWrap;
}

function* packetsOf(segment: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < segment.length; at += packetBytes) {
    if (segment[at] !== 0x47) throw new Error(`no MPEG-TS sync byte at ${at}`);
    if (at + packetBytes > segment.length) throw new Error('MPEG-TS packet is cut short');
    yield segment.subarray(at, at + packetBytes);
  }
}

type Header = {
  readonly pid: number;
  readonly counter: number;
  /** Absent when the packet carries an adaptation field only. */
  readonly payloadAt: number | undefined;
  readonly pcrAt: number | undefined;
};

function readHeader(packet: Uint8Array): Header {
  const flags = byteAt(packet, 3);
  const hasAdaptation = (flags & 0x20) !== 0;
  const adaptationBytes = hasAdaptation ? byteAt(packet, 4) : 0;
  const hasPcr = adaptationBytes > 0 && (byteAt(packet, 5) & 0x10) !== 0;
  return {
    pid: ((byteAt(packet, 1) & 0x1f) << 8) | byteAt(packet, 2),
    counter: flags & 0x0f,
    payloadAt: (flags & 0x10) === 0 ? undefined : hasAdaptation ? 5 + adaptationBytes : 4,
    pcrAt: hasPcr ? 6 : undefined,
  };
}

type Timestamps = {
  readonly isVideo: boolean;
  readonly ptsAt: number | undefined;
  readonly dtsAt: number | undefined;
};

/** Where the timestamps of the PES header are that begins in this packet; undefined if none begins. */
function findTimestamps(packet: Uint8Array, payloadAt: number): Timestamps | undefined {
  const startsUnit = (byteAt(packet, 1) & 0x40) !== 0;
  const startCode = packet.subarray(payloadAt, payloadAt + 3);
  if (!startsUnit || startCode[0] !== 0 || startCode[1] !== 0 || startCode[2] !== 1)
    return undefined;
  const streamId = byteAt(packet, payloadAt + 3);
  const isVideo = streamId >= 0xe0 && streamId <= 0xef;
  const isAudio = streamId >= 0xc0 && streamId <= 0xdf;
  if (!isVideo && !isAudio) return undefined;
  const flags = byteAt(packet, payloadAt + 7);
  return {
    isVideo,
    ptsAt: (flags & 0x80) === 0 ? undefined : payloadAt + 9,
    dtsAt: (flags & 0xc0) === 0xc0 ? payloadAt + 14 : undefined,
  };
}

/** 33 bits in five bytes, with marker bits between (2.4.3.7). Too wide for bit operators. */
function readTicks(packet: Uint8Array, at: number): number {
  const high = (byteAt(packet, at) >> 1) & 0x07;
  const middle = (byteAt(packet, at + 1) << 7) | (byteAt(packet, at + 2) >> 1);
  const low = (byteAt(packet, at + 3) << 7) | (byteAt(packet, at + 4) >> 1);
  return high * 2 ** 30 + middle * 2 ** 15 + low;
}

function writeTicks(packet: Uint8Array, at: number, ticks: number): void {
  const high = Math.floor(ticks / 2 ** 30);
  const middle = Math.floor(ticks / 2 ** 15) % 2 ** 15;
  const low = ticks % 2 ** 15;
  packet[at] = (byteAt(packet, at) & 0xf1) | (high << 1);
  packet[at + 1] = middle >> 7;
  packet[at + 2] = ((middle << 1) & 0xfe) | 1;
  packet[at + 3] = low >> 7;
  packet[at + 4] = ((low << 1) & 0xfe) | 1;
}

/** The base of the clock reference, 33 bits; its extension (27 MHz) is left alone. */
function readPcr(packet: Uint8Array, at: number): number {
  const high =
    byteAt(packet, at) * 2 ** 24 +
    ((byteAt(packet, at + 1) << 16) | (byteAt(packet, at + 2) << 8) | byteAt(packet, at + 3));
  return high * 2 + (byteAt(packet, at + 4) >> 7);
}

function writePcr(packet: Uint8Array, at: number, ticks: number): void {
  const high = Math.floor(ticks / 2);
  packet[at] = Math.floor(high / 2 ** 24);
  packet[at + 1] = (high >> 16) & 0xff;
  packet[at + 2] = (high >> 8) & 0xff;
  packet[at + 3] = high & 0xff;
  packet[at + 4] = (byteAt(packet, at + 4) & 0x7f) | ((ticks % 2) << 7);
}

/** A header that reaches past the end of its packet is a damaged clip, not zeros. */
function byteAt(packet: Uint8Array, at: number): number {
  const byte = packet[at];
  if (byte === undefined) throw new Error('MPEG-TS header is longer than its packet');
  return byte;
}
