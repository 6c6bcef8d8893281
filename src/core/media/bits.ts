/** Reads a byte string bit by bit, most significant bit first. Beyond the end it gives zeros and `overrun()` is true. */
export type BitReader = {
  /** Unsigned number of `count` bits, 0 to 32. */
  bits(count: number): number;
  flag(): boolean;
  skip(count: number): void;
  /** Unsigned Exp-Golomb code (H.264 9.1); a code longer than 32 bits counts as an overrun. */
  ue(): number;
  /** Signed Exp-Golomb code. */
  se(): number;
  overrun(): boolean;
};

/** Reader over `bytes`, from its first bit. */
export function createBitReader(bytes: Uint8Array): BitReader {
  const end = bytes.length * 8;
  let at = 0;
  let over = false;
  const bit = () => {
    if (at >= end) {
      over = true;
      return 0;
    }
    const value = ((bytes[at >> 3] ?? 0) >> (7 - (at & 7))) & 1;
    at += 1;
    return value;
  };
  const bits = (count: number) => {
    let value = 0;
    for (let i = 0; i < count; i += 1) value = value * 2 + bit();
    return value;
  };
  const ue = () => {
    let zeros = 0;
    while (!over && bit() === 0) zeros += 1;
    if (zeros > 32) over = true;
    return over ? 0 : 2 ** zeros - 1 + bits(zeros);
  };
  return {
    bits,
    flag: () => bit() === 1,
    skip: (count) => {
      at += count;
      if (at > end) over = true;
    },
    ue,
    se: () => {
      const code = ue();
      return code % 2 === 1 ? (code + 1) / 2 : -code / 2;
    },
    overrun: () => over,
  };
}

/** Big-endian 16-bit number; bytes beyond the end are zeros. */
export function u16(bytes: Uint8Array, at: number): number {
  return ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
}

/** Big-endian unsigned 32-bit number; bytes beyond the end are zeros. */
export function u32(bytes: Uint8Array, at: number): number {
  return u16(bytes, at) * 65_536 + u16(bytes, at + 2);
}

/** Big-endian unsigned 64-bit number; above 2^53 it is only near. */
export function u64(bytes: Uint8Array, at: number): number {
  return u32(bytes, at) * 2 ** 32 + u32(bytes, at + 4);
}
