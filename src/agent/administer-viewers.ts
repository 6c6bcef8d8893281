import type { Peer } from '../core/group/node.ts';
import type { Now } from '../core/time.ts';
import type { Drain, DrainView } from './drain.ts';

export type ViewersDeps = {
  readonly drain: Pick<Drain, 'begin' | 'end' | 'view'>;
  readonly peers: { list(now: Now): readonly Peer[] };
  /** Has reachable peers take in what this node says of itself; resolves with the ids of those who have. */
  readonly tell: () => Promise<readonly string[]>;
};

/** The drain as it is now, and which peers know. */
type ToldView = DrainView & {
  readonly told: readonly string[];
  readonly notTold: readonly string[];
};

/** What an operator does with viewers. */
export function administerViewers(deps: ViewersDeps) {
  const tell = async (now: Now): Promise<ToldView> => {
    const told = await deps.tell();
    const ids = deps.peers.list(now).flatMap(({ facts }) => facts?.id ?? []);
    return {
      ...deps.drain.view(),
      told: ids.filter((id) => told.includes(id)),
      notTold: ids.filter((id) => !told.includes(id)),
    };
  };
  return {
    /**
     * Takes this node out of what other nodes name and send viewers to, before it answers, where they are reachable.
     * With `moveOverS` its viewers who can watch elsewhere are moved within that time.
     */
    drain({ moveOverS }: { readonly moveOverS?: number | undefined }, now: Now) {
      deps.drain.begin(moveOverS, now);
      return tell(now);
    },

    /** Offers this node again, likewise. */
    undrain(now: Now) {
      deps.drain.end();
      return tell(now);
    },
  };
}
