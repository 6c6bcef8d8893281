import { formatDateTime } from '../playlist/program-date-time.ts';
import { joinToleranceMs } from './coverage.ts';
import { discontinuityBase } from './discontinuity-base.ts';
import { GrowingBytes } from './growing-bytes.ts';
import { goesOn, isBreak, linesOf, type SegmentLines } from './segment-lines.ts';
import { endOf, type ListedSegment, type Slice } from './take-segments.ts';

/** A hole of more segments is a break without lines of its own: players step through such lines one by one. */
const gapLinesMax = 10;

/** Lines of a hole may be longer than the target duration by this, ms: durations are compared in whole seconds. */
const roundedMs = 400;

/** Longest hole that has lines because a player has others in their place, segments: a day of 2 s. */
const lostLinesMax = 43_200;

/**
 * Where a segment would be that nobody has, before the ending of the others: nothing is found there, but ffmpeg refuses
 * playlists whole that name anything but media.
 */
const gapStem = '~gap';

/** A stretch of one block's lines. */
type Part = {
  readonly lines: SegmentLines;
  readonly slice: Slice;
};

/**
 * The media playlist of a period, but for the viewers' passes. Later ones of a period that grows share text and places:
 * what they add stands behind what is looked at here.
 */
export type PeriodText = {
  readonly parts: readonly Part[];
  readonly grows: boolean;
  readonly targetS: number;
  readonly text: GrowingBytes;
  /** How much of `text` it is. */
  readonly length: number;
  /** Behind each URI at another node: where a pass goes. */
  readonly passesAt: number[];
  /** How many of them it has. */
  readonly passes: number;
};

type Joining = Pick<PeriodText, 'text' | 'targetS' | 'passesAt'>;

const encoder = new TextEncoder();

/**
 * The media playlist of a period. Only a growing one has no ENDLIST. EXT-X-DISCONTINUITY where timestamps do not go on,
 * EXT-X-GAP for a short hole; `node` is whose playlist it is. `known` is what was made of the same period before: it is the answer where nothing has
 * changed, and gone on from where segments came at the end.
 */
export function joinPeriod(
  slices: readonly Slice[],
  { grows, node }: { readonly grows: boolean; readonly node: string },
  known?: PeriodText,
): PeriodText {
  const parts = slices.map((slice, at) => partOf(slice, known?.parts[at]));
  let targetS = 1;
  for (const { lines } of parts) targetS = Math.max(targetS, lines.targetS);
  const isBegun = known?.grows === grows && known.targetS === targetS && begins(parts, known.parts);
  if (isBegun && isAll(parts, known.parts)) return known;
  // What somebody else went on from already is not to be written over.
  if (isBegun && grows && known.length === known.text.length) return goOn(known, parts);
  const begun = { parts: [], grows, targetS, text: new GrowingBytes(), passesAt: [], passes: 0 };
  append(begun, headOf(slices[0], { targetS, grows, node }));
  return goOn({ ...begun, length: begun.text.length }, parts);
}

/** The playlist for a viewer whose pass at other nodes is `query` (`?pass=...` or nothing). */
export function withPass(playlist: PeriodText, query: string): Uint8Array {
  const { text, length, passesAt, passes } = playlist;
  const bytes = text.slice(0, length);
  if (passes === 0 || query === '') return bytes;
  const pass = encoder.encode(query);
  const joined = new Uint8Array(length + passes * pass.length);
  let from = 0;
  let to = 0;
  for (let at = 0; at < passes; at += 1) {
    const next = passesAt[at] ?? length;
    joined.set(bytes.subarray(from, next), to);
    to += next - from;
    joined.set(pass, to);
    to += pass.length;
    from = next;
  }
  joined.set(bytes.subarray(from), to);
  return joined;
}

/** A playlist that grows is taken for a live one, which players begin near its end. */
const startAtFirst = '#EXT-X-START:TIME-OFFSET=0,PRECISE=YES\n';

/** Stands behind each URI at another node that is no segment's; no URI contains it. */
const passMark = '\u0000';

function headOf(
  slice: Slice | undefined,
  { targetS, grows, node }: { targetS: number; grows: boolean; node: string },
): string {
  const first = slice?.block[slice.from];
  const discontinuity = first === undefined ? 0 : discontinuityBase(node, first.run);
  const breaks = `#EXT-X-DISCONTINUITY-SEQUENCE:${discontinuity}\n`;
  const lost = gapCount(slice?.lostMs ?? 0, lostLinesMax, targetS);
  const number = Math.max(0, (first?.number ?? 0) - lost);
  return (
    `#EXTM3U\n#EXT-X-VERSION:${first?.map === undefined ? 3 : 6}\n#EXT-X-TARGETDURATION:${targetS}\n` +
    `#EXT-X-MEDIA-SEQUENCE:${number}\n${discontinuity === 0 ? '' : breaks}#EXT-X-PLAYLIST-TYPE:${grows ? 'EVENT' : 'VOD'}\n${grows ? startAtFirst : ''}`
  );
}

/** `known` itself where it is that. */
function partOf(slice: Slice, known: Part | undefined): Part {
  const { block, from, to, prefix, lostMs } = slice;
  if (known?.slice.block !== block || known.slice.prefix !== prefix)
    return { slice, lines: linesOf(block, prefix) };
  const isSame =
    known.slice.from === from && known.slice.to === to && known.slice.lostMs === lostMs;
  return isSame ? known : { slice, lines: known.lines };
}

