/** Both byte strings behind each other; a copy. */
export function concatBytes(parts: readonly Uint8Array[]): Uint8Array {
  let length = 0;
  for (const part of parts) length += part.length;
  const whole = new Uint8Array(length);
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
