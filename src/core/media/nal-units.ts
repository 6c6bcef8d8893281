/** Most units one access unit is split into; what follows stays in the last one. */
const unitsMax = 2_000;

/**
 * Splits a byte stream with start codes into its units, without the start codes. Zeros before a start code are
 * no part of an H.264 or HEVC unit (Annex B); MPEG-2 headers may end with zeros that count, so there
 * `keepZeros`. Bytes before the first start code are dropped. Views, no copies.
 */
export function splitByStartCodes(bytes: Uint8Array, keepZeros = false): Uint8Array[] {
  const units: Uint8Array[] = [];
  const push = keepZeros ? pushWhole : pushTrimmed;
  let start = -1;
  let at = nextStartCode(bytes, 0);
  while (at >= 0) {
    if (start >= 0) push(units, bytes, start, at);
    start = at + 3;
    at = units.length < unitsMax ? nextStartCode(bytes, start) : -1;
  }
  if (start >= 0) push(units, bytes, start, bytes.length);
  return units;
}

/**
 * Splits a sample of length-prefixed units (ISO 14496-15 4.3.3) into its units; stops at a length that
 * does not fit. Views, no copies.
 */
export function splitByLengths(bytes: Uint8Array, lengthBytes: number): Uint8Array[] {
  const units: Uint8Array[] = [];
  let at = 0;
  while (at + lengthBytes <= bytes.length && units.length < unitsMax) {
    let length = 0;
    for (let i = 0; i < lengthBytes; i += 1) length = length * 256 + (bytes[at + i] ?? 0);
    at += lengthBytes;
    if (at + length > bytes.length) break;
    pushTrimmed(units, bytes, at, at + length);
    at += length;
  }
  return units;
}

/** The payload of a unit without the emulation prevention bytes (H.264 7.4.1), at most `bytesMax` of it. */
export function withoutEscapes(unit: Uint8Array, bytesMax: number): Uint8Array {
  const out = new Uint8Array(Math.min(unit.length, bytesMax));
  let length = 0;
  let zeros = 0;
  for (let i = 0; i < unit.length && length < out.length; i += 1) {
    const byte = unit[i] ?? 0;
    if (zeros >= 2 && byte === 3) {
      zeros = 0;
      continue;
    }
    zeros = byte === 0 ? zeros + 1 : 0;
    out[length] = byte;
    length += 1;
  }
  return out.subarray(0, length);
}

/** Position of the next 00 00 01 at or after `from`; -1 if there is none. Looks at every third byte mostly. */
function nextStartCode(bytes: Uint8Array, from: number): number {
  const end = bytes.length;
  let i = from + 2;
  while (i < end) {
    const byte = bytes[i] ?? 0;
    if (byte > 1) i += 3;
    else if (byte === 0) i += 1;
    else if (bytes[i - 1] === 0 && bytes[i - 2] === 0) return i - 2;
    else i += 3;
  }
  return -1;
}

function pushTrimmed(units: Uint8Array[], bytes: Uint8Array, start: number, limit: number): void {
  let end = limit;
  while (end > start && bytes[end - 1] === 0) end -= 1;
  if (end > start) units.push(bytes.subarray(start, end));
}

function pushWhole(units: Uint8Array[], bytes: Uint8Array, start: number, limit: number): void {
  if (limit > start) units.push(bytes.subarray(start, limit));
}
