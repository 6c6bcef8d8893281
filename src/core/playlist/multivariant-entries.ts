import { type Attribute, attributeValue, readAttributes } from './attributes.ts';
import type { Rendition } from './ladder.ts';
import type { Line } from './lines.ts';

/** An EXT-X-STREAM-INF line and its URI line; comments and other tags may stand between them. */
export type VariantEntry = {
  readonly line: Line;
  readonly attributes: readonly Attribute[];
  readonly uri: Line;
};

/** An EXT-X-MEDIA line of a type that has playlists. */
export type RenditionEntry = {
  readonly type: Rendition['type'];
  readonly line: Line;
  readonly attributes: readonly Attribute[];
  /** The line after which others may be inserted: not between a STREAM-INF and its URI. */
  readonly anchor: Line;
};

export type MultivariantEntries = {
  readonly variants: readonly VariantEntry[];
  readonly renditions: readonly RenditionEntry[];
  /** URI attributes of EXT-X-I-FRAME-STREAM-INF. */
  readonly iframeUris: readonly Attribute[];
  /** The origin steers its players itself: EXT-X-CONTENT-STEERING, or a PATHWAY-ID anywhere. */
  readonly isSteered: boolean;
  /** An EXT-X-STREAM-INF has no URI line: players do not agree on whose the next one is. */
  readonly hasVariantWithoutUri: boolean;
};

/** The entries of a multivariant playlist in order. URI lines that belong to no STREAM-INF are no entries. */
export function readEntries(lines: readonly Line[]): MultivariantEntries {
  const { variants, hasVariantWithoutUri } = readVariants(lines);
  return {
    variants,
    renditions: lines.flatMap((line) => readRendition(line, variants)),
    iframeUris: lines.flatMap(readIframeUri),
    isSteered: lines.some(isSteering),
    hasVariantWithoutUri,
  };
}

function readVariants(lines: readonly Line[]) {
  const variants: VariantEntry[] = [];
  let hasVariantWithoutUri = false;
  let pending: Line | undefined;
  for (const line of lines) {
    if (line.name === 'EXT-X-STREAM-INF') {
      hasVariantWithoutUri ||= pending !== undefined;
      pending = line;
    } else if (line.kind === 'uri' && pending !== undefined) {
      variants.push({ line: pending, attributes: readAttributes(pending), uri: line });
      pending = undefined;
    }
  }
  return { variants, hasVariantWithoutUri: hasVariantWithoutUri || pending !== undefined };
}

function readRendition(line: Line, variants: readonly VariantEntry[]): readonly RenditionEntry[] {
  if (line.name !== 'EXT-X-MEDIA') return [];
  const attributes = readAttributes(line);
  const type = attributeValue(attributes, 'TYPE');
  if (type !== 'AUDIO' && type !== 'SUBTITLES' && type !== 'VIDEO') return [];
  const around = variants.find(
    (variant) => variant.line.from < line.from && line.from < variant.uri.from,
  );
  return [{ type, line, attributes, anchor: around?.uri ?? line }];
}

function readIframeUri(line: Line): readonly Attribute[] {
  if (line.name !== 'EXT-X-I-FRAME-STREAM-INF') return [];
  return readAttributes(line)
    .filter(({ name }) => name === 'URI')
    .slice(-1);
}

function isSteering(line: Line): boolean {
  if (line.name === 'EXT-X-CONTENT-STEERING') return true;
  return (
    line.value.includes('PATHWAY-ID') &&
    readAttributes(line).some(({ name }) => name === 'PATHWAY-ID')
  );
}
