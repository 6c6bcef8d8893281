import type { Mark } from './marks.ts';
import type { RunHead, TimelineRun } from './run.ts';

/** What a member says of one segment that it has cut, or publishes. */
export type SegmentCheck = {
  /** Place of the variant stream or rendition among those that are written anew; 0 is the first. */
  readonly rung: number;
  readonly number: number;
  /** Key of the run that it belongs to. */
  readonly run: string;
  /** In the group's time: a lost keyframe moves a boundary. */
  readonly startTicks: number;
  readonly durationTicks: number;
  /** SHA-256 of its bytes, base64url. */
  readonly checksum: string;
  /** Of pictures and sound: the container fills up, and hides a picture that is missing. */
  readonly bytes: number;
  /** Pictures and frames in it that lost packets there. */
  readonly damagedUnits: number;
  /** Begins with a keyframe. */
  readonly isIndependent: boolean;
  /** The next one begins with a keyframe too; else it ends where its window does. */
  readonly endsAtKey: boolean;
  /** Viewers get it there now: it is not changed any more. */
  readonly isPublished: boolean;
};

/** What a member says of the timeline of one of its streams. */
export type TimelineWord = {
  readonly group: string;
  readonly following?:
    | { readonly run: RunHead; readonly offset: number; readonly isOffered: boolean }
    | undefined;
  readonly last?: { readonly sequence: number; readonly number: number } | undefined;
  /** Keys of the runs whose segments viewers get there now; absent where they are of the one that it follows. */
  readonly listed?: readonly string[] | undefined;
  /** Usual length of its packager's segments, ms; absent while it follows a run, or has read nothing. */
  readonly packagedMs?: number | undefined;
  /** All marks that it keeps; absent where they were not due. */
  readonly marks?: readonly Mark[] | undefined;
  /** One run for each rung, with its grids as they stand; only where they were asked for. */
  readonly runs?: readonly TimelineRun[] | undefined;
  /** Of the newest numbers, and of older ones that are asked about; each with the run it belongs to. */
  readonly checks: readonly SegmentCheck[];
};

/** Streams of a group that the asker and the asked share: the word of the asker on each, and what it wants to know. */
export type CompareQuestion = {
  readonly protocol: number;
  readonly from: string;
  readonly boot: string;
  readonly seq: number;
  readonly to?: string | undefined;
  readonly streams: readonly (TimelineWord & {
    readonly wantMarks: boolean;
    readonly wantRuns: boolean;
  })[];
};

export type CompareAnswer = {
  readonly kind: 'compared';
  readonly protocol: number;
  readonly boot: string;
  readonly streams: readonly TimelineWord[];
};

/** Names one canonical segment at a peer. */
export type SegmentName = {
  readonly group: string;
  readonly rung: number;
  readonly number: number;
  readonly checksum: string;
};

/**
 * Whether `theirs` is to be published in place of `ours`, both of one number, by a rule that gives the same
 * answer on both members: what viewers have already; else what shows that no keyframe is missing (it begins with one and ends at
 * one, both as early as may be); then fewer damaged units, more bytes (loss in front of a packager takes bytes away), the first checksum.
 * Undefined when they are equal.
 */
function betterOf(ours: SegmentCheck, theirs: SegmentCheck): 'ours' | 'theirs' | undefined {
  if (ours.checksum === theirs.checksum) return undefined;
  const order =
    Number(theirs.isPublished) - Number(ours.isPublished) ||
    lossOf(ours, theirs) ||
    (theirs.checksum < ours.checksum ? 1 : -1);
  return order > 0 ? 'theirs' : 'ours';
}

/** Above 0 where `ours` shows a loss that `theirs` does not, below 0 the other way round; both of one number. */
export function lossOf(ours: SegmentCheck, theirs: SegmentCheck): number {
  return (
    Number(theirs.isIndependent) - Number(ours.isIndependent) ||
    Number(theirs.endsAtKey) - Number(ours.endsAtKey) ||
    ours.startTicks - theirs.startTicks ||
    ours.durationTicks - theirs.durationTicks ||
    ours.damagedUnits - theirs.damagedUnits ||
    theirs.bytes - ours.bytes
  );
}

/**
 * Whether the windows of two members cannot be of one playlist: each lists segments of a run that the other does not, as after
 * they did not hear each other. One that has only more of the past is no contradiction.
 */
export function contradict(ours: readonly string[], theirs: readonly string[]): boolean {
  const hasOwn = (own: readonly string[], other: readonly string[]) =>
    own.some((key) => !other.includes(key));
  return hasOwn(ours, theirs) && hasOwn(theirs, ours);
}

/** The one of several that all members choose. */
export function bestCheck(checks: readonly SegmentCheck[]): SegmentCheck | undefined {
  return checks.reduce<SegmentCheck | undefined>(
    (best, next) => (best === undefined || betterOf(best, next) === 'theirs' ? next : best),
    undefined,
  );
}
