import { createTsReader } from '../media/ts-reader.ts';
import { roleOf } from '../media/video-units.ts';
import { hashOf } from './hash.ts';

/**
 * Share of the pictures of one canonical segment that are in another one too, 0 to 1; 1 where neither has pictures. Tells
 * a member that lost some packets (most pictures are the same) from one with another encoder (only keyframes may be).
 */
export function likenessOf(ours: Uint8Array, theirs: Uint8Array): number {
  const own = picturesOf(ours);
  const other = new Set(picturesOf(theirs));
  const most = Math.max(own.length, other.size);
  return most === 0 ? 1 : own.filter((hash) => other.has(hash)).length / most;
}

function picturesOf(segment: Uint8Array): readonly string[] {
  const { tracks, units } = createTsReader().read(segment, 'segment');
  const video = tracks.find((track) => track.kind === 'video');
  if (video?.kind !== 'video') return [];
  return units.flatMap((unit) =>
    unit.kind === 'video'
      ? [hashOf(unit.parts.filter((part) => roleOf(video.format, part) === 'slice'))]
      : [],
  );
}
