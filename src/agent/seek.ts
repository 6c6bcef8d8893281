import type { Found } from '../core/group/sought.ts';
import type { Now } from '../core/time.ts';
import type { Staging } from './drill/staging.ts';
import type { Sessions } from './sessions.ts';

/** Asks peers for sessions that a drill has sent away, and answers for theirs. */
export type Seek = {
  /** What a question says of it; nothing unless a drill is on. */
  question(): { readonly sought?: readonly string[] };
  /** Those sought that are watched here; undefined: none is. */
  here(sought: readonly string[] | undefined, now: Now): readonly Found[] | undefined;
  learn(node: string, found: readonly Found[], now: Now): void;
};

export function createSeek(deps: {
  readonly staging: Staging;
  readonly sessions: Pick<Sessions, 'get' | 'isActive'>;
}): Seek {
  const { staging, sessions } = deps;
  return {
    question() {
      const sought = staging.sought();
      return sought.length === 0 ? {} : { sought };
    },
    here(sought = [], now) {
      const found = sought.flatMap((session) => {
        const startedAt = sessions.isActive(session, now)
          ? sessions.get(session)?.startedAt
          : undefined;
        return startedAt === undefined
          ? []
          : [{ session, sinceMs: Math.max(0, Math.round(now.wallMs - startedAt)) }];
      });
      return found.length === 0 ? undefined : found;
    },
    learn: (node, found, now) => staging.found(node, found, now),
  };
}
