import type { NodeFacts, Peer } from '../core/group/node.ts';
import { passToleranceS } from '../core/pass/claims.ts';
import type { Now } from '../core/time.ts';
import { found } from './administer-streams.ts';
import type { Drain, DrainView } from './drain.ts';
import type { LoginSlots } from './login-slots.ts';
import type { SessionNotes } from './session-notes.ts';
import type { Sessions } from './sessions.ts';

export type ViewersDeps = {
  readonly drain: Pick<Drain, 'begin' | 'end' | 'view'>;
  readonly peers: { list(now: Now): readonly Peer[] };
  /** Has reachable peers take in what this node says of itself; resolves with the ids of those who have. */
  readonly tell: () => Promise<readonly string[]>;
  readonly self: () => NodeFacts;
  readonly sessions: Pick<Sessions, 'get' | 'end'>;
  readonly notes: Pick<SessionNotes, 'end'>;
  readonly slots: Pick<LoginSlots, 'free'>;
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

    /**
     * Ends a session and its passes, here at once and on the other nodes within a second: later requests get 403. It
     * lasts as long as any pass of the session may. @throws not_found when it is not watched here
     */
    endSession(id: string, now: Now) {
      const session = found(deps.sessions.get(id), 'such session here');
      const ttlS = Math.max(
        deps.self().passTtlS,
        ...deps.peers.list(now).map(({ facts }) => facts?.passTtlS ?? 0),
      );
      deps.notes.end({ id, untilS: Math.ceil(now.wallMs / 1000) + ttlS + 2 * passToleranceS });
      deps.sessions.end(id);
      deps.slots.free(id);
      return session;
    },

    /** Offers this node again, likewise. */
    undrain(now: Now) {
      deps.drain.end();
      return tell(now);
    },
  };
}
