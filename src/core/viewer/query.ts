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
  if (query === '') return { others: '', blocks: false };
  const others: string[] = [];
  let pass: string | undefined;
  let blocks = false;
  for (const parameter of query.split('&')) {
    const equals = parameter.indexOf('=');
    const name = equals < 0 ? parameter : parameter.slice(0, equals);
    if (name === 'pass') {
      const value = equals < 0 ? '' : parameter.slice(equals + 1);
      pass = pass === undefined ? value : `${pass} ${value}`;
    }
    if (name === '_HLS_msn') blocks = true;
    if (!ownParameters.has(name)) others.push(parameter);
  }
  return { pass, others: others.join('&'), blocks };
}
