import { utf8Text } from './bytes.ts';
import { classify } from './classify.ts';
import { copyMarks, groupKey, groupsInUse, type Numbered } from './copies.ts';
import type { Frame, Layout, Mark } from './frame.ts';
import type { Ladder } from './ladder.ts';
import {
  type LocatedRendition,
  type LocatedVariant,
  locateRendition,
  locateUri,
  locateVariant,
  type OwnUri,
  type OwnVariant,
} from './located-entries.ts';
import { readEntries } from './multivariant-entries.ts';
import type { Target } from './uri-text.ts';
import { readDefinitions } from './variables.ts';

/** Why no backups are ever inserted into a playlist; its own URIs get their pass all the same. */
type NoBackups =
  /** The origin steers its players itself (EXT-X-CONTENT-STEERING or PATHWAY-ID). */
  | 'steered'
  /** An EXT-X-STREAM-INF without URI line: players do not agree on whose the next one is. */
  | 'variant-without-uri'
  /** A rung that only another host serves, or whose URI only the player knows: no ladder of ours would be complete. */
  | 'variant-elsewhere'
  | 'rendition-elsewhere'
  | 'no-variants';

/** A multivariant playlist of the origin, made ready for many viewers. */
export type MultivariantTemplate = {
  readonly ladder: Ladder;
  readonly noBackups?: NoBackups | undefined;
  readonly frame: Frame;
  /** The node's own URIs by their number in the frame. */
  readonly targets: readonly Target[];
  /** Where in the ladder each of them stands; absent for I-frame playlists. */
  readonly places: readonly (Place | undefined)[];
  /** Layouts made so far, by number of backups and rounds. */
  readonly layouts: Map<string, Layout>;
  /** Backups' targets found so far; null for a ladder that does not match. */
  readonly backupTargets: WeakMap<Ladder, readonly (Target | undefined)[] | null>;
};

type Place = { readonly list: 'variants' | 'renditions'; readonly index: number };

/**
 * Takes a multivariant playlist apart once per change at the origin; its URIs must be viewer paths already, seen from
 * `/{stream}/`. URIs of other hosts stay as they are and are not in the ladder. Undefined for a body that is no
 * multivariant playlist or not UTF-8: such a one can only be passed on as it is.
 */
export function compileMultivariant(bytes: Uint8Array): MultivariantTemplate | undefined {
  const tokens = classify(bytes);
  if (tokens.kind !== 'multivariant' || utf8Text(tokens.text) === undefined) return undefined;
  const { text, lines } = tokens;
  const definitions = readDefinitions(lines);
  const entries = readEntries(lines);
  const located = {
    variants: entries.variants.map((entry) => locateVariant(entry, definitions)),
    renditions: entries.renditions.map((entry) => locateRendition(entry, definitions)),
  };
  const own = located.variants.filter(isOwn);
  const served = located.renditions.filter(isServed);
  const isUsed = usageOf(own);
  const noBackups = entries.isSteered
    ? 'steered'
    : entries.hasVariantWithoutUri
      ? 'variant-without-uri'
      : gapOf(located, own);

  const numbering = new Numbering();
  const variants = own.map((entry, index) =>
    numbering.add(entry, entry.own.uri, { list: 'variants', index }),
  );
  const renditions = served.map((entry, index) =>
    numbering.add(entry, entry.uri, { list: 'renditions', index }),
  );
  for (const { value, from } of entries.iframeUris) {
    numbering.add(undefined, locateUri({ written: value, at: from }, definitions), undefined);
  }
  const used = renditions.filter(({ entry }) => isUsed(entry));
  const copies = noBackups === undefined ? copyMarks(text, variants, used) : [];
  // Sorting is stable: at the end of a text without final line end a query comes before inserted lines.
  const marks = [...numbering.marks, ...copies].sort((a, b) => a.at - b.at);
  const ladder = {
    variants: own.map((entry) => entry.own.variant),
    renditions: served.map((entry) => entry.rendition),
  };
  return {
    ladder,
    noBackups,
    frame: { text, marks, suffix: freeSuffix(located.renditions) },
    targets: numbering.targets,
    places: numbering.places,
    layouts: new Map(),
    backupTargets: new WeakMap(),
  };
}

/** Gives every URI that may get parameters its number, and marks its place. */
class Numbering {
  readonly targets: Target[] = [];
  readonly places: (Place | undefined)[] = [];
  readonly marks: Mark[] = [];

  add<T>(entry: T, uri: OwnUri | undefined, place: Place | undefined): Numbered<T> {
    if (uri === undefined) return { entry, target: undefined };
    const target = this.targets.push(uri.target) - 1;
    this.places.push(place);
    this.marks.push({ kind: 'query', at: uri.queryAt, target });
    return { entry, target };
  }
}

function isOwn(variant: LocatedVariant): variant is OwnVariant {
  return variant.own !== undefined;
}

function isServed({ attribute, uri }: LocatedRendition): boolean {
  return attribute === undefined || uri !== undefined;
}

function usageOf(own: readonly OwnVariant[]): (rendition: LocatedRendition) => boolean {
  const groups = groupsInUse(own);
  return ({ rendition }) => groups.has(groupKey(rendition.type, rendition.groupId));
}

/** What of the ladder this node cannot give. The origin's own redundant copies elsewhere leave no gap. */
function gapOf(
  located: {
    readonly variants: readonly LocatedVariant[];
    readonly renditions: readonly LocatedRendition[];
  },
  own: readonly OwnVariant[],
): NoBackups | undefined {
  if (own.length === 0) return 'no-variants';
  const rungs = new Set(own.map(({ rungKey }) => rungKey));
  if (located.variants.some(({ rungKey }) => !rungs.has(rungKey))) return 'variant-elsewhere';
  const isUsed = usageOf(own);
  const isGap = (rendition: LocatedRendition) => isUsed(rendition) && !isServed(rendition);
  return located.renditions.some(isGap) ? 'rendition-elsewhere' : undefined;
}

/** `-b`, or with more letters where the origin has groups that are called so. */
function freeSuffix(renditions: readonly LocatedRendition[]): string {
  let suffix = '-b';
  const isTaken = ({ rendition }: LocatedRendition) =>
    new RegExp(`${suffix}\\d+$`).test(rendition.groupId);
  while (renditions.some(isTaken)) suffix += 'b';
  return suffix;
}
