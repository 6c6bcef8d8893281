import { dashEntryPath, type OriginPlace } from './origin-paths.ts';

/** What is known of an MPD (ISO/IEC 23009-1) without reading it as XML: enough to judge and to serve it. */
export type Mpd = {
  readonly isDynamic: boolean;
  /** Present where the text must change with every segment: a live MPD that lists its segments. */
  readonly segmentDurationMsMax?: number | undefined;
  /** Where its first start tag ends: what is inserted goes after it. */
  readonly contentAt: number;
};

/** Where a Location of an MPD goes: in place of the text between `from` and `to`. */
export type LocationPlace = {
  readonly from: number;
  readonly to: number;
  /** Whether only its value stands there; else it is to be inserted whole. */
  readonly isValue: boolean;
};

const startTag = /^<MPD(?:\s(?:[^>"']|"[^"]*"|'[^']*')*)?>/;
/** Longest start tag, and most of what may stand before it, characters. */
const startTagLengthMax = 16 * 1024;

/** Reads an MPD's start tag. Undefined when the text is no MPD, or one without content. */
export function readMpd(text: string): Mpd | undefined {
  const visible = maskComments(text);
  const at = visible.indexOf('<MPD');
  const [tag] = startTag.exec(visible.slice(at, at + startTagLengthMax)) ?? [];
  const isFirst =
    at <= startTagLengthMax && /^\uFEFF?\s*(?:<\?[^>]*\?>\s*)*$/.test(visible.slice(0, at));
  if (at < 0 || tag === undefined || !isFirst || tag.endsWith('/>')) return undefined;
  const isDynamic = attribute(tag, 'type') === 'dynamic';
  const isListed = isDynamic && visible.includes('<SegmentTimeline');
  return {
    isDynamic,
    segmentDurationMsMax: isListed ? durationMs(attribute(tag, 'maxSegmentDuration')) : undefined,
    contentAt: at + tag.length,
  };
}

/**
 * The MPD, found at `url`, as viewers get it at `/{stream}/manifest.mpd`: spliced, never written anew. Its own BaseURL
 * and Location elements that point to the origin are made relative to there; where it has no BaseURL and its files are
 * not found at the top of the stream, one is inserted. `prefix` is where viewers find the folder of `place`: empty or
 * `~dash/`. BaseURLs further in are relative to these and stay.
 */
export function rebaseMpd(
  text: string,
  mpd: Mpd,
  where: { place: OriginPlace; url: string; prefix: string },
): string {
  const visible = maskComments(text);
  const periodAt = visible.indexOf('<Period', mpd.contentAt);
  const end = periodAt < 0 ? visible.length : periodAt;
  const head = visible.slice(mpd.contentAt, end);
  let hasBase = false;
  const splices: { from: number; to: number; text: string }[] = [];
  for (const element of head.matchAll(/<(BaseURL|Location)(?:\s[^>]*)?>([^<]*)<\//g)) {
    const [whole, name, value = ''] = element;
    hasBase ||= name === 'BaseURL';
    const to = mpd.contentAt + element.index + whole.length - '</'.length;
    const moved =
      name === 'BaseURL' ? viewerBase(unescapeXml(value.trim()), where) : ownPath(value, where);
    if (moved !== undefined) splices.push({ from: to - value.length, to, text: escapeXml(moved) });
  }
  const base = viewerBase('./', where);
  if (!hasBase && base !== undefined && base !== './') {
    const at = mpd.contentAt + endOf(head, 'ProgramInformation');
    splices.unshift({ from: at, to: at, text: `<BaseURL>${escapeXml(base)}</BaseURL>` });
  }
  return splice(text, splices);
}

/**
 * Where the Location of a live MPD is, or may be (behind ProgramInformation and BaseURL), in its text or in what
 * {@link rebaseMpd} made of it; undefined for any other MPD.
 */
export function locationPlace(text: string, mpd: Mpd): LocationPlace | undefined {
  if (!mpd.isDynamic) return undefined;
  const [head = ''] = maskComments(text.slice(mpd.contentAt)).split('<Period', 1);
  const known = /<Location(?:\s[^>]*)?>([^<]*)<\//.exec(head);
  if (known === null) {
    const at = mpd.contentAt + endOf(head, 'ProgramInformation|BaseURL');
    return { from: at, to: at, isValue: false };
  }
  const to = mpd.contentAt + known.index + known[0].length - '</'.length;
  return { from: to - (known[1] ?? '').length, to, isValue: true };
}

/**
 * The MPD for a viewer that was sent here: players that ask again at the address they were first given would ask a node
 * that may be gone (ISO/IEC 23009-1, 5.4). `url` is where it is found here, absolute.
 */
export function withLocation(text: string, { from, to, isValue }: LocationPlace, url: string) {
  const value = escapeXml(url);
  return splice(text, [{ from, to, text: isValue ? value : `<Location>${value}</Location>` }]);
}

/** `value` (relative to the MPD) as seen from the stream's top; undefined when it lies outside of the MPD's folder. */
function viewerBase(
  value: string,
  { place, url, prefix }: { place: OriginPlace; url: string; prefix: string },
): string | undefined {
  if (!URL.canParse(value, url)) return undefined;
  const { href } = new URL(value, url.split('?', 1)[0]);
  return href.startsWith(place.folder)
    ? prefix + href.slice(place.folder.length) || './'
    : undefined;
}

/** A Location at the origin would send viewers past the agent when they reload the MPD. */
function ownPath(
  value: string,
  { place, url }: { place: OriginPlace; url: string },
): string | undefined {
  const text = unescapeXml(value.trim());
  const isOwn = URL.canParse(text, url) && new URL(text, url).href.startsWith(place.root);
  return isOwn ? dashEntryPath : undefined;
}

/** Behind the last of the elements `names` (separated by `|`) in the head of an MPD. */
function endOf(head: string, names: string): number {
  let end = 0;
  const ends = new RegExp(`<(?:${names})\\b[^>]*/>|</(?:${names})\\s*>`, 'g');
  for (const tag of head.matchAll(ends)) end = tag.index + tag[0].length;
  return end;
}

function splice(
  text: string,
  splices: readonly { from: number; to: number; text: string }[],
): string {
  let result = '';
  let done = 0;
  for (const { from, to, text: inserted } of [...splices].sort((a, b) => a.from - b.from)) {
    result += text.slice(done, from) + inserted;
    done = to;
  }
  return result + text.slice(done);
}

/** The text with comments and CDATA blanked, every character in its place. */
function maskComments(text: string): string {
  const starts = /<!--|<!\[CDATA\[/g;
  let masked = '';
  let done = 0;
  for (let start = starts.exec(text); start !== null; start = starts.exec(text)) {
    const ending = start[0] === '<!--' ? '-->' : ']]>';
    const found = text.indexOf(ending, starts.lastIndex);
    const to = found < 0 ? text.length : found + ending.length;
    masked += text.slice(done, start.index) + ' '.repeat(to - start.index);
    done = to;
    starts.lastIndex = to;
  }
  return masked + text.slice(done);
}

function attribute(tag: string, name: string): string | undefined {
  const match = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`).exec(tag);
  return match?.[1] ?? match?.[2];
}

/** An xs:duration of days, hours, minutes and seconds; anything longer is no segment. */
function durationMs(text: string | undefined): number | undefined {
  const match =
    /^P(?:0+Y)?(?:0+M)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/.exec(
      text ?? '',
    );
  if (match === null) return undefined;
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = match
    .slice(1)
    .map((part) => Number(part ?? 0));
  const ms = (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000;
  return ms > 0 ? ms : undefined;
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

function unescapeXml(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&quot;', '"').replaceAll('&amp;', '&');
}
