/** What the agent itself reads from a viewer's query; everything else is the player's own and kept on redirects. */
export type ViewerQuery = {
  /** The `pass` parameter as sent; several of them are kept apart by a space, which no pass contains. */
  readonly pass?: string | undefined;
  /** The query without the agent's own parameters, in the order sent. */
  readonly others: string;
  /** Whether an LL-HLS blocking reload is asked for (`_HLS_msn`, RFC 8216bis 6.2.5.2). */
  readonly blocks: boolean;
};

/** Parameters that the agent adds to URLs and takes away again. */
const ownParameters = new Set(['pass', 'round']);

/** Splits a raw query (no leading `?`). Nothing is decoded: passes are URL-safe as they are. */
export function readViewerQuery(query: string): ViewerQuery {
  const parameters = query === '' ? [] : query.split('&');
  const passes = parameters.flatMap((parameter) =>
    nameOf(parameter) === 'pass' ? [parameter.slice('pass='.length)] : [],
  );
  return {
    pass: passes.length === 0 ? undefined : passes.join(' '),
    others: parameters.filter((parameter) => !ownParameters.has(nameOf(parameter))).join('&'),
    blocks: parameters.some((parameter) => nameOf(parameter) === '_HLS_msn'),
  };
}

function nameOf(parameter: string): string {
  const equals = parameter.indexOf('=');
  return equals < 0 ? parameter : parameter.slice(0, equals);
}
