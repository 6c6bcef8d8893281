/** Longest stream name, characters. */
export const streamNameLengthMax = 200;

/** What a URL path or a log line cannot carry unchanged, lone surrogates included. */
const forbiddenCharacters = /[\p{Cc}\p{Cs}\u2028\u2029?#%\\]/u;

/**
 * Why `name` cannot name a stream, or nothing when it can. Names may contain `/` and may nest (`sport`, `sport/hd`): the
 * longest name that fits a viewer's path wins. First segments of the rest that begin with `~` are the agent's own.
 */
export function streamNameFault(name: string): string | undefined {
  if (name.length < 1 || name.length > streamNameLengthMax)
    return `must have 1 to ${streamNameLengthMax} characters`;
  if (forbiddenCharacters.test(name))
    return 'must not contain control characters, "?", "#", "%" or "\\"';
  const segments = name.split('/');
  if (segments.includes('')) return 'must not begin or end with "/" nor contain "//"';
  if (segments.some((segment) => segment === '.' || segment === '..'))
    return 'must not have "." or ".." between slashes';
  if (segments.some((segment) => segment.startsWith('~')))
    return 'must not have "~" at its beginning or after a slash';
  return undefined;
}
