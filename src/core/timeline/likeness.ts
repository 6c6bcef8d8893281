import { createTsReader } from '../media/ts-reader.ts';
import { roleOf } from '../media/video-units.ts';
import { hashOf } from './hash.ts';

/**
 * Share of the pictures of the one of two canonical segments that has fewer that are in the other one too, 0 to 1; 1 where
 * one has none. Tells a member that lost packets (what is left is the same) from one with another encoder (only keyframes may be).
 */
export function likenessOf(ours: Uint8Array, theirs: Uint8Array): number {
  const own = picturesOf(ours);
  const other = new Set(picturesOf(theirs));
  const fewer = Math.min(own.length, other.size);
  return fewer === 0 ? 1 : own.filter((hash) => other.has(hash)).length / fewer;
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
