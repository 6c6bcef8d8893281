import { type MonoMs, pausedMs } from '../core/time.ts';
import type { Cycle } from './cycles.ts';
import type { LiveStreams } from './live-streams.ts';

/** How often it is looked which playlists are due, ms; they are due far less often. */
export const liveTickMs = 100;

/** An agent that looks so much later than planned had no processor, and cannot tell whether its origins had one, ms. */
const pauseMsMin = 200;

/** Looks at the live streams. Time for which the agent itself had no processor is not held against their origins. */
export function createLiveCycle(live: Pick<LiveStreams, 'tick' | 'excusePause'>): Cycle {
  let plannedAt: MonoMs | undefined;
  return {
    name: 'live streams',
    everyMs: liveTickMs,
    // One origin that hangs must not hold up the next look at the others.
    overlaps: true,
    run(now) {
      const ms = plannedAt === undefined ? 0 : pausedMs(plannedAt, now.monoMs, pauseMsMin);
      plannedAt = now.monoMs + liveTickMs;
      if (ms > 0) live.excusePause(ms);
      return live.tick(now);
    },
  };
}
