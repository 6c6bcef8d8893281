/** One line of a playlist; every number is an offset into the text. Nothing of the text lies outside of a line. */
export type Line = {
  /** A tag begins with `#EXT`, a comment with any other `#` (RFC 8216bis 4.1); blanks around are no part of either. */
  readonly kind: 'blank' | 'comment' | 'tag' | 'uri';
  readonly from: number;
  /** The content without blanks around it. */
  readonly at: number;
  readonly content: string;
  /** Where the line's own ending begins: carriage returns, then a line feed; on the last line there may be none. */
  readonly endingAt: number;
  readonly next: number;
  /** Of a tag: its whole name without `#`, and what follows the colon; both empty otherwise. */
  readonly name: string;
  readonly valueAt: number;
  readonly value: string;
};

/** The lines of a text in order. Only a line feed ends a line. */
export function readLines(text: string): readonly Line[] {
  const lines: Line[] = [];
  for (let from = 0; from < text.length; ) {
    const feed = text.indexOf('\n', from);
    const line = readLine(text, from, feed < 0 ? text.length : feed);
    lines.push(line);
    from = line.next;
  }
  return lines;
}

function readLine(text: string, from: number, feed: number): Line {
  let endingAt = feed;
  while (endingAt > from && text[endingAt - 1] === '\r') endingAt -= 1;
  const at = skipBlanks(text, from === 0 ? markLength(text) : from, endingAt);
  let end = endingAt;
  while (end > at && isBlank(text, end - 1)) end -= 1;
  const content = text.slice(at, end);
  const next = feed < text.length ? feed + 1 : feed;
  if (content.startsWith('#EXT')) {
    return { kind: 'tag', from, at, content, endingAt, next, ...readTag(content, at) };
  }
  const kind = content === '' ? 'blank' : content.startsWith('#') ? 'comment' : 'uri';
  return { kind, from, at, content, endingAt, next, name: '', valueAt: end, value: '' };
}

/** The name is all up to a colon or blank, so that `#EXT-X-ENDLIST-FOO` is not taken for another tag. */
function readTag(content: string, at: number): Pick<Line, 'name' | 'valueAt' | 'value'> {
  let end = 1;
  while (end < content.length && content[end] !== ':' && !isBlank(content, end)) end += 1;
  const name = content.slice(1, end);
  if (content[end] !== ':') return { name, valueAt: at + content.length, value: '' };
  const valueFrom = skipBlanks(content, end + 1, content.length);
  return { name, valueAt: at + valueFrom, value: content.slice(valueFrom) };
}

/** Length of a byte order mark, whether the text is decoded or one character per byte. */
function markLength(text: string): number {
  if (text.startsWith('\ufeff')) return 1;
  return text.startsWith('\xef\xbb\xbf') ? 3 : 0;
}

function skipBlanks(text: string, from: number, to: number): number {
  let at = from;
  while (at < to && isBlank(text, at)) at += 1;
  return at;
}

function isBlank(text: string, at: number): boolean {
  const character = text[at];
  return character === ' ' || character === '\t';
}
