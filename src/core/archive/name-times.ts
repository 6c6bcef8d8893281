import { parseDateTime } from '../playlist/program-date-time.ts';
import type { UnixMs } from '../time.ts';

/** Reads the time from the path of a file below its folder; undefined where it has none. */
export type ReadNameTime = (path: string) => UnixMs | undefined;

const placeholders: Readonly<Record<string, string>> = {
  '%Y': '(?<Y>\\d{4})',
  '%m': '(?<m>\\d\\d)',
  '%d': '(?<d>\\d\\d)',
  '%H': '(?<H>\\d\\d)',
  '%M': '(?<M>\\d\\d)',
  '%S': '(?<S>\\d\\d)',
  '%s': '(?<unix>\\d{9,11})',
  '{unix}': '(?<unix>\\d{9,11})',
  '{ms}': '(?<ms>\\d{12,14})',
};

/**
 * Makes a reader of a pattern such as `%Y/%m/%d/%H/%M/%S`, `seg-{unix}` or `{ms}`: strftime's words in UTC, or Unix time in
 * seconds or ms. The pattern may stand anywhere in the path, but not beside further digits; what it leaves out is zero.
 * Undefined for a pattern without a date or a Unix time, or with a placeholder twice.
 */
export function compileNameTimes(pattern: string): ReadNameTime | undefined {
  const parts = pattern.split(/(%[A-Za-z]|\{(?:unix|ms)\})/);
  const used = parts.filter((part) => Object.hasOwn(placeholders, part));
  const isDate = ['%Y', '%m', '%d'].every((part) => used.includes(part));
  const isUnix = used.some((part) => part === '%s' || part.startsWith('{'));
  if (isDate === isUnix || new Set(used).size !== used.length || (isUnix && used.length > 1))
    return undefined;
  const source = parts
    .map((part) => placeholders[part] ?? part.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'))
    .join('');
  const form = new RegExp(`(?<!\\d)${source}(?!\\d)`);
  return (path) => {
    const found = form.exec(path)?.groups;
    if (found === undefined) return undefined;
    if (found.ms !== undefined) return Number(found.ms);
    if (found.unix !== undefined) return Number(found.unix) * 1_000;
    const { Y, m, d, H = '00', M = '00', S = '00' } = found;
    return parseDateTime(`${Y}-${m}-${d}T${H}:${M}:${S}Z`);
  };
}
