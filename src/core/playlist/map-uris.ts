import { readAttributes } from './attributes.ts';
import { latin1Bytes } from './bytes.ts';
import { classify, type Tokens } from './classify.ts';
import type { Line } from './lines.ts';
import { meantUri } from './uri-text.ts';
import { readDefinitions } from './variables.ts';

/** What a URI in a playlist names; `other` is session data, interstitials' lists, and what tags unknown here name. */
export type UriUse = 'playlist' | 'segment' | 'part' | 'map' | 'key' | 'steering' | 'other';

/**
 * Replaces the URIs of a playlist of either kind and nothing else; every other byte stays. `map` is given each URI line
 * and each URI attribute in order, as ASCII (bytes above 0x7F percent-encoded, `{$name}` of the playlist's own variables
 * resolved) and answers with the URI to write, or with undefined or the same text to leave it exactly as it stands. The
 * very same `bytes` come back when nothing changes, and for a body that {@link classify} refuses. URIs with variables
 * that only the player knows are left alone, and so is one whose answer could not stand there (blanks, quotes, line
 * ends, bytes above 0x7F; in a value without quotes, commas).
 */
export function mapUris(
  bytes: Uint8Array,
  map: (uri: string, use: UriUse) => string | undefined,
): Uint8Array {
  const tokens = classify(bytes);
  if (tokens.kind === 'untouchable') return bytes;
  const definitions = readDefinitions(tokens.lines);
  let mapped = '';
  let done = 0;
  for (const span of uriSpans(tokens)) {
    const asked = meantUri(tokens.text.slice(span.from, span.to), definitions);
    if (asked === undefined) continue;
    const answer = map(asked, span.use);
    if (answer === undefined || answer === asked || !canStand(answer, span)) continue;
    mapped += tokens.text.slice(done, span.from) + answer;
    done = span.to;
  }
  return done === 0 ? bytes : latin1Bytes(mapped + tokens.text.slice(done));
}

type UriSpan = {
  readonly from: number;
  readonly to: number;
  readonly use: UriUse;
  readonly isBare: boolean;
};

/** Tags with URIs in attributes of other names, or of another use than `other` in the attribute URI. */
const attributeUses: ReadonlyMap<string, Readonly<Record<string, UriUse>>> = new Map([
  ['EXT-X-STREAM-INF', { URI: 'playlist' }],
  ['EXT-X-I-FRAME-STREAM-INF', { URI: 'playlist' }],
  ['EXT-X-IMAGE-STREAM-INF', { URI: 'playlist' }],
  ['EXT-X-MEDIA', { URI: 'playlist' }],
  ['EXT-X-RENDITION-REPORT', { URI: 'playlist' }],
  ['EXT-X-CONTENT-STEERING', { 'SERVER-URI': 'steering' }],
  ['EXT-X-SESSION-KEY', { URI: 'key' }],
  ['EXT-X-KEY', { URI: 'key' }],
  ['EXT-X-MAP', { URI: 'map' }],
  ['EXT-X-PART', { URI: 'part' }],
  ['EXT-X-PRELOAD-HINT', { URI: 'part' }],
  ['EXT-X-DATERANGE', { 'X-ASSET-URI': 'playlist', 'X-ASSET-LIST': 'other' }],
]);
const usesOfUnknownTags: Readonly<Record<string, UriUse>> = { URI: 'other' };

function* uriSpans({ lines, kind }: Tokens): Generator<UriSpan> {
  for (const line of lines) {
    if (line.kind === 'uri') {
      const use = kind === 'media' ? 'segment' : 'playlist';
      yield { from: line.at, to: line.at + line.content.length, use, isBare: false };
    } else if (line.name === 'EXT-X-PREFETCH') {
      // Low latency before RFC 8216bis: the whole value is the URI of a segment to come.
      const to = line.valueAt + line.value.length;
      yield { from: line.valueAt, to, use: 'segment', isBare: false };
    } else if (line.value.includes('UR') || line.value.includes('X-ASSET')) {
      yield* attributeSpans(line);
    }
  }
}

function* attributeSpans(line: Line): Generator<UriSpan> {
  if (line.name === 'EXTINF') return;
  const uses = attributeUses.get(line.name) ?? usesOfUnknownTags;
  for (const { name, from, to, isQuoted } of readAttributes(line)) {
    const use = Object.hasOwn(uses, name) ? uses[name] : undefined;
    if (use !== undefined && to > from) yield { from, to, use, isBare: !isQuoted };
  }
}

function canStand(uri: string, span: UriSpan): boolean {
  return /^[\x21\x23-\x7e]+$/.test(uri) && !(span.isBare && uri.includes(','));
}
