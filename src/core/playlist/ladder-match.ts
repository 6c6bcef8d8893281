import type { ReasonCode } from '../reasons.ts';
import type { Ladder, Rendition, Variant } from './ladder.ts';
import { viewerPath } from './uri-text.ts';

/** BANDWIDTH of a backup's rung is at most this many times ours, in ladders of more than one rung. */
const bandwidthRatioMax = 1.25;

/** URIs of the other ladder, index by index of ours; undefined for a rendition without URI or in no group in use. */
export type LadderMatch = {
  readonly variants: readonly string[];
  readonly renditions: readonly (string | undefined)[];
};

/**
 * Why `theirs` cannot back up `own`; empty when it can. Both must have the same number of variants in the same order
 * with the same codecs (in any order and letter case, or said by neither); in ladders of more than one rung theirs may
 * ask for at most 1.25 times our bandwidth, and resolutions are equal where both say them. The groups in use must hold
 * the same renditions by type, name and language in the same order, with a URI where ours have one (design: a player
 * moves with the rung's place in the ladder, `docs/playlists.md`).
 */
export function compareLadders(own: Ladder, theirs: Ladder): readonly ReasonCode[] {
  return matchLadders(own, theirs) === undefined ? ['rungs-differ'] : [];
}

/** {@link compareLadders}, with the URIs that go together; undefined when it has a reason. */
export function matchLadders(own: Ladder, theirs: Ladder): LadderMatch | undefined {
  const count = own.variants.length;
  if (count === 0 || theirs.variants.length !== count) return undefined;
  const renditions = own.renditions.map((): string | undefined => undefined);
  const groups: GroupPairs = { theirsByOwn: new Map(), ownByTheirs: new Map() };
  for (const [index, ownVariant] of own.variants.entries()) {
    const theirVariant = theirs.variants[index];
    if (theirVariant === undefined || !isSameRung(ownVariant, theirVariant, count > 1)) {
      return undefined;
    }
    for (const type of groupTypes) {
      const ownGroup = groupOf(own, type, ownVariant);
      const theirGroup = groupOf(theirs, type, theirVariant);
      if (!isSameGroup(ownGroup, theirGroup) || !pair(groups, ownGroup, theirGroup))
        return undefined;
      for (const [place, member] of ownGroup.entries()) {
        renditions[member.index] = theirGroup[place]?.rendition.uri;
      }
    }
  }
  return { variants: theirs.variants.map((variant) => variant.uri), renditions };
}

function isSameRung(own: Variant, theirs: Variant, isLadder: boolean): boolean {
  if (viewerPath(theirs.uri) === undefined || codecSet(own) !== codecSet(theirs)) return false;
  if (!isLadder) return true;
  const isResolutionEqual =
    own.resolution === undefined ||
    theirs.resolution === undefined ||
    own.resolution.toLowerCase() === theirs.resolution.toLowerCase();
  return isResolutionEqual && theirs.bandwidth <= own.bandwidth * bandwidthRatioMax;
}

function codecSet({ codecs }: Variant): string | undefined {
  const names = codecs?.split(',').map((codec) => codec.trim().toLowerCase());
  return names && [...new Set(names)].sort().join();
}

const groupTypes = ['AUDIO', 'SUBTITLES', 'VIDEO'] as const;

type Member = { readonly rendition: Rendition; readonly index: number };

function groupOf(ladder: Ladder, type: Rendition['type'], variant: Variant): readonly Member[] {
  const id = { AUDIO: variant.audio, SUBTITLES: variant.subtitles, VIDEO: variant.video }[type];
  return ladder.renditions
    .map((rendition, index) => ({ rendition, index }))
    .filter(({ rendition }) => rendition.type === type && rendition.groupId === id);
}

function isSameGroup(own: readonly Member[], theirs: readonly Member[]): boolean {
  return (
    own.length === theirs.length &&
    own.every(({ rendition }, place) => {
      const other = theirs[place]?.rendition;
      return other !== undefined && isSameRendition(rendition, other);
    })
  );
}

function isSameRendition(own: Rendition, theirs: Rendition): boolean {
  return (
    own.name === theirs.name &&
    own.language?.toLowerCase() === theirs.language?.toLowerCase() &&
    (own.uri === undefined) === (theirs.uri === undefined) &&
    (theirs.uri === undefined || viewerPath(theirs.uri) !== undefined)
  );
}

type GroupPairs = {
  readonly theirsByOwn: Map<string, string>;
  readonly ownByTheirs: Map<string, string>;
};

/** Remembers that two groups go together; false when one of them already goes with another. */
function pair(pairs: GroupPairs, own: readonly Member[], theirs: readonly Member[]): boolean {
  const [ownFirst, theirFirst] = [own[0]?.rendition, theirs[0]?.rendition];
  if (ownFirst === undefined || theirFirst === undefined) return true;
  const ownKey = `${ownFirst.type} ${ownFirst.groupId}`;
  const theirKey = `${theirFirst.type} ${theirFirst.groupId}`;
  const theirKnown = pairs.theirsByOwn.get(ownKey) ?? theirKey;
  const ownKnown = pairs.ownByTheirs.get(theirKey) ?? ownKey;
  pairs.theirsByOwn.set(ownKey, theirKnown);
  pairs.ownByTheirs.set(theirKey, ownKnown);
  return theirKnown === theirKey && ownKnown === ownKey;
}
