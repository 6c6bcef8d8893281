import type { Unit, VideoFormat, VideoUnit } from '../media/units.ts';
import { ticksPerSecond, unwrapTicks } from '../media/units.ts';
import { roleOf } from '../media/video-units.ts';
import type { UnixMs } from '../time.ts';
import { hashOf } from './hash.ts';

/** What a keyframe is known by, whatever container and packager it came through. */
export type Mark = {
  /** Of its slices only: parameter sets, SEI, delimiters and start codes differ between packagers. */
  readonly hash: string;
  /** Of the node's own packager, ticks modulo 2^33. */
  readonly pts: number;
  /** When the picture itself is thought to have arrived, on this node's wall clock. */
  readonly arrivedAt: UnixMs;
};

/** Marks that a member keeps and tells: 40 seconds to some minutes of them. */
export const marksMax = 40;

/**
 * Marks of the keyframes among `units`, a segment that was complete at `completeAt`. A picture is
 * thought to have come as long before that as its time lies before the last one's. Damaged pictures give none.
 */
export function marksOf(
  format: VideoFormat,
  units: readonly Unit[],
  completeAt: UnixMs,
): readonly Mark[] {
  const pictures = units.filter((unit): unit is VideoUnit => unit.kind === 'video');
  const reference = pictures[0]?.pts ?? 0;
  let last = reference;
  for (const unit of pictures) last = Math.max(last, unwrapTicks(unit.pts, reference));
  const keys = pictures.filter((unit) => unit.isKey && !unit.damaged);
  return keys.map((unit) => {
    const before = last - unwrapTicks(unit.pts, reference);
    const slices = unit.parts.filter((part) => roleOf(format, part) === 'slice');
    const arrivedAt = completeAt - (before * 1_000) / ticksPerSecond;
    return { hash: hashOf(slices.map(withoutZeros)), pts: unit.pts, arrivedAt };
  });
}

/** The newest marks of both lists, in order of arrival. */
export function keepMarks(known: readonly Mark[], fresh: readonly Mark[]): readonly Mark[] {
  return [...known, ...fresh].slice(-marksMax);
}

/** MPEG-2 slices may be followed by stuffing. */
function withoutZeros(slice: Uint8Array): Uint8Array {
  let end = slice.length;
  while (end > 0 && slice[end - 1] === 0) end -= 1;
  return slice.subarray(0, end);
}
