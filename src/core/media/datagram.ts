const syncByte = 0x47;
const packetBytes = 188;
/** RFC 3551: MPEG transport streams; 96 and up are dynamic. */
const transportStreamType = 33;
const dynamicTypes = 96;

/**
 * The part of a UDP datagram that is transport stream: all of it, or what follows its RTP header (RFC 3550, RFC 2250)
 * where there is one, told by whole packets behind it. A view, no copy.
 */
export function transportStreamOf(datagram: Uint8Array): Uint8Array {
  const header = rtpHeaderBytes(datagram);
  if (header === undefined) return datagram;
  const isPadded = ((datagram[0] ?? 0) & 0x20) !== 0;
  const padding = isPadded ? (datagram.at(-1) ?? 0) : 0;
  const payload = datagram.subarray(header, Math.max(header, datagram.length - padding));
  const isWhole = payload.length > 0 && payload.length % packetBytes === 0;
  return isWhole && startsPackets(payload) ? payload : datagram;
}

function rtpHeaderBytes(datagram: Uint8Array): number | undefined {
  const [flags, marked] = datagram;
  if (flags === undefined || marked === undefined || flags >> 6 !== 2) return undefined;
  const type = marked & 0x7f;
  if (type !== transportStreamType && type < dynamicTypes) return undefined;
  const fixed = 12 + (flags & 0x0f) * 4;
  if ((flags & 0x10) === 0) return fixed;
  const words = ((datagram[fixed + 2] ?? 0) << 8) | (datagram[fixed + 3] ?? 0);
  return fixed + 4 + words * 4;
}

function startsPackets(payload: Uint8Array): boolean {
  for (let at = 0; at < payload.length; at += packetBytes) {
    if (payload[at] !== syncByte) return false;
  }
  return true;
}
