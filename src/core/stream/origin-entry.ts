const entryLengthMax = 2000;

/**
 * Why `text` cannot be a stream's entry at its origin, or nothing when it can: an http(s) URL, a `file:` URL of this
 * machine or an absolute path. User names and passwords in URLs are refused (a secret belongs in the origin's query,
 * which is never logged), and so is a fragment, which no server ever sees. The text itself is not part of the answer.
 */
export function originEntryFault(text: string): string | undefined {
  if (text.length < 1 || text.length > entryLengthMax)
    return `must have 1 to ${entryLengthMax} characters`;
  if (/[\p{Cc}\p{Cs}]/u.test(text)) return 'must not contain control characters';
  if (text.startsWith('/'))
    return text.split('/').includes('..') ? 'must not have ".." between slashes' : undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) return 'must be an http(s) URL, a file: URL or an absolute path';
  if (url.hash !== '') return 'must not have a fragment ("#...")';
  switch (url.protocol) {
    case 'http:':
    case 'https:':
      return url.username === '' && url.password === ''
        ? undefined
        : 'must not hold a user name or password';
    case 'file:':
      return url.host === '' ? undefined : 'must be a file: URL without a host ("file:///...")';
    default:
      return 'must be an http(s) URL, a file: URL or an absolute path';
  }
}
