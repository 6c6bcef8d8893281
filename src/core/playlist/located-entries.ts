import { type Attribute, attributeValue } from './attributes.ts';
import { utf8Text } from './bytes.ts';
import type { Rendition, Variant } from './ladder.ts';
import type { RenditionEntry, VariantEntry } from './multivariant-entries.ts';
import { meantUri, splitTarget, type Target, viewerPath } from './uri-text.ts';
import { type Definitions, resolveVariables } from './variables.ts';

/** A URI of the playlist that is a viewer path of this stream. */
export type OwnUri = {
  readonly path: string;
  /** As written, variables and all: it means the same wherever it stands in this playlist. */
  readonly target: Target;
  /** Offset into the text where parameters are added. */
  readonly queryAt: number;
};

export type LocatedVariant = {
  readonly entry: VariantEntry;
  /** Absent when the variant is not below the stream by its own name. */
  readonly own?: { readonly uri: OwnUri; readonly variant: Variant } | undefined;
  /** What hls.js takes redundant variants by (`docs/playlists.md`); variants with equal keys are one rung. */
  readonly rungKey: string;
};

/** A variant that this node serves. */
export type OwnVariant = LocatedVariant & { readonly own: NonNullable<LocatedVariant['own']> };

export type LocatedRendition = {
  readonly entry: RenditionEntry;
  readonly rendition: Rendition;
  /** The attribute URI; absent for a rendition that is in the variant itself. */
  readonly attribute?: Attribute | undefined;
  /** Absent without `attribute`, and when it is not below the stream by its own name. */
  readonly uri?: OwnUri | undefined;
};

const rungAttributes = [
  'BANDWIDTH',
  'RESOLUTION',
  'FRAME-RATE',
  'CODECS',
  'VIDEO-RANGE',
  'HDCP-LEVEL',
];

export function locateVariant(entry: VariantEntry, definitions: Definitions): LocatedVariant {
  const uri = locateUri({ written: entry.uri.content, at: entry.uri.at }, definitions);
  const value = (name: string) => meaning(attributeValue(entry.attributes, name), definitions);
  const rungKey = rungAttributes.map((name) => value(name) ?? '').join('\n');
  if (uri === undefined) return { entry, rungKey };
  const variant = {
    uri: uri.path,
    bandwidth: Number.parseInt(value('BANDWIDTH') ?? '', 10) || 0,
    codecs: value('CODECS'),
    resolution: value('RESOLUTION'),
    audio: value('AUDIO'),
    subtitles: value('SUBTITLES'),
    video: value('VIDEO'),
  };
  return { entry, rungKey, own: { uri, variant } };
}

export function locateRendition(entry: RenditionEntry, definitions: Definitions): LocatedRendition {
  const value = (name: string) => meaning(attributeValue(entry.attributes, name), definitions);
  const attribute = entry.attributes.findLast(({ name }) => name === 'URI');
  const uri = attribute && locateUri({ written: attribute.value, at: attribute.from }, definitions);
  const rendition = {
    type: entry.type,
    groupId: value('GROUP-ID') ?? '',
    name: value('NAME') ?? '',
    language: value('LANGUAGE'),
    uri: uri?.path,
  };
  return { entry, rendition, attribute, uri };
}

/** Undefined for a URI that is elsewhere, or whose place only the player can know. */
export function locateUri(
  { written, at }: { readonly written: string; readonly at: number },
  definitions: Definitions,
): OwnUri | undefined {
  const meant = meantUri(written, definitions);
  const path = meant === undefined ? undefined : viewerPath(meant);
  if (path === undefined) return undefined;
  const { head, tail } = splitTarget(written);
  const { hasQuery, tail: meantTail } = splitTarget(path);
  // A fragment that comes out of a variable leaves no place for a query.
  if ((tail === '') !== (meantTail === '')) return undefined;
  const decoded = { head: utf8Text(head) ?? head, hasQuery, tail: utf8Text(tail) ?? tail };
  return { path, target: decoded, queryAt: at + head.length };
}

function meaning(value: string | undefined, definitions: Definitions): string | undefined {
  if (value === undefined) return undefined;
  const meant = resolveVariables(value, definitions) ?? value;
  return utf8Text(meant) ?? meant;
}
