import { dashPath } from '../core/stream/origin-paths.ts';
import type { HlsSide } from './live-hls.ts';
import type { Segments } from './segments.ts';
import { isCaptions } from './timeline/moved-captions.ts';

/** Which segment is whole in memory at `path` of a stream, no captions: the same text as long as it is the same bytes. */
export function keptSegment(
  hls: HlsSide | undefined,
  segments: Pick<Segments, 'isWhole'>,
  path: string,
): string | undefined {
  const etag = hls?.segment(path, undefined)?.headers.etag;
  const file = dashPath(path) === undefined ? hls?.file(path)?.file : undefined;
  if (etag !== undefined || file?.isWhole !== true || isCaptions(path)) return etag;
  return segments.isWhole(file.id) ? `file ${file.id}` : undefined;
}
