import { u16 } from './bits.ts';
import { copyBytes } from './bytes.ts';

/** A PES packet taken apart (ISO 13818-1 2.4.3.6). */
export type Pes = {
  readonly streamId: number;
  readonly pts?: number | undefined;
  readonly dts?: number | undefined;
  /** A copy: the buffer it came from is used again. */
  readonly payload: Uint8Array;
};

/** A PES packet as gathered from transport packets. */
export type GatheredPes = {
  /** Valid until the next call. */
  readonly bytes: Uint8Array;
  /** Where its first packet begins. */
  readonly at: number;
  /** `random_access_indicator` of its first packet. */
  readonly marked: boolean;
  /** Packets of it are missing. */
  readonly damaged: boolean;
};

/** Gathers the PES packets of one PID. `take` gets each as it is complete. */
export type PesGatherer = {
  push(payload: Uint8Array, start?: { at: number; marked: boolean } | undefined): void;
  /** Packets were lost here. */
  lose(): void;
  /** No more bytes of an open PES without a length will come; one with a length waits on. */
  endSegment(): void;
  /** Where the open PES begins. */
  openAt(): number | undefined;
};

/** A PES packet is given up beyond this: far above any picture. */
const pesBytesMax = 16 * 1_024 * 1_024;

export function createPesGatherer(take: (pes: GatheredPes) => void): PesGatherer {
  let buffer = new Uint8Array(4_096);
  let length = 0;
  let open: { at: number; marked: boolean } | undefined;
  let damaged = false;

  const wanted = () => {
    const declared = length >= 6 ? u16(buffer, 4) : 0;
    return declared === 0 ? 0 : declared + 6;
  };
  const finish = () => {
    const start = open;
    open = undefined;
    if (start === undefined) return;
    const whole = wanted();
    const bytes = buffer.subarray(0, whole === 0 ? length : Math.min(whole, length));
    const isDamaged = damaged || length < whole;
    damaged = false;
    take({ ...start, bytes, damaged: isDamaged });
  };
  const append = (payload: Uint8Array) => {
    const sum = length + payload.length;
    if (sum > pesBytesMax) {
      open = undefined;
      damaged = true;
      return;
    }
    if (sum > buffer.length) {
      const larger = new Uint8Array(Math.max(sum, buffer.length * 2));
      larger.set(buffer.subarray(0, length));
      buffer = larger;
    }
    buffer.set(payload, length);
    length = sum;
    const whole = wanted();
    if (whole > 0 && length >= whole) finish();
  };

  return {
    push(payload, start) {
      if (start !== undefined) {
        finish();
        open = start;
        length = 0;
      }
      if (open !== undefined) append(payload);
    },
    lose() {
      damaged = true;
    },
    endSegment() {
      if (wanted() === 0) finish();
    },
    openAt: () => open?.at,
  };
}

/** Takes a PES packet apart; undefined when it does not begin like one. Its payload is copied. */
export function parsePes(bytes: Uint8Array): Pes | undefined {
  if (bytes.length < 6 || bytes[0] !== 0 || bytes[1] !== 0 || bytes[2] !== 1) return undefined;
  const streamId = bytes[3] ?? 0;
  // Stream ids such as ECM or padding come without the optional header; so does what lacks its marker bits.
  if (bytes.length < 9 || ((bytes[6] ?? 0) & 0xc0) !== 0x80) {
    return { streamId, payload: copyBytes(bytes, 6) };
  }
  const headerEnd = 9 + (bytes[8] ?? 0);
  const flags = (bytes[7] ?? 0) >> 6;
  const pts = (flags & 2) !== 0 && headerEnd >= 14 ? readTime(bytes, 9) : undefined;
  const dts = flags === 3 && headerEnd >= 19 ? readTime(bytes, 14) : undefined;
  return { streamId, pts, dts, payload: copyBytes(bytes, headerEnd) };
}

/** A 33-bit time stamp in its five bytes. */
function readTime(bytes: Uint8Array, at: number): number | undefined {
  if (at + 5 > bytes.length) return undefined;
  const high = ((bytes[at] ?? 0) >> 1) & 7;
  return high * 2 ** 30 + (u16(bytes, at + 1) >> 1) * 2 ** 15 + (u16(bytes, at + 3) >> 1);
}
