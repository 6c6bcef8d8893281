/**
 * Viewers of one node who hold the same backups: whom their players ask, in this order, when the node dies. What nodes
 * tell each other of it feeds the forecast and the admission of viewers who are on their way.
 */
export type Assigned = {
  /** Id of the node asked first. */
  readonly first: string;
  /** Id of the node asked when the first one refuses; absent when there is none. */
  readonly second?: string | undefined;
  readonly sessions: number;
};

/** Most pairs that are told: all ordered pairs among 16 other nodes. */
export const assignedMax = 240;

/** Sessions that are alike, as they are counted. */
type Alike = {
  /** Id of the home node. */
  readonly home: string;
  readonly backups: readonly string[];
  readonly sessions: number;
};

/**
 * The pairs among `alike`, largest first, at most 240. A viewer of another node who was told no further backup goes
 * back to its home node; one of this node without backups is in none.
 */
export function assignedOf(selfId: string, alike: Iterable<Alike>): readonly Assigned[] {
  const pairs = new Map<string, { first: string; second?: string; sessions: number }>();
  for (const { home, backups, sessions } of alike) {
    const [first, second] = [...backups, home].filter((id) => id !== selfId);
    if (first === undefined || sessions === 0) continue;
    const key = `${first} ${second ?? ''}`;
    const pair = pairs.get(key);
    if (pair === undefined)
      pairs.set(key, { first, ...(second !== undefined && { second }), sessions });
    else pair.sessions += sessions;
  }
  return [...pairs.values()]
    .sort((a, b) => b.sessions - a.sessions || (order(a) < order(b) ? -1 : 1))
    .slice(0, assignedMax);
}

/** How many of a node's viewers would ask `nodeId` first. */
export function firstAskedOf(assigned: readonly Assigned[], nodeId: string): number {
  return assigned.reduce((sum, { first, sessions }) => sum + (first === nodeId ? sessions : 0), 0);
}

function order({ first, second = '' }: Assigned): string {
  return `${first} ${second}`;
}
