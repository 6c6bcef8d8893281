/** A query taken apart; names are compared as they stand, values are decoded. */
export type Parameters = {
  /** The first value of a name, empty for one without `=`; undefined if there is none, and as sent if it cannot be decoded. */
  get(name: string): string | undefined;
  /** The query without parameters of these names, otherwise as sent. */
  without(...names: readonly string[]): string;
};

/** Parameters of one query that are looked at. */
const parametersMax = 100;

/** @param query without `?` */
export function readParameters(query: string): Parameters {
  const parts = query === '' ? [] : query.split('&');
  const values = new Map<string, string>();
  for (const part of parts.slice(0, parametersMax)) {
    const name = nameOf(part);
    if (!values.has(name)) values.set(name, decoded(part.slice(name.length + 1)));
  }
  return {
    get: (name) => values.get(name),
    without: (...names) => parts.filter((part) => !names.includes(nameOf(part))).join('&'),
  };
}

function nameOf(part: string): string {
  return part.split('=', 1)[0] ?? '';
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
