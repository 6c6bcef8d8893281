/** What the console shows, in the order of its navigation. */
export const views = ['groups', 'nodes', 'alerts', 'forecast', 'key', 'drill', 'explain'] as const;
export type View = (typeof views)[number];

/** A view, and the name of what it shows where it shows one thing. */
export type Place = { readonly view: View; readonly name?: string | undefined };

/** Where a link leads: the groups where it names no view, the whole view where its name cannot be read. */
export function placeOf(hash: string): Place {
  const [, view, name] = hash.split('/');
  return {
    view: views.find((one) => one === view) ?? 'groups',
    name: name === undefined ? undefined : decoded(name),
  };
}

/** The link to a place. */
export function hashOf({ view, name }: Place): string {
  return `#/${view}${name === undefined ? '' : `/${encodeURIComponent(name)}`}`;
}

function decoded(name: string): string | undefined {
  try {
    return decodeURIComponent(name);
  } catch {
    return undefined;
  }
}
