import { layOut } from './frame.ts';
import type { Ladder } from './ladder.ts';
import { matchLadders } from './ladder-match.ts';
import type { MultivariantTemplate } from './multivariant.ts';
import { splitTarget, type Target } from './uri-text.ts';

export type RenderOptions = {
  /** Added to the query of every variant, rendition and I-frame URI; must be URL-safe. */
  readonly pass?: string | undefined;
  /** Best first. `base` is absolute, names the backup's stream and ends in `/`. */
  readonly backups: readonly { readonly base: string; readonly ladder: Ladder }[];
  /** List this node and the backups a second time, with `round=2` in the query. */
  readonly repeat: boolean;
};

/**
 * The playlist for one viewer. Backups stand right after the variant they back, with groups of their own. A backup whose
 * ladder does not match ours is left out, and so are all where the template says so; then nothing is repeated either. The
 * text is to be sent as UTF-8. Cheap: only prepared texts are joined.
 */
export function renderMultivariant(
  template: MultivariantTemplate,
  { pass, backups, repeat }: RenderOptions,
): string {
  const bases = [''];
  const targets: (readonly (Target | undefined)[])[] = [template.targets];
  for (const { base, ladder } of template.noBackups === undefined ? backups : []) {
    const found = targetsOf(template, ladder);
    if (found === null) continue;
    bases.push(base);
    targets.push(found);
  }
  const { texts, slots } = layoutFor(template, bases.length - 1, repeat);
  const queries = queriesFor(pass);
  let playlist = texts[0] ?? '';
  for (const [index, slot] of slots.entries()) {
    const target = targets[slot.node]?.[slot.target];
    if (target !== undefined) {
      const query = queries[slot.round][target.hasQuery ? 1 : 0];
      playlist += slot.isQueryOnly
        ? query
        : `${bases[slot.node]}${target.head}${query}${target.tail}`;
    }
    playlist += texts[index + 1];
  }
  return playlist;
}

/** Per round: for a URI without a query, and for one with a query. */
function queriesFor(pass: string | undefined) {
  if (pass === undefined) return { 1: ['', ''], 2: ['?round=2', '&round=2'] } as const;
  const own = `pass=${pass}`;
  return { 1: [`?${own}`, `&${own}`], 2: [`?${own}&round=2`, `&${own}&round=2`] } as const;
}

function layoutFor(template: MultivariantTemplate, backups: number, repeat: boolean) {
  const key = `${backups}${repeat ? ' twice' : ''}`;
  let layout = template.layouts.get(key);
  if (layout === undefined) {
    layout = layOut(template.frame, backups, repeat);
    template.layouts.set(key, layout);
  }
  return layout;
}

function targetsOf(template: MultivariantTemplate, ladder: Ladder) {
  const known = template.backupTargets.get(ladder);
  if (known !== undefined) return known;
  const match = matchLadders(template.ladder, ladder);
  const targets =
    match === undefined
      ? null
      : template.places.map((place) => {
          const uri = place && match[place.list][place.index];
          return uri === undefined ? undefined : splitTarget(uri);
        });
  template.backupTargets.set(ladder, targets);
  return targets;
}
