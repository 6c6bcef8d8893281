import { concatBytes } from '../../src/core/media/bytes.ts';
import { pesHeader, withCrc } from '../../src/core/media/ts-writer.ts';

/** Transport packets by hand, also such as no packager would write. */
export type PacketOptions = {
  readonly pid: number;
  readonly payload: Uint8Array;
  readonly starts?: boolean;
  readonly counter?: number;
  /** Whole adaptation field without its length, stuffed by what is missing. */
  readonly field?: readonly number[];
  readonly flags?: { readonly error?: boolean; readonly scrambled?: boolean };
};

export function packet(options: PacketOptions): Uint8Array {
  const { pid, payload, starts = false, counter = 0, flags = {} } = options;
  const stuffing = 184 - payload.length;
  const field = options.field ?? [0];
  const bytes = new Uint8Array(188).fill(0xff);
  bytes[0] = 0x47;
  bytes[1] = (flags.error ? 0x80 : 0) | (starts ? 0x40 : 0) | (pid >> 8);
  bytes[2] = pid & 255;
  const control = (stuffing > 0 ? 0x20 : 0) | (payload.length > 0 ? 0x10 : 0);
  bytes[3] = (flags.scrambled ? 0x80 : 0) | control | (counter & 15);
  if (stuffing > 0) bytes[4] = stuffing - 1;
  if (stuffing > 1) bytes.set(field.slice(0, stuffing - 1), 5);
  bytes.set(payload, 188 - payload.length);
  return bytes;
}

export const nullPacket = packet({ pid: 0x1fff, payload: new Uint8Array(184) });

/** One PES packet spread over packets with at most `size` bytes of it each; the counters begin at `counter`. */
export function pesPackets(
  pid: number,
  pes: Uint8Array,
  {
    size = 184,
    counter = 0,
    field = [0],
  }: { size?: number; counter?: number; field?: number[] } = {},
): Uint8Array[] {
  const packets: Uint8Array[] = [];
  for (let at = 0; at < pes.length; at += size) {
    const index = at / size;
    packets.push(
      packet({
        pid,
        payload: pes.subarray(at, at + size),
        starts: index === 0,
        counter: counter + index,
        field: index === 0 ? field : [0],
      }),
    );
  }
  return packets;
}

/** A PES packet; `bounded` writes its length. */
export function pes(
  streamId: number,
  payload: Uint8Array,
  times: { pts?: number; dts?: number; bounded?: boolean } = {},
): Uint8Array {
  const header = pesHeader(streamId, times, times.bounded === false ? 1e6 : payload.length);
  return concatBytes([header, payload]);
}

export type BuiltStream = {
  readonly type: number;
  readonly pid: number;
  readonly descriptors?: readonly number[];
};

/** PAT and PMT (PID 0x1000) of one program, over as many packets as they need. */
export function tables(streams: readonly BuiltStream[], pcrPid = 0x100): Uint8Array[] {
  const pat = section([0x00, 0xb0, 0, 0, 1, 0xc1, 0, 0, 0, 1, 0xf0, 0x00]);
  const pmt = [0x02, 0xb0, 0, 0, 1, 0xc1, 0, 0, 0xe0 | (pcrPid >> 8), pcrPid & 255, 0xf0, 0];
  for (const { type, pid, descriptors = [] } of streams) {
    pmt.push(type, 0xe0 | (pid >> 8), pid & 255, 0xf0 | (descriptors.length >> 8));
    pmt.push(descriptors.length & 255, ...descriptors);
  }
  return [...sectionPackets(0, pat), ...sectionPackets(0x1000, section(pmt))];
}

export function section(bytes: readonly number[]): Uint8Array {
  const body = Uint8Array.from(bytes);
  const length = body.length + 1;
  body[1] = ((body[1] ?? 0) & 0xf0) | (length >> 8);
  body[2] = length & 255;
  return withCrc(body);
}

export function sectionPackets(pid: number, bytes: Uint8Array, counter = 0): Uint8Array[] {
  return pesPackets(pid, concatBytes([Uint8Array.of(0), bytes]), { counter });
}

/** A picture with start codes: a delimiter and one slice of `size` bytes. */
export function picture(isKey: boolean, size: number, fill = 7): Uint8Array {
  const slice = new Uint8Array(size).fill(fill);
  return concatBytes([
    Uint8Array.of(0, 0, 0, 1, 0x09, 0xf0, 0, 0, 0, 1, isKey ? 0x65 : 0x41),
    slice,
  ]);
}
