import { moveWebVtt } from '../../core/timeline/webvtt-map.ts';
import { segmentBudgetMs } from '../live-snapshots.ts';
import type { Origin, OriginFault } from '../ports.ts';
import type { StoredSegment } from '../segment-fill.ts';
import { stored } from './served.ts';

const captionBytesMax = 2 * 1024 * 1024;
const captionPath = /\.(?:web)?vtt$/i;

/** Whether a file holds captions whose times follow those of the pictures. */
export function isCaptions(path: string): boolean {
  return captionPath.test(path);
}

/** A WebVTT segment of the origin with its times moved as those of the pictures are (RFC 8216 3.5). */
export async function movedCaptions(
  origin: Origin,
  url: string,
  { offsetTicks, range }: { offsetTicks: number; range: string | undefined },
): Promise<StoredSegment | OriginFault> {
  const limits = { deadlineMs: segmentBudgetMs, bytesMax: captionBytesMax };
  const found = await origin.read(url, limits);
  if (found.kind === 'fault') return found;
  const bytes = moveWebVtt(found.bytes, offsetTicks) ?? found.bytes;
  return stored(bytes, { 'content-type': 'text/vtt' }, range);
}
