import type { Line } from './lines.ts';

/** One `NAME=value` of a tag; `from` and `to` enclose the value in the text, without its quotes. */
export type Attribute = {
  readonly name: string;
  readonly value: string;
  readonly isQuoted: boolean;
  readonly from: number;
  readonly to: number;
};

/**
 * The attribute list of a tag in order (RFC 8216bis 4.2). What packagers really write is read as players read it: blanks
 * around names and values, empty parts, parts without `=` (left out), a quote that is never closed (then no quote).
 */
export function readAttributes(line: Line): readonly Attribute[] {
  const list: Attribute[] = [];
  const { value: text, valueAt } = line;
  let equals = -1;
  let comma = -1;
  for (let at = 0; at < text.length; at = comma + 1) {
    // Each is looked for again only when it was passed: a line of commas alone must not cost its square.
    if (equals < at) equals = indexOrEnd(text, '=', at);
    if (comma < at) comma = indexOrEnd(text, ',', at);
    if (equals === text.length) break;
    if (comma < equals) continue;
    const span = valueSpan(text, equals + 1, comma);
    if (span.to > comma) comma = indexOrEnd(text, ',', span.to);
    list.push({
      name: text.slice(at, equals).trim(),
      value: text.slice(span.from, span.to),
      isQuoted: span.isQuoted,
      from: valueAt + span.from,
      to: valueAt + span.to,
    });
  }
  return list;
}

/** The value of the last attribute of this name, as players take it; undefined when there is none. */
export function attributeValue(list: readonly Attribute[], name: string): string | undefined {
  return list.findLast((attribute) => attribute.name === name)?.value;
}

function valueSpan(text: string, start: number, comma: number) {
  let from = start;
  while (text[from] === ' ' || text[from] === '\t') from += 1;
  const closing = text[from] === '"' ? text.indexOf('"', from + 1) : -1;
  if (closing >= 0) return { from: from + 1, to: closing, isQuoted: true };
  let to = Math.max(comma, from);
  while (to > from && (text[to - 1] === ' ' || text[to - 1] === '\t')) to -= 1;
  return { from, to, isQuoted: false };
}

function indexOrEnd(text: string, character: string, from: number): number {
  const index = text.indexOf(character, from);
  return index < 0 ? text.length : index;
}
