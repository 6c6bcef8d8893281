import { Parser } from 'm3u8-parser';
import { classify, type Tokens } from '../../core/playlist/classify.ts';
import type { Line } from '../../core/playlist/lines.ts';
import { type MediaPlaylist, readMediaPlaylist } from '../../core/playlist/media-playlist.ts';
import { readEntries } from '../../core/playlist/multivariant-entries.ts';
import { meantUri } from '../../core/playlist/uri-text.ts';
import { readDefinitions } from '../../core/playlist/variables.ts';

/** What two independent readers agree on. */
export type Meaning =
  | { readonly kind: 'multivariant'; readonly variants: number }
  | { readonly kind: 'media'; readonly playlist: MediaPlaylist };

/**
 * Reads a playlist with the agent's own reader and with m3u8-parser, and answers only when both see the same variants,
 * or the same segments, target duration, media sequence and end. Undefined otherwise, and for anything that is no
 * playlist: such a body is passed on as it is and not offered to anybody. Never throws.
 */
export function readMeaning(bytes: Uint8Array): Meaning | undefined {
  const tokens = classify(bytes);
  if (tokens.kind === 'untouchable') return undefined;
  const other = readWithParser(screenedCopy(tokens));
  if (other === undefined) return undefined;
  if (tokens.kind === 'multivariant') {
    const variants = readEntries(tokens.lines).variants.length;
    // URI lines that belong to no STREAM-INF are variants without attributes to the parser.
    const others = other.playlists?.filter(({ attributes }) => attributes !== undefined) ?? [];
    return others.length === variants ? { kind: 'multivariant', variants } : undefined;
  }
  const playlist = readMediaPlaylist(bytes);
  return playlist !== undefined && agree(playlist, other) ? { kind: 'media', playlist } : undefined;
}

function agree(own: MediaPlaylist, other: Parser['manifest']): boolean {
  return (
    other.segments.length === own.segments.length &&
    other.targetDuration === Math.trunc(own.targetDurationMs / 1000) &&
    (other.mediaSequence ?? own.mediaSequence) === own.mediaSequence &&
    (other.endList ?? false) === own.endList
  );
}

function readWithParser(text: string): Parser['manifest'] | undefined {
  try {
    const parser = new Parser();
    parser.push(text);
    parser.end();
    return parser.manifest;
  } catch {
    return undefined;
  }
}

/**
 * What the parser is shown: the lines whose meaning is compared, nothing else. On others it crashes (short IVs, unknown
 * types), takes time by the square (variables, long attribute lists) or writes to `Object.prototype` (`__proto__` as the
 * name of a group or a date range), see `docs/playlists.md`.
 */
function screenedCopy({ lines }: Tokens): string {
  const definitions = readDefinitions(lines);
  const screened = (line: Line): string => {
    if (line.kind === 'uri') return meantUri(line.content, definitions) ?? 'unknown';
    return shownTags.get(line.name)?.(line) ?? '';
  };
  return `${lines.map(screened).join('\n')}\n`;
}

const shownTags: ReadonlyMap<string, (line: Line) => string> = new Map([
  ['EXTM3U', () => '#EXTM3U'],
  ['EXTINF', ({ value }) => `#EXTINF:${/^[\d.]*/.exec(value)?.[0] ?? ''},`],
  ['EXT-X-ENDLIST', () => '#EXT-X-ENDLIST'],
  ['EXT-X-TARGETDURATION', withValue],
  ['EXT-X-MEDIA-SEQUENCE', withValue],
  ['EXT-X-STREAM-INF', () => '#EXT-X-STREAM-INF:BANDWIDTH=1'],
]);

function withValue({ name, value }: Line): string {
  return `#${name}:${value}`;
}
