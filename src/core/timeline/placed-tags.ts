import { hash32 } from '../hash.ts';
import { type DateRange, moveDateRange, readDateRange } from '../playlist/date-range.ts';
import type { SegmentTags } from './origin-tags.ts';

/** Puts tags of origin segments, which are cut elsewhere, before canonical segments. */
export type TagPlacer = {
  /**
   * Takes the tags of an origin segment whose first frame is at `startTicks` of the group's time; segments come in
   * order. Giving one again is harmless: only dateranges that were not there before are taken then.
   */
  add(segment: Omit<SegmentTags, 'mediaSequence'> & { readonly startTicks: number }): void;
  /**
   * Lines for the canonical segment `[fromTicks, toTicks)`, in the order of their frames, each once. What became
   * known too late for its own segment comes with the next. What lies before the first segment taken belongs to
   * segments that this member never gave, and is left out, but for dateranges that are not over.
   */
  take(fromTicks: number, toTicks: number): readonly string[];
};

/** Lines that wait for their segment; beyond it the oldest are given up. */
const pendingMax = 2000;
const rangesMax = 1000;
const formsMax = 32;
/**
 * A time so little before a segment is that segment's: times of frames scatter by a millisecond, and so do dates.
 * Half a frame at 100 frames per second.
 */
const nearTicks = 450;

type Pending = { readonly ticks: number; readonly line: string; readonly range?: Placed };

/** A daterange with its dates as times of the group. */
type Placed = {
  readonly range: DateRange;
  /** Makes the origin's dates the group's; absent where the origin dates no segment. */
  readonly shiftMs?: number | undefined;
  readonly startTicks?: number | undefined;
  readonly endTicks?: number | undefined;
  readonly overTicks?: number | undefined;
};

/** What is remembered of an ID, so that it is carried again only with new attributes, and always with one start. */
type Known = {
  readonly forms: string[];
  start?: { readonly ms: number; readonly shiftMs: number };
};

/** Holds at most {@link pendingMax} lines. Make a new one when the times of the origin begin anew. */
export function createTagPlacer(): TagPlacer {
  const known = new Map<string, Known>();
  let pending: Pending[] = [];
  let newestTicks = Number.NEGATIVE_INFINITY;
  let hasTaken = false;

  return {
    add(segment) {
      const isNew = segment.startTicks > newestTicks;
      if (isNew) newestTicks = segment.startTicks;
      for (const line of segment.lines) {
        const tag = placeTag(line, segment);
        const id = tag.range?.range.id;
        if (id === undefined ? isNew : isNewForm(knownOf(known, id), line)) insert(pending, tag);
      }
      if (pending.length > pendingMax) pending = pending.slice(-pendingMax);
    },

    take(fromTicks, toTicks) {
      const due = pending.filter(({ ticks }) => ticks < toTicks - nearTicks);
      pending = pending.slice(due.length);
      const isFirst = !hasTaken;
      hasTaken = true;
      return due
        .filter((tag) => !isFirst || tag.ticks >= fromTicks - nearTicks || isToCome(tag, fromTicks))
        .map(({ line, range }) =>
          range === undefined
            ? line
            : moved(line, range, fromTicks, knownOf(known, range.range.id)),
        );
    },
  };
}

/** Behind everything of the same time or earlier. */
function insert(pending: Pending[], tag: Pending): void {
  pending.splice(pending.findLastIndex(({ ticks }) => ticks <= tag.ticks) + 1, 0, tag);
}

/** The frame of a daterange is the one its start (or else its end) dates, where that lies in the segment it came with. */
function placeTag(line: string, segment: Parameters<TagPlacer['add']>[0]): Pending {
  const { startTicks, durationMs, programDateTimeMs } = segment;
  const range = readDateRange(line);
  if (range === undefined) return { ticks: startTicks, line };
  if (programDateTimeMs === undefined) return { ticks: startTicks, line, range: { range } };
  const ticksOf = (ms: number | undefined) => {
    if (ms === undefined) return undefined;
    const ticks = startTicks + (ms - programDateTimeMs) * 90;
    return isNear(ticks, startTicks) ? startTicks : ticks;
  };
  const placed = {
    range,
    shiftMs: Math.round(startTicks / 90) - programDateTimeMs,
    startTicks: ticksOf(range.startMs),
    endTicks: ticksOf(range.endMs),
    overTicks: ticksOf(range.overMs),
  };
  const ticks = [placed.startTicks, placed.endTicks].find(
    (time) => time !== undefined && time >= startTicks && time < startTicks + durationMs * 90,
  );
  return { ticks: ticks ?? startTicks, line, range: placed };
}

function isToCome({ range }: Pending, ticks: number): boolean {
  return range !== undefined && (range.overTicks ?? Number.POSITIVE_INFINITY) > ticks;
}

/** A date that means the segment's first frame becomes the date of the segment, to the millisecond. */
function moved(line: string, placed: Placed, fromTicks: number, known: Known): string {
  const { range, shiftMs, startTicks, endTicks } = placed;
  if (shiftMs === undefined) return line;
  const shiftOf = (ms: number | undefined, ticks: number | undefined) =>
    ms !== undefined && ticks !== undefined && isNear(ticks, fromTicks)
      ? Math.round(fromTicks / 90) - ms
      : shiftMs;
  if (range.startMs !== undefined && known.start?.ms !== range.startMs)
    known.start = { ms: range.startMs, shiftMs: shiftOf(range.startMs, startTicks) };
  return moveDateRange(line, {
    startMs: known.start?.shiftMs ?? shiftMs,
    endMs: shiftOf(range.endMs, endTicks),
  });
}

function isNear(ticks: number, otherTicks: number): boolean {
  return Math.abs(ticks - otherTicks) <= nearTicks;
}

function knownOf(all: Map<string, Known>, id: string): Known {
  const found = all.get(id) ?? { forms: [] };
  all.delete(id);
  all.set(id, found);
  const oldest = all.size > rangesMax ? all.keys().next() : undefined;
  if (oldest?.done === false) all.delete(oldest.value);
  return found;
}

function isNewForm({ forms }: Known, line: string): boolean {
  const form = `${line.length}:${hash32(line)}`;
  if (forms.includes(form)) return false;
  forms.push(form);
  if (forms.length > formsMax) forms.shift();
  return true;
}
