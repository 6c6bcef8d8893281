import { formatDateTime } from '../playlist/program-date-time.ts';
import { joinToleranceMs } from './coverage.ts';
import { endOf, type ListedSegment, type Slice } from './take-segments.ts';

type Block = readonly ListedSegment[];

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

/**
 * The media playlist of a period, for a viewer whose pass is `query` (`?pass=...` or nothing) at other nodes. Only a
 * growing one has no ENDLIST. EXT-X-DISCONTINUITY where timestamps do not go on, EXT-X-GAP for a short hole. Each
 * block's text is made once and then only cut and joined.
 */
export function renderPeriod(
  slices: readonly Slice[],
  { grows, query }: { readonly grows: boolean; readonly query: string },
): string {
  const rendered = slices.map((slice) => renderedBlock(slice));
  const targetS = Math.max(1, ...rendered.map(({ targetS }) => targetS));
  const [slice] = slices;
  const first = slice?.block[slice.from];
  const lost = gapCount(slice?.lostMs ?? 0, lostLinesMax, targetS);
  const number = Math.max(0, (first?.number ?? 0) - lost);
  let text =
    `#EXTM3U\n#EXT-X-VERSION:${first?.map === undefined ? 3 : 6}\n#EXT-X-TARGETDURATION:${targetS}\n` +
    `#EXT-X-MEDIA-SEQUENCE:${number}\n#EXT-X-PLAYLIST-TYPE:${grows ? 'EVENT' : 'VOD'}\n${grows ? startAtFirst : ''}`;
  let last: ListedSegment | undefined;
  for (const [at, slice] of slices.entries()) {
    const part = rendered[at];
    if (part === undefined) continue;
    const joined = sliceText(slice, part, last, targetS);
    text += slice.prefix === '' ? joined : joined.replaceAll(passMark, query);
    last = slice.block[slice.to - 1];
  }
  return grows ? text : `${text}#EXT-X-ENDLIST\n`;
}

/** A playlist that grows is taken for a live one, which players begin near its end. */
const startAtFirst = '#EXT-X-START:TIME-OFFSET=0,PRECISE=YES\n';

/** Stands behind each URI at another node until it is known whose playlist it is; no URI contains it. */
const passMark = '\u0000';

type Rendered = {
  readonly prefix: string;
  /** EXTINF and URI of each segment. */
  readonly text: string;
  /** Where each segment's lines begin, and where the last one's end. */
  readonly offsets: Uint32Array;
  /** Segments that do not simply follow the one before. */
  readonly breaks: readonly number[];
  readonly targetS: number;
};

const renderedBlocks = new WeakMap<Block, Rendered>();

function renderedBlock({ block, prefix }: Slice): Rendered {
  const known = renderedBlocks.get(block);
  if (known?.prefix === prefix) return known;
  const mark = prefix === '' ? '' : passMark;
  const offsets = new Uint32Array(block.length + 1);
  const breaks: number[] = [];
  const lines: string[] = [];
  // Few durations occur, and again and again: writing each anew is most of the work.
  const heads = new Map<number, string>();
  let length = 0;
  let before: ListedSegment | undefined;
  for (const segment of block) {
    const { name, durationMs } = segment;
    let head = heads.get(durationMs);
    if (head === undefined) {
      head = `#EXTINF:${(durationMs / 1_000).toFixed(3)},\n${prefix}`;
      heads.set(durationMs, head);
    }
    if (before === undefined || isBreak(before, segment)) breaks.push(lines.length);
    const line = `${head}${name}${mark}\n`;
    offsets[lines.length] = length;
    length += line.length;
    lines.push(line);
    before = segment;
  }
  offsets[block.length] = length;
  const targetS = Math.round(Math.max(...heads.keys(), 0) / 1_000);
  const rendered = { prefix, text: lines.join(''), offsets, breaks, targetS };
  renderedBlocks.set(block, rendered);
  return rendered;
}

function sliceText(
  { block, from, to, prefix, lostMs = 0 }: Slice,
  { text, offsets, breaks }: Rendered,
  last: ListedSegment | undefined,
  targetS: number,
): string {
  let joined = '';
  let begin = from;
  let before = last;
  for (const stop of [...breaks.filter((at) => at > from && at < to), to]) {
    const next = block[begin];
    const beforeMs = begin === from ? lostMs : 0;
    if (next !== undefined) joined += glue(before, next, { prefix, targetS, lostMs: beforeMs });
    joined += text.slice(offsets[begin], offsets[stop]);
    before = block[stop - 1];
    begin = stop;
  }
  return joined;
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

/** Whether timestamps go on from one segment to the next, be there a hole between them or not. */
function goesOn(before: ListedSegment, next: ListedSegment): boolean {
  return before.run === next.run && before.number < next.number;
}

function isBreak(before: ListedSegment, next: ListedSegment): boolean {
  const apartMs = next.startMs - endOf(before);
  return !goesOn(before, next) || before.map !== next.map || apartMs > joinToleranceMs;
}
