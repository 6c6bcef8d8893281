import { wrapTicks } from '../media/units.ts';
import { latin1Bytes, latin1Text } from '../playlist/bytes.ts';

/** Longest header that is looked through, bytes. */
const headerBytesMax = 64 * 1024;

/**
 * A WebVTT segment whose cues come `offsetTicks` later (90 kHz): MPEGTS of its X-TIMESTAMP-MAP moved modulo 2^33, all other
 * bytes as they are. A segment without a map means that cue time 0 is MPEGTS 0 (RFC 8216 3.5): it gets one that says
 * so, moved, behind the first line. Undefined for what is no WebVTT, and where the map or the end of the header cannot be found.
 */
export function moveWebVtt(bytes: Uint8Array, offsetTicks: number): Uint8Array | undefined {
  const head = latin1Text(bytes.subarray(0, headerBytesMax));
  const first = /^(?:\xef\xbb\xbf)?WEBVTT(?:[ \t][^\r\n]*)?(\r\n|\n|\r|$)/.exec(head);
  if (first === null) return undefined;
  const [firstLine, ending = ''] = first;
  const header = headerFrom(head, firstLine.length);
  const isCut = firstLine.length + header.length === head.length && head.length < bytes.length;
  if (isCut) return undefined;
  const map = /(?:^|[\r\n])(X-TIMESTAMP-MAP[ \t]*=[^\r\n]*)/.exec(header);
  if (map === null) {
    const text = `X-TIMESTAMP-MAP=MPEGTS:${moved(0, offsetTicks)},LOCAL:00:00:00.000`;
    const line = ending === '' ? `\n${text}\n` : `${text}${ending}`;
    return spliced(bytes, firstLine.length, firstLine.length, line);
  }
  const number = /MPEGTS[ \t]*:[ \t]*(\d{1,15})(?!\d)/.exec(map[1] ?? '');
  if (number === null) return undefined;
  const digits = number[1] ?? '';
  // The line is the end of what was matched, and the digits are the end of what was matched in it.
  const lineAt = firstLine.length + map.index + map[0].length - (map[1] ?? '').length;
  const to = lineAt + number.index + number[0].length;
  return spliced(bytes, to - digits.length, to, String(moved(Number(digits), offsetTicks)));
}

/** What stands between the first line and the first empty one. */
function headerFrom(head: string, from: number): string {
  const rest = head.slice(from);
  const empty = /(?:^|\r\n|\n|\r)(?:\r\n|\n|\r)/.exec(rest);
  return empty === null ? rest : rest.slice(0, empty.index);
}

function moved(ticks: number, offsetTicks: number): number {
  return wrapTicks(ticks + Math.round(offsetTicks));
}

function spliced(bytes: Uint8Array, from: number, to: number, text: string): Uint8Array {
  const result = new Uint8Array(bytes.length - (to - from) + text.length);
  result.set(bytes.subarray(0, from));
  result.set(latin1Bytes(text), from);
  result.set(bytes.subarray(to), from + text.length);
  return result;
}
