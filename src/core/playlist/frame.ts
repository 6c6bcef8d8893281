import { utf8Text } from './bytes.ts';

/** The origin's multivariant playlist with the places where something may be inserted; nothing of it is ever removed. */
export type Frame = {
  /** One character per byte. */
  readonly text: string;
  /** In order of `at`. */
  readonly marks: readonly Mark[];
  /** What precedes the node's number in the names of cloned groups: no group has such a name already. */
  readonly suffix: string;
};

export type Mark = { readonly at: number } & (
  | { readonly kind: 'query'; readonly target: number }
  | ({ readonly kind: 'copies' } & Copies)
);

/** Lines to insert, once per backup; with `repeats` also a second time, then for this node too. */
type Copies = {
  readonly copies: readonly Copy[];
  readonly ending: string;
  /** The line before has no ending of its own: it gets one, and the last inserted line none. */
  readonly isAtEnd: boolean;
  readonly repeats: boolean;
};

/**
 * A line (of a variant: two) with other group names and another URI. Group names end where the pieces of `before` and
 * `after` meet; the URI stands between both. Without `target` there is no URI.
 */
export type Copy = {
  readonly before: readonly string[];
  readonly target?: number | undefined;
  readonly after: readonly string[];
};

/** Fixed texts with what changes per viewer between them: `texts` has one more than `slots`. */
export type Layout = { readonly texts: readonly string[]; readonly slots: readonly Slot[] };

/** A URI of a node (0: this one, then backups in order), or only its query where the URI stands already. */
type Slot = {
  readonly node: number;
  readonly target: number;
  readonly round: 1 | 2;
  readonly isQueryOnly: boolean;
};

/** The frame laid out for a number of backups; with `repeats` every round is listed twice (A, B, C, A, B, C). */
export function layOut(frame: Frame, backups: number, repeats: boolean): Layout {
  const draft = new Draft();
  let done = 0;
  for (const mark of frame.marks) {
    draft.addText(frame.text.slice(done, mark.at));
    done = mark.at;
    if (mark.kind === 'query') {
      draft.addSlot({ node: 0, target: mark.target, round: 1, isQueryOnly: true });
      continue;
    }
    for (const { node, round } of listings(backups, repeats && mark.repeats)) {
      const suffix = node === 0 ? '' : `${frame.suffix}${node}`;
      for (const copy of mark.copies) addCopy(draft, mark, { ...copy, suffix, node, round });
    }
  }
  draft.addText(frame.text.slice(done));
  return draft.end();
}

class Draft {
  readonly #texts: string[] = [];
  readonly #slots: Slot[] = [];
  #text = '';

  addText(text: string): void {
    this.#text += text;
  }

  addSlot(slot: Slot): void {
    this.#endText();
    this.#slots.push(slot);
  }

  end(): Layout {
    this.#endText();
    return { texts: this.#texts, slots: this.#slots };
  }

  /** Texts end at ASCII characters of the playlist's syntax, so each is UTF-8 if the whole is. */
  #endText(): void {
    this.#texts.push(utf8Text(this.#text) ?? this.#text);
    this.#text = '';
  }
}

function addCopy(
  draft: Draft,
  { ending, isAtEnd }: Copies,
  copy: Copy & { suffix: string; node: number; round: 1 | 2 },
): void {
  const { before, after, target, suffix, node, round } = copy;
  draft.addText((isAtEnd ? ending : '') + before.join(suffix));
  if (target !== undefined) draft.addSlot({ node, target, round, isQueryOnly: false });
  draft.addText(after.join(suffix) + (isAtEnd ? '' : ending));
}

/** What is inserted after this node's own first listing: nothing at all without backups. */
function listings(backups: number, repeats: boolean): { node: number; round: 1 | 2 }[] {
  if (backups === 0) return [];
  const nodes = Array.from({ length: backups + 1 }, (_, node) => node);
  const first = nodes.slice(1).map((node) => ({ node, round: 1 as const }));
  return repeats ? [...first, ...nodes.map((node) => ({ node, round: 2 as const }))] : first;
}
