/** Arguments of one call: well below what the engine allows. */
const sliceLength = 8192;

/** One character per byte, U+0000 to U+00FF: exact both ways, see {@link latin1Bytes}. */
export function latin1Text(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += sliceLength) {
    text += Reflect.apply(String.fromCharCode, undefined, bytes.subarray(at, at + sliceLength));
  }
  return text;
}

/** The bytes of a text whose characters are all below U+0100. */
export function latin1Bytes(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at);
  return bytes;
}

/**
 * The UTF-8 that a text of one character per byte stands for, a byte order mark included, so that encoding it gives the
 * bytes back. Undefined when the bytes are not UTF-8.
 */
export function utf8Text(latin1: string): string | undefined {
  if (!/[\x80-\xff]/.test(latin1)) return latin1;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(latin1Bytes(latin1));
  } catch {
    return undefined;
  }
}
