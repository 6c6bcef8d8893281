import { latin1Text } from './bytes.ts';
import { type Line, readLines } from './lines.ts';

/** Most of a playlist that is looked at; anything beyond is passed on as it is and offered to nobody. */
export const playlistLimits = {
  bodyBytesMax: 8 * 1024 * 1024,
  lineBytesMax: 64 * 1024,
  linesMax: 400_000,
  segmentsMax: 50_000,
  variantsMax: 200,
  renditionsMax: 400,
} as const;

/** Why a body is left alone. */
type Untouchable =
  | 'empty'
  | 'too-large'
  | 'line-too-long'
  | 'too-many-lines'
  | 'too-many-segments'
  | 'too-many-variants'
  | 'too-many-renditions'
  | 'lone-cr'
  | 'html'
  | 'no-extm3u'
  | 'iptv-list'
  | 'both-kinds'
  | 'neither-kind';

/** A playlist taken apart: its text, one character per byte, and the lines of it. */
export type Tokens = {
  readonly kind: 'multivariant' | 'media';
  readonly text: string;
  readonly lines: readonly Line[];
};

type Classification = Tokens | { readonly kind: 'untouchable'; readonly why: Untouchable };

/**
 * Which kind of playlist a body is, with its lines for whoever goes on reading, or why it must be left alone: it is no
 * HLS playlist (an error page, a list of channels), it is beyond a limit of {@link playlistLimits}, or players would
 * disagree on what it is. Never throws.
 */
export function classify(bytes: Uint8Array): Classification {
  const shapeFault = faultOfShape(bytes);
  if (shapeFault !== undefined) return { kind: 'untouchable', why: shapeFault };
  const text = latin1Text(bytes);
  const lines = readLines(text);
  const kind = faultOfStart(lines) ?? kindOf(countTags(lines));
  if (kind === 'multivariant' || kind === 'media') return { kind, text, lines };
  return { kind: 'untouchable', why: kind };
}

const carriageReturn = 13;
const lineFeed = 10;

/** What can be said before a single line is kept in memory. */
function faultOfShape(bytes: Uint8Array): Untouchable | undefined {
  if (bytes.length > playlistLimits.bodyBytesMax) return 'too-large';
  let lines = 0;
  let from = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === lineFeed) {
      if (at + 1 - from > playlistLimits.lineBytesMax) return 'line-too-long';
      lines += 1;
      from = at + 1;
    } else if (byte === carriageReturn && !isEnding(bytes[at + 1])) {
      // Some players end a line here, others do not.
      return 'lone-cr';
    }
  }
  if (bytes.length - from > playlistLimits.lineBytesMax) return 'line-too-long';
  if (from < bytes.length) lines += 1;
  return lines > playlistLimits.linesMax ? 'too-many-lines' : undefined;
}

function isEnding(byte: number | undefined): boolean {
  return byte === carriageReturn || byte === lineFeed;
}

function faultOfStart(lines: readonly Line[]): Untouchable | undefined {
  const first = lines.find((line) => line.kind === 'tag' || line.kind === 'uri');
  if (first === undefined) {
    return lines.every((line) => line.kind === 'blank') ? 'empty' : 'no-extm3u';
  }
  if (first.content.startsWith('<')) return 'html';
  if (first.name !== 'EXTM3U') return 'no-extm3u';
  return /tvg-url=/i.test(first.content) ? 'iptv-list' : undefined;
}

type Counts = {
  segments: number;
  variants: number;
  renditions: number;
  otherOfMedia: number;
  otherOfMultivariant: number;
  channels: number;
};

/** IPTV lists say -1 for "no end" and put the channel's attributes before the comma. */
function isChannel(value: string): boolean {
  if (value.startsWith('-')) return true;
  return value.includes('=') && /^[^,]*\b(?:tvg-[a-z]+|group-title|catchup)=/i.test(value);
}

function countTags(lines: readonly Line[]): Counts {
  const counts = {
    segments: 0,
    variants: 0,
    renditions: 0,
    otherOfMedia: 0,
    otherOfMultivariant: 0,
    channels: 0,
  };
  for (const line of lines) {
    switch (line.name) {
      case 'EXTINF':
        counts.segments += 1;
        if (isChannel(line.value)) counts.channels += 1;
        break;
      case 'EXT-X-TARGETDURATION':
        counts.otherOfMedia += 1;
        break;
      case 'EXT-X-STREAM-INF':
        counts.variants += 1;
        break;
      case 'EXT-X-MEDIA':
        counts.renditions += 1;
        break;
      case 'EXT-X-I-FRAME-STREAM-INF':
        counts.otherOfMultivariant += 1;
        break;
    }
  }
  return counts;
}

function kindOf(counts: Counts): 'multivariant' | 'media' | Untouchable {
  const isMedia = counts.segments + counts.otherOfMedia > 0;
  if (counts.channels > 0) return 'iptv-list';
  if (isMedia && counts.variants > 0) return 'both-kinds';
  if (counts.segments > playlistLimits.segmentsMax) return 'too-many-segments';
  if (counts.variants > playlistLimits.variantsMax) return 'too-many-variants';
  if (counts.renditions > playlistLimits.renditionsMax) return 'too-many-renditions';
  if (isMedia) return 'media';
  const others = counts.variants + counts.renditions + counts.otherOfMultivariant;
  return others > 0 ? 'multivariant' : 'neither-kind';
}
