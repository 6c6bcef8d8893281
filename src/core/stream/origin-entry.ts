import { isUdpEntry, readUdpFeed } from './feed-entry.ts';

const entryLengthMax = 2000;

/**
 * Why `text` cannot be a stream's HLS entry at its origin, or nothing when it can: an http(s) URL, a `file:` URL of this
 * machine, an absolute path, or a feed by `udp:`. User names and passwords in URLs are refused (a secret belongs in the
 * origin's query, which is never logged), and so is a fragment, which no server ever sees. The text itself is not part of
 * the answer.
 */
export function originEntryFault(text: string): string | undefined {
  if (!isUdpEntry(text)) return dashEntryFault(text);
  const feed = textFault(text) ?? readUdpFeed(text);
  return typeof feed === 'string' ? feed : undefined;
}

/** The same for the entry of an MPD, which no feed can be. */
export function dashEntryFault(text: string): string | undefined {
  const fault = textFault(text);
  if (fault !== undefined) return fault;
  if (text.startsWith('/'))
    return text.split('/').includes('..') ? 'must not have ".." between slashes' : undefined;
  return URL.canParse(text) ? urlFault(new URL(text)) : formFault;
}

function textFault(text: string): string | undefined {
  if (text.length < 1 || text.length > entryLengthMax)
    return `must have 1 to ${entryLengthMax} characters`;
  return /[\p{Cc}\p{Cs}]/u.test(text) ? 'must not contain control characters' : undefined;
}

const formFault = 'must be an http(s) URL, a file: URL or an absolute path';

function urlFault(url: URL): string | undefined {
  if (url.hash !== '') return 'must not have a fragment ("#...")';
  if (url.protocol === 'file:')
    return url.host !== '' || url.search !== ''
      ? 'must be a file: URL without host or query ("file:///...")'
      : undefined;
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return formFault;
  return url.username !== '' || url.password !== ''
    ? 'must not hold a user name or password'
    : undefined;
}
