import type { Drain } from './drain.ts';
import type { Clock, Timers } from './ports.ts';
import type { Sessions } from './sessions.ts';

/**
 * The node says goodbye before its process ends: peers name it no more, and within `overS` seconds its viewers who can
 * watch elsewhere are told to, over the first half of that time. Resolves at once where nobody watches or nobody could take over.
 */
export async function leave(
  deps: {
    readonly drain: Pick<Drain, 'begin'>;
    /** Resolves with the peers who know. */
    readonly tell: () => Promise<readonly string[]>;
    readonly sessions: Pick<Sessions, 'counts'>;
    readonly clock: Clock;
    readonly timers: Timers;
  },
  overS: number,
): Promise<void> {
  if (overS === 0) return;
  deps.drain.begin(overS / 2, deps.clock.now());
  const told = await deps.tell();
  const { own, backup } = deps.sessions.counts();
  if (told.length === 0 || own + backup === 0) return;
  await new Promise<void>((resolve) => deps.timers.after(overS * 1000, resolve));
}
