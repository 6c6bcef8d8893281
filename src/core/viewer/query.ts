/** What the agent itself reads from a viewer's query; everything else is the player's own and kept on redirects. */
export type ViewerQuery = {
  /** The `pass` parameter as sent; several of them are kept apart by a space, which no pass contains. */
  readonly pass?: string | undefined;
  /** The viewer's token, decoded, where tokens are asked for; then it is in no other field. */
  readonly token?: string | undefined;
  /** The query without the agent's own parameters, in the order sent. */
  readonly others: string;
  /** Whether an LL-HLS blocking reload is asked for (`_HLS_msn`, RFC 8216bis 6.2.5.2). */
  readonly blocks: boolean;
};

/** Parameters that the agent adds to URLs and takes away again. */
const passParameter = 'pass';
const roundParameter = 'round';

const tokenParameter = 'token';

/**
 * Splits a raw query (no leading `?`). Passes are not decoded: they are URL-safe as they are. Unless `takesToken`, a
 * parameter `token` is the player's own business.
 */
export function readViewerQuery(query: string, takesToken = false): ViewerQuery {
  let pass: string | undefined;
  let token: string | undefined;
  let blocks = false;
  const others: string[] = [];
  for (const parameter of query === '' ? [] : query.split('&')) {
    const name = nameOf(parameter);
    const value = parameter.slice(name.length + 1);
    if (name === passParameter) pass = pass === undefined ? value : `${pass} ${value}`;
    else if (takesToken && name === tokenParameter) token ??= value;
    else if (name !== roundParameter) others.push(parameter);
    blocks ||= name === '_HLS_msn';
  }
  return { pass, token: token && decoded(token), others: others.join('&'), blocks };
}

function decoded(value: string): string | undefined {
  try {
    return decodeURIComponent(value);
  } catch {
    return undefined;
  }
}

function nameOf(parameter: string): string {
  const equals = parameter.indexOf('=');
  return equals < 0 ? parameter : parameter.slice(0, equals);
}
