/** Small byte strings share a slab: a buffer of its own for each frame of sound costs more than all else that is done to it. */
const slabBytes = 16 * 1_024;
const smallBytesMax = 2 * 1_024;
let slab = new Uint8Array(slabBytes);
let used = 0;

/** Zeros. Whoever keeps a small one for long keeps a slab of 16 KiB with it. */
export function allocateBytes(length: number): Uint8Array {
  if (length > smallBytesMax) return new Uint8Array(length);
  if (used + length > slabBytes) {
    slab = new Uint8Array(slabBytes);
    used = 0;
  }
  used += length;
  return slab.subarray(used - length, used);
}

/** A copy of the bytes from `from` on. */
export function copyBytes(bytes: Uint8Array, from = 0): Uint8Array {
  const copy = allocateBytes(Math.max(0, bytes.length - from));
  copy.set(bytes.subarray(from));
  return copy;
}

/** Both byte strings behind each other; a copy. */
export function concatBytes(parts: readonly Uint8Array[]): Uint8Array {
  let length = 0;
  for (const part of parts) length += part.length;
  const whole = allocateBytes(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Latin text of bytes that are letters by their format; at most 64 of them. */
export function asciiText(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes.subarray(0, 64));
}
