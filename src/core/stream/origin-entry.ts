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
  return URL.canParse(text) ? urlFault(new URL(text)) : formFault;
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
