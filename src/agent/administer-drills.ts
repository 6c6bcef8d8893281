import type { DrillWish } from '../core/drill/failure.ts';
import type { Now } from '../core/time.ts';
import { found } from './administer-streams.ts';
import type { Drills } from './drill/drills.ts';

export type DrillDeps = { readonly drills: Pick<Drills, 'begin' | 'list' | 'get' | 'stop'> };

/** What an operator tries out. */
export function administerDrills({ drills }: DrillDeps) {
  return {
    /** @throws not_found when the stream is not carried here; conflict when it cannot be tried now */
    begin: (wish: DrillWish, now: Now) => drills.begin(wish, now),

    /** Newest first. */
    list: (now: Now) => drills.list(now),

    /** @throws not_found */
    get: (id: string, now: Now) => found(drills.get(id, now), `drill "${id}"`),

    /** Ends it now; one that is over stays as it is. @throws not_found */
    stop: (id: string, now: Now) => found(drills.stop(id, now), `drill "${id}"`),
  };
}
