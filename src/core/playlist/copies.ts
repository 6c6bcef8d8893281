import type { Copy, Mark } from './frame.ts';
import type { Line } from './lines.ts';
import type { LocatedRendition, OwnVariant } from './located-entries.ts';

/** An entry with the number of its URI in the frame. */
export type Numbered<T> = { readonly entry: T; readonly target: number | undefined };

const groupAttributes = { AUDIO: 'audio', SUBTITLES: 'subtitles', VIDEO: 'video' } as const;
type GroupType = keyof typeof groupAttributes;

/** Type and id of every group that a variant of ours is in. */
export function groupsInUse(variants: readonly OwnVariant[]): ReadonlySet<string> {
  const keys = new Set<string>();
  for (const { own } of variants) {
    for (const type of Object.keys(groupAttributes) as GroupType[]) {
      const id = own.variant[groupAttributes[type]];
      if (id !== undefined) keys.add(groupKey(type, id));
    }
  }
  return keys;
}

export function groupKey(type: GroupType, id: string): string {
  return `${type} ${id}`;
}

/**
 * Where lines for backups go: a rendition's copies right after it, a variant's right after its URI. A video that is
 * listed with several audio groups gets them after its last listing, node by node (A·g1 A·g2 B·g1 B·g2): between its
 * own listings hls.js would take each group for another redundant copy (`docs/playlists.md`).
 */
export function copyMarks(
  text: string,
  variants: readonly Numbered<OwnVariant>[],
  renditions: readonly Numbered<LocatedRendition>[],
): readonly Mark[] {
  const cloned = new Set(
    renditions.map(({ entry: { rendition } }) => groupKey(rendition.type, rendition.groupId)),
  );
  const firstFeed = text.indexOf('\n');
  const usualEnding = firstFeed > 0 && text[firstFeed - 1] === '\r' ? '\r\n' : '\n';
  const mark = (anchor: Line, copies: (ending: string) => Copy[], repeats: boolean): Mark => {
    const isAtEnd = anchor.next === anchor.endingAt;
    const ending = isAtEnd ? usualEnding : text.slice(anchor.endingAt, anchor.next);
    return { kind: 'copies', at: anchor.next, copies: copies(ending), ending, isAtEnd, repeats };
  };
  return [
    ...renditions.map((numbered) =>
      mark(numbered.entry.entry.anchor, () => [renditionCopy(text, numbered)], false),
    ),
    ...blocksOf(variants).map(({ members, anchor }) =>
      mark(anchor, (e) => members.map((member) => variantCopy(text, member, cloned, e)), true),
    ),
  ];
}

type Block = { readonly members: Numbered<OwnVariant>[]; anchor: Line };

/** Variants of one URI that are one rung, or follow each other. */
function blocksOf(variants: readonly Numbered<OwnVariant>[]): readonly Block[] {
  const blocks: Block[] = [];
  const byRung = new Map<string, Block>();
  let last: { path: string; block: Block } | undefined;
  for (const numbered of variants) {
    const { own, rungKey, entry } = numbered.entry;
    const { path } = own.uri;
    const key = `${path}\n${rungKey}`;
    let block = byRung.get(key) ?? (last?.path === path ? last.block : undefined);
    if (block === undefined) {
      block = { members: [], anchor: entry.uri };
      blocks.push(block);
    }
    block.members.push(numbered);
    block.anchor = entry.uri;
    byRung.set(key, block);
    last = { path, block };
  }
  return blocks;
}

function variantCopy(
  text: string,
  { entry, target }: Numbered<OwnVariant>,
  cloned: ReadonlySet<string>,
  ending: string,
): Copy {
  const { line, attributes } = entry.entry;
  const nameEnds = (Object.keys(groupAttributes) as GroupType[]).flatMap((type) => {
    const id = entry.own.variant[groupAttributes[type]];
    if (id === undefined || !cloned.has(groupKey(type, id))) return [];
    return attributes.findLast(({ name }) => name === type)?.to ?? [];
  });
  const pieces = cut(text, { from: line.from, to: line.endingAt, at: nameEnds });
  return { before: [...pieces.slice(0, -1), `${pieces.at(-1)}${ending}`], target, after: [''] };
}

function renditionCopy(text: string, { entry, target }: Numbered<LocatedRendition>): Copy {
  const { line, attributes } = entry.entry;
  const nameEnd = attributes.findLast(({ name }) => name === 'GROUP-ID')?.to ?? line.endingAt;
  const uri = entry.attribute ?? { from: line.endingAt, to: line.endingAt };
  return {
    before: cut(text, { from: line.from, to: uri.from, at: [nameEnd] }),
    target,
    after: cut(text, { from: uri.to, to: line.endingAt, at: [nameEnd] }),
  };
}

/** The text between two offsets in pieces, cut where `at` says; cuts outside of it are ignored. */
function cut(
  text: string,
  span: { readonly from: number; readonly to: number; readonly at: readonly number[] },
): string[] {
  const cuts = span.at.filter((at) => at > span.from && at <= span.to).sort((a, b) => a - b);
  const starts = [span.from, ...cuts];
  return starts.map((start, index) => text.slice(start, starts[index + 1] ?? span.to));
}
