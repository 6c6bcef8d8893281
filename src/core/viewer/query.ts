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
const ownParameters = new Set(['pass', 'round']);

const tokenParameter = 'token';

/**
 * Splits a raw query (no leading `?`). Passes are not decoded: they are URL-safe as they are. Unless `takesToken`, a
 * parameter `token` is the player's own business.
 */
export function readViewerQuery(query: string, takesToken = false): ViewerQuery {
  const parameters = query === '' ? [] : query.split('&');
  const passes = parameters.flatMap((parameter) =>
    nameOf(parameter) === 'pass' ? [parameter.slice('pass='.length)] : [],
  );
  return {
    pass: passes.length === 0 ? undefined : passes.join(' '),
    ...(takesToken && { token: tokenIn(parameters) }),
    others: parameters
      .filter((parameter) => {
        const name = nameOf(parameter);
        return !(ownParameters.has(name) || (takesToken && name === tokenParameter));
      })
      .join('&'),
    blocks: parameters.some((parameter) => nameOf(parameter) === '_HLS_msn'),
  };
}

function tokenIn(parameters: readonly string[]): string | undefined {
  const found = parameters.find((parameter) => nameOf(parameter) === tokenParameter);
  try {
    return found && decodeURIComponent(found.slice(tokenParameter.length + 1));
  } catch {
    return undefined;
  }
}

function nameOf(parameter: string): string {
  const equals = parameter.indexOf('=');
  return equals < 0 ? parameter : parameter.slice(0, equals);
}
