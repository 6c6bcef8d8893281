import { attributeValue, readAttributes } from '../playlist/attributes.ts';
import { classify } from '../playlist/classify.ts';
import { readEntries } from '../playlist/multivariant-entries.ts';
import { meantUri } from '../playlist/uri-text.ts';
import { readDefinitions } from '../playlist/variables.ts';

/** One way through a multivariant playlist: a node (or its second listing) with its rungs, in the order of the playlist. */
export type ProbePlace = {
  /** Absolute. */
  readonly rungs: readonly string[];
};

/** What players take redundant variants by, see `docs/playlists.md`. */
const keyNames = ['BANDWIDTH', 'RESOLUTION', 'FRAME-RATE', 'CODECS', 'VIDEO-RANGE', 'HDCP-LEVEL'];

/**
 * The ways that a player finds in a multivariant playlist read at `url`: the n-th copy of every variant makes the n-th one.
 * Undefined for a body that is no multivariant playlist; URIs that cannot be read are left out.
 */
export function readPlaces(
  bytes: Uint8Array,
  url: string,
): { readonly places: readonly ProbePlace[]; readonly lowestRung: number } | undefined {
  const tokens = classify(bytes);
  if (tokens.kind !== 'multivariant') return undefined;
  const definitions = readDefinitions(tokens.lines);
  const places: string[][] = [];
  const bandwidths: number[] = [];
  const copies = new Map<string, number>();
  for (const { line, uri } of readEntries(tokens.lines).variants) {
    const written = meantUri(uri.content, definitions) ?? uri.content;
    if (!URL.canParse(written, url)) continue;
    const attributes = readAttributes(line);
    const key = keyNames.map((name) => attributeValue(attributes, name) ?? '').join('|');
    const copy = copies.get(key) ?? 0;
    copies.set(key, copy + 1);
    if (copy === 0) bandwidths.push(Number(attributeValue(attributes, 'BANDWIDTH')) || 0);
    const rungs = places[copy] ?? [];
    places[copy] = rungs;
    rungs.push(new URL(written, url).href);
  }
  const lowestRung = Math.max(0, bandwidths.indexOf(Math.min(...bandwidths)));
  return { places: places.map((rungs) => ({ rungs })), lowestRung };
}
