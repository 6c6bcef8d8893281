import { ticksPerSecond } from '../media/units.ts';
import { formatDateTime } from '../playlist/program-date-time.ts';
import type { CanonicalSegment } from './cutter.ts';
import type { TimelineRun } from './run.ts';

/** One segment of the live window, without its bytes. */
export type ListedSegment = Pick<CanonicalSegment, 'number' | 'startTicks' | 'durationTicks'> & {
  /** Nothing was sent in its window. */
  readonly isGap: boolean;
  /** Lines of the origin that belong to it, whole, in order. */
  readonly tags: readonly string[];
  readonly run: TimelineRun;
};

/**
 * Media playlist of a canonical stream (RFC 8216): a pure function of the window, so that members with the same
 * window give the same text. Names are the numbers, behind `prefix`. Empty text for an empty window.
 */
export function writeCanonicalPlaylist(window: readonly ListedSegment[], prefix = ''): string {
  const first = window[0];
  if (first === undefined) return '';
  const target = Math.max(...window.map((segment) => segment.run.targetDurationS));
  const lines = [
    '#EXTM3U',
    '#EXT-X-VERSION:8',
    `#EXT-X-TARGETDURATION:${target}`,
    `#EXT-X-MEDIA-SEQUENCE:${first.number}`,
    `#EXT-X-DISCONTINUITY-SEQUENCE:${first.run.sequence}`,
  ];
  let sequence = first.run.sequence;
  for (const segment of window) {
    if (segment.run.sequence !== sequence) lines.push('#EXT-X-DISCONTINUITY');
    sequence = segment.run.sequence;
    lines.push(
      ...segment.tags,
      `#EXT-X-PROGRAM-DATE-TIME:${formatDateTime(Math.round(segment.startTicks / 90))}`,
      ...(segment.isGap ? ['#EXT-X-GAP'] : []),
      `#EXTINF:${(segment.durationTicks / ticksPerSecond).toFixed(6)},`,
      `${prefix}${segment.number}.ts`,
    );
  }
  return `${lines.join('\n')}\n`;
}

/**
 * What of the window may be listed: numbers that follow each other without a hole, as a playlist implies, and runs
 * whose sequences do too; the newest such stretch. A member that missed something begins its window anew.
 */
export function listable(window: readonly ListedSegment[]): readonly ListedSegment[] {
  let from = 0;
  for (let i = 1; i < window.length; i += 1) {
    const before = window[i - 1];
    const segment = window[i];
    if (before === undefined || segment === undefined) continue;
    const step = segment.run.sequence - before.run.sequence;
    const follows = segment.number === before.number + 1 && (step === 0 || step === 1);
    if (!follows) from = i;
  }
  return window.slice(from);
}
