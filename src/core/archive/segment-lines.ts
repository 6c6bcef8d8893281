import { joinToleranceMs } from './coverage.ts';
import { GrowingBytes } from './growing-bytes.ts';
import { endOf, type ListedSegment } from './take-segments.ts';

type Block = readonly ListedSegment[];

/** The lines of a block's segments in a playlist, EXTINF and URI each. Of a block that grows they are the same, and grow. */
export type SegmentLines = {
  /** Stands before each name; empty for this node's own. */
  readonly prefix: string;
  readonly text: GrowingBytes;
  /** Where each segment's lines begin, and where the last one's end. */
  readonly offsets: readonly number[];
  /** Segments that do not simply follow the one before. */
  readonly breaks: readonly number[];
  /** Of the longest segment. */
  readonly targetS: number;
};

type Growing = SegmentLines & {
  block: Block;
  readonly offsets: number[];
  readonly breaks: number[];
  targetS: number;
  /** By duration: few occur, and again and again. */
  readonly heads: Map<number, { readonly text: string; readonly bytes: number }>;
};

const encoder = new TextEncoder();
const ofBlocks = new WeakMap<Block, Growing>();
/** By the first segment: a block that grows is a new one, of the same segments. */
const ofFirst = new WeakMap<ListedSegment, Growing>();

/** Written once for each segment, however often it is asked for. */
export function linesOf(block: Block, prefix: string): SegmentLines {
  const known = ofBlocks.get(block);
  if (known?.prefix === prefix) return known;
  const [first] = block;
  const begun = first && ofFirst.get(first);
  const lines = begun !== undefined && goesOnFrom(begun, block, prefix) ? begun : newLines(prefix);
  extend(lines, block);
  ofBlocks.set(block, lines);
  if (first !== undefined) ofFirst.set(first, lines);
  return lines;
}

/** Whether timestamps go on from one segment to the next, be there a hole between them or not. */
export function goesOn(before: ListedSegment, next: ListedSegment): boolean {
  return before.run === next.run && before.number < next.number;
}

/** Whether something has to stand between two segments. */
export function isBreak(before: ListedSegment, next: ListedSegment): boolean {
  const apartMs = next.startMs - endOf(before);
  return !goesOn(before, next) || before.map !== next.map || apartMs > joinToleranceMs;
}

function newLines(prefix: string): Growing {
  const [text, heads] = [new GrowingBytes(), new Map()];
  return { prefix, text, block: [], offsets: [0], breaks: [], targetS: 0, heads };
}

function goesOnFrom(lines: Growing, block: Block, prefix: string): boolean {
  const { block: before } = lines;
  if (lines.prefix !== prefix || before.length > block.length) return false;
  // An hour's segments for each that comes: as cheap as can be.
  for (let at = 0; at < before.length; at += 1) if (before[at] !== block[at]) return false;
  return true;
}

function extend(lines: Growing, block: Block): void {
  const { prefix, text, offsets, breaks, heads, block: known } = lines;
  let length = text.length;
  let added = '';
  let before = known.at(-1);
  for (let at = known.length; at < block.length; at += 1) {
    const segment = block[at];
    if (segment === undefined) break;
    if (before === undefined || isBreak(before, segment)) breaks.push(at);
    const head = headOf(heads, prefix, segment.durationMs);
    added += `${head.text}${segment.name}\n`;
    length += head.bytes + segment.name.length + 1;
    offsets.push(length);
    lines.targetS = Math.max(lines.targetS, Math.round(segment.durationMs / 1_000));
    before = segment;
  }
  text.append(encoder.encode(added));
  lines.block = block;
}

function headOf(heads: Growing['heads'], prefix: string, durationMs: number) {
  const known = heads.get(durationMs);
  if (known !== undefined) return known;
  const text = `#EXTINF:${(durationMs / 1_000).toFixed(3)},\n${prefix}`;
  const head = { text, bytes: encoder.encode(text).length };
  heads.set(durationMs, head);
  return head;
}