/** Whether `known` is what `parts` begin with; the last of it may have grown. */
function begins(parts: readonly Part[], known: readonly Part[]): boolean {
  return (
    known.length <= parts.length &&
    known.every((before, at) => {
      const part = parts[at];
      return (
        part === before || (part !== undefined && goesOnWith(part, before, at === known.length - 1))
      );
    })
  );
}

function goesOnWith(part: Part, { lines, slice }: Part, mayGrow: boolean): boolean {
  const { from, to, lostMs } = part.slice;
  const isSame = part.lines === lines && from === slice.from && lostMs === slice.lostMs;
  return isSame && (mayGrow ? to >= slice.to : to === slice.to);
}

/** Of parts that begin with `known`: whether there is nothing more. */
function isAll(parts: readonly Part[], known: readonly Part[]): boolean {
  return parts.length === known.length && parts.at(-1)?.slice.to === known.at(-1)?.slice.to;
}

/** Adds what `known` does not have of the parts yet. */
function goOn(known: PeriodText, parts: readonly Part[]): PeriodText {
  const { text, passesAt, grows, targetS } = known;
  const begun = known.parts.at(-1)?.slice;
  let last = begun?.block[begun.to - 1];
  for (const part of parts.slice(Math.max(0, known.parts.length - 1))) {
    const isBegun = begun !== undefined && part === parts[known.parts.length - 1];
    joinPart(known, part, isBegun ? begun.to : part.slice.from, last);
    last = part.slice.block[part.slice.to - 1];
  }
  if (!grows) append(known, '#EXT-X-ENDLIST\n');
  return { parts, grows, targetS, text, length: text.length, passesAt, passes: passesAt.length };
}

/** Adds the lines of a part from segment `begin` on. */
function joinPart(
  joining: Joining,
  { slice: { block, from, to, prefix, lostMs = 0 }, lines }: Part,
  begin: number,
  last: ListedSegment | undefined,
): void {
  const { text, targetS, passesAt } = joining;
  if (begin >= to) return;
  let [at, before] = [begin, last];
  for (const stop of [...lines.breaks.filter((stop) => stop > begin && stop < to), to]) {
    const next = block[at];
    const beforeMs = at === from ? lostMs : 0;
    if (next !== undefined)
      append(joining, glue(before, next, { prefix, targetS, lostMs: beforeMs }));
    const [start = 0, end = 0] = [lines.offsets[at], lines.offsets[stop]];
    const shift = text.length - start;
    text.append(lines.text.slice(start, end));
    if (prefix !== '')
      for (let one = at + 1; one <= stop; one += 1)
        passesAt.push(shift + (lines.offsets[one] ?? 0) - 1);
    before = block[stop - 1];
    at = stop;
  }
}

function append({ text, passesAt }: Pick<Joining, 'text' | 'passesAt'>, lines: string): void {
  if (lines === '') return;
  for (const [at, part] of lines.split(passMark).entries()) {
    if (at > 0) passesAt.push(text.length);
    text.append(encoder.encode(part));
  }
}

/** What has to stand between two segments, the first of them absent at the beginning. */
function glue(
  before: ListedSegment | undefined,
  next: ListedSegment,
  { prefix, targetS, lostMs }: { prefix: string; targetS: number; lostMs: number },
): string {
  if (before !== undefined && !isBreak(before, next)) return '';
  const holeMs = before === undefined ? 0 : next.startMs - endOf(before);
  const nobodysMs = holeMs - lostMs;
  const nobodys = gapLines(nobodysMs, gapLinesMax, targetS, next.name);
  let lines = gapLines(lostMs, lostLinesMax, targetS, next.name) + nobodys;
  const isNewTimeline = before !== undefined && !goesOn(before, next);
  const isUnlisted = nobodys === '' && nobodysMs > joinToleranceMs;
  if (isNewTimeline || isUnlisted) lines += '#EXT-X-DISCONTINUITY\n';
  if (next.map !== undefined && (before === undefined || isNewTimeline || before.map !== next.map))
    lines += `#EXT-X-MAP:URI="${prefix}${next.map}${prefix === '' ? '' : passMark}"\n`;
  return `${lines}#EXT-X-PROGRAM-DATE-TIME:${formatDateTime(Math.round(next.startMs))}\n`;
}

/** Lines for `ms` of nothing, at most `max` of them and each of a target duration at most; none for what is too short or too long for that. */
function gapLines(ms: number, max: number, targetS: number, nextName: string): string {
  const count = gapCount(ms, max, targetS);
  const ending = /\.\w+$/.exec(nextName)?.[0] ?? '';
  const lines = `#EXT-X-GAP\n#EXTINF:${(ms / count / 1_000).toFixed(3)},\n${gapStem}${ending}\n`;
  return lines.repeat(count);
}

/** A duration may be as much longer than the target as rounding hides. */
function gapCount(ms: number, max: number, targetS: number): number {
  const count = Math.ceil((ms - roundedMs) / (targetS * 1_000));
  return ms <= joinToleranceMs || count > max ? 0 : Math.max(1, count);
}
