import { concatBytes } from './bytes.ts';
import { packetBytes } from './ts-reader.ts';
import { sectionCrc } from './ts-tables.ts';
import { wrapTicks } from './units.ts';

/** One PES packet or section on its way into transport packets. */
export type TsItem = {
  readonly pid: number;
  /** PES header, or the pointer field of a section; goes whole into the first packet. */
  readonly header: Uint8Array;
  readonly payload: Uint8Array;
  /** Program clock reference of its first packet, ticks. */
  readonly pcr?: number | undefined;
  readonly isRandomAccess?: boolean | undefined;
  /** Its PID's continuity counter does not go on from the packet before. */
  readonly isDiscontinuity?: boolean | undefined;
};

const payloadBytes = packetBytes - 4;

/** Transport packets that an item needs at least. */
export function packetsOf(item: TsItem): number {
  const rest = item.header.length + item.payload.length - (payloadBytes - fieldBytes(item));
  return rest <= 0 ? 1 : 1 + Math.ceil(rest / payloadBytes);
}

/** Further packets that an item can be spread over: each has a byte of payload, the first the whole header. */
export function sparePackets(item: TsItem): number {
  return Math.max(0, item.payload.length - packetsOf(item));
}

/**
 * Writes an item as `packets` transport packets at `at`; what is missing to a full packet is stuffed in adaptation
 * fields (ISO 13818-1 2.4.3.4), in the last packets. Returns the continuity counter of the next packet.
 */
export function writeItem(
  out: Uint8Array,
  at: number,
  item: TsItem,
  { packets, counter }: { packets: number; counter: number },
): number {
  const { pid, header, payload } = item;
  // The payload is laid at the end of the item's room and moved from there: a view for each packet would cost three times as much.
  const end = at + packets * packetBytes;
  out.set(payload, end - payload.length);
  let taken = 0;
  for (let i = 0; i < packets; i += 1) {
    const isFirst = i === 0;
    const start = at + i * packetBytes;
    // A byte is kept for each packet to come.
    const kept = packets - 1 - i;
    const room = payloadBytes - (isFirst ? fieldBytes(item) + header.length : 0);
    const left = payload.length - taken;
    const size = Math.min(room, left - kept);
    const body = start + packetBytes - size - (isFirst ? header.length : 0);
    out.copyWithin(start + packetBytes - size, end - left, end - left + size);
    out[start] = 0x47;
    out[start + 1] = pid >> 8;
    out[start + 2] = pid & 255;
    out[start + 3] = 0x10 | ((counter + i) & 15);
    if (body > start + 4) writeField(out, start, body, isFirst ? item : undefined);
    if (isFirst) writeStart(out, start, header, body);
    taken += size;
  }
  return (counter + packets) & 15;
}

/** PES header (ISO 13818-1 2.4.3.6); DTS only where it differs, no length beyond 65535 bytes. */
export function pesHeader(
  streamId: number,
  times: { readonly pts?: number | undefined; readonly dts?: number | undefined },
  payloadLength: number,
): Uint8Array {
  if (plainStreamIds.has(streamId)) return withLength([0, 0, 1, streamId, 0, 0], payloadLength);
  const { pts, dts } = times;
  const hasDts = pts !== undefined && dts !== undefined && dts !== pts;
  const aligned = streamId === 0xbd || streamId >= 0xfc ? 0x84 : 0x80;
  const stamps =
    pts === undefined
      ? []
      : hasDts
        ? [...stampBytes(3, pts), ...stampBytes(1, dts)]
        : stampBytes(2, pts);
  const flags = pts === undefined ? 0 : hasDts ? 0xc0 : 0x80;
  const head = [0, 0, 1, streamId, 0, 0, aligned, flags, stamps.length, ...stamps];
  return withLength(head, payloadLength);
}

/** Pointer field and section with its CRC; `section` comes without it. */
export function sectionItem(pid: number, section: readonly number[]): TsItem {
  const bytes = Uint8Array.from(section);
  bytes[1] = ((bytes[1] ?? 0) & 0xf0) | ((bytes.length + 1) >> 8);
  bytes[2] = (bytes.length + 1) & 255;
  return { pid, header: new Uint8Array(1), payload: withCrc(bytes) };
}

/** The bytes with their CRC-32 behind them. */
export function withCrc(bytes: Uint8Array): Uint8Array {
  const crc = sectionCrc(bytes);
  const tail = Uint8Array.of(crc >>> 24, (crc >>> 16) & 255, (crc >>> 8) & 255, crc & 255);
  return concatBytes([bytes, tail]);
}

/** Stream ids whose PES packets have no optional header (ISO 13818-1 2.4.3.7). */
const plainStreamIds = new Set([0xbc, 0xbe, 0xbf, 0xf0, 0xf1, 0xf2, 0xf8, 0xff]);

function withLength(head: readonly number[], payloadLength: number): Uint8Array {
  const header = Uint8Array.from(head);
  const length = header.length - 6 + payloadLength;
  if (length <= 0xffff) {
    header[4] = length >> 8;
    header[5] = length & 255;
  }
  return header;
}

/** Five bytes of a 33-bit time stamp behind a four-bit prefix. */
function stampBytes(prefix: number, time: number): number[] {
  const wrapped = wrapTicks(time);
  const low = wrapped % 2 ** 30;
  return [
    (prefix << 4) | (Math.floor(wrapped / 2 ** 30) << 1) | 1,
    (low >>> 22) & 255,
    ((low >>> 14) & 0xfe) | 1,
    (low >>> 7) & 255,
    ((low << 1) & 0xfe) | 1,
  ];
}

/** Adaptation field that an item's first packet cannot do without. */
function fieldBytes(item: TsItem): number {
  if (item.pcr !== undefined) return 8;
  return item.isRandomAccess || item.isDiscontinuity ? 2 : 0;
}

function writeStart(out: Uint8Array, start: number, header: Uint8Array, body: number): void {
  out[start + 1] = 0x40 | (out[start + 1] ?? 0);
  out.set(header, body);
}

/** Adaptation field of the packet at `start`, up to `end`; without an item it is stuffing alone. */
function writeField(out: Uint8Array, start: number, end: number, item: TsItem | undefined): void {
  const at = start + 4;
  out[start + 3] = 0x20 | (out[start + 3] ?? 0);
  out.fill(0xff, at, end);
  out[at] = end - at - 1;
  if (end - at === 1) return;
  const pcr = item?.pcr;
  const flags = (item?.isDiscontinuity ? 0x80 : 0) | (item?.isRandomAccess ? 0x40 : 0);
  out[at + 1] = flags | (pcr === undefined ? 0 : 0x10);
  if (pcr === undefined) return;
  const base = wrapTicks(pcr);
  const low = base % 2 ** 25;
  out[at + 2] = Math.floor(base / 2 ** 25);
  out[at + 3] = low >>> 17;
  out[at + 4] = (low >>> 9) & 255;
  out[at + 5] = (low >>> 1) & 255;
  out[at + 6] = ((low & 1) << 7) | 0x7e;
  out[at + 7] = 0;
}
