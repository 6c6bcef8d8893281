import { ticksPerSecond } from '../media/units.ts';
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
 * window give the same text. Names are the numbers. Empty text for an empty window.
 */
export function writeCanonicalPlaylist(window: readonly ListedSegment[]): string {
  const first = window[0];
  if (first === undefined) return '';
  const target = Math.max(...window.map((segment) => segment.run.targetDurationS));
  const lines = [
    '#EXTM3U',
    `#EXT-X-VERSION:${window.some((segment) => segment.isGap) ? 8 : 6}`,
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
      `#EXT-X-PROGRAM-DATE-TIME:${dateTime(Math.round(segment.startTicks / 90))}`,
      ...(segment.isGap ? ['#EXT-X-GAP'] : []),
      `#EXTINF:${(segment.durationTicks / ticksPerSecond).toFixed(6)},`,
      `${segment.number}.ts`,
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

/** RFC 3339 with milliseconds in UTC, of Unix milliseconds. */
function dateTime(unixMs: number): string {
  const days = Math.floor(unixMs / 86_400_000);
  const inDay = unixMs - days * 86_400_000;
  // Civil date of a day count, months from March so that leap days come last in the year.
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1_460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  );
  const dayOfYear =
    dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const month = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * month + 2) / 5) + 1;
  const year = yearOfEra + era * 400 + (month >= 10 ? 1 : 0);
  const date = [pad(year, 4), pad(((month + 2) % 12) + 1, 2), pad(day, 2)].join('-');
  const [h, m, s] = [3_600_000, 60_000, 1_000].map((unit) => Math.floor(inDay / unit));
  const time = [h ?? 0, (m ?? 0) % 60, (s ?? 0) % 60].map((value) => pad(value, 2)).join(':');
  return `${date}T${time}.${pad(inDay % 1_000, 3)}Z`;
}

function pad(value: number, width: number): string {
  return String(value).padStart(width, '0');
}
