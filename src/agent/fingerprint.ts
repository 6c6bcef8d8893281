import type { Checksum } from './ports.ts';

/** Of 6 bits each: 96 bits. */
const fingerprintLength = 16;

/** Makes short texts that tell long or secret ones apart without naming them: the first 96 bits of their checksums. */
export function createFingerprint(checksum: Checksum): (text: string) => string {
  const encoder = new TextEncoder();
  return (text) => checksum(encoder.encode(text)).slice(0, fingerprintLength);
}
