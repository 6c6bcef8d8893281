import { attributeValue, readAttributes } from './attributes.ts';
import { playlistLimits } from './classify.ts';
import type { Line } from './lines.ts';

/** Values of the playlist's own variables by name. */
export type Definitions = ReadonlyMap<string, string>;

/** Definitions beyond this number are not known. */
const definitionsMax = 1000;

/**
 * The variables that a playlist defines by NAME and VALUE (RFC 8216bis 4.4.2.3). QUERYPARAM and IMPORT are not among
 * them: their values are the player's.
 */
export function readDefinitions(lines: readonly Line[]): Definitions {
  const definitions = new Map<string, string>();
  for (const line of lines) {
    if (line.name !== 'EXT-X-DEFINE' || definitions.size === definitionsMax) continue;
    const attributes = readAttributes(line);
    const name = attributeValue(attributes, 'NAME');
    if (name !== undefined) definitions.set(name, attributeValue(attributes, 'VALUE') ?? '');
  }
  return definitions;
}

/**
 * What a text with `{$name}` references means. Only to compute with: the text itself is never replaced for it. Undefined
 * when a variable is not known or the result would be longer than a line may be.
 */
export function resolveVariables(text: string, definitions: Definitions): string | undefined {
  if (!text.includes('{$')) return text;
  let resolved = '';
  let done = 0;
  for (const reference of text.matchAll(/\{\$([\w-]+)\}/g)) {
    const value = definitions.get(reference[1] ?? '');
    if (value === undefined) return undefined;
    resolved += text.slice(done, reference.index) + value;
    if (resolved.length > playlistLimits.lineBytesMax) return undefined;
    done = reference.index + reference[0].length;
  }
  return resolved + text.slice(done);
}
