import { concatBytes } from '../../core/media/bytes.ts';
import { moveWebVtt } from '../../core/timeline/webvtt-map.ts';
import type { OriginFault, OriginStream } from '../ports.ts';
import { type StoredSegment, stored } from '../segment-fill.ts';

/** Larger files hold no captions of one segment. */
const captionBytesMax = 2 * 1024 * 1024;
const captionPath = /\.(?:web)?vtt$/i;

/** Whether a file holds captions whose times follow those of the pictures. */
export function isCaptions(path: string): boolean {
  return captionPath.test(path);
}

/** A whole WebVTT segment with its times moved as those of the pictures are (RFC 8216 3.5), or the `range` of it. */
export async function movedCaptions(
  found: StoredSegment | OriginStream | OriginFault,
  { offsetTicks, range }: { offsetTicks: number; range: string | undefined },
): Promise<StoredSegment | OriginFault> {
  if (found.kind === 'fault') return found;
  const whole = found.kind === 'stored' ? found.bytes : await gather(found);
  if (whole === undefined) return { kind: 'fault', reason: 'origin-too-large' };
  const bytes = moveWebVtt(whole, offsetTicks) ?? whole;
  return stored(bytes, { 'content-type': 'text/vtt' }, range);
}

async function gather(stream: OriginStream): Promise<Uint8Array | undefined> {
  const parts: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const part of stream.body) {
      length += part.length;
      if (length > captionBytesMax) return undefined;
      parts.push(part);
    }
    return concatBytes(parts);
  } finally {
    stream.close();
  }
}
