import type { MonoMs, Now } from '../../core/time.ts';
import type { Remembered } from '../../core/timeline/resume.ts';
import type { Log, TimelineStore } from '../ports.ts';

/** How often what is remembered of a stream is written, ms: grids move slowly. */
const writeEveryMs = 60_000;

/** What one stream remembers of its timeline, over jumps of its packager and restarts of the agent. */
export type Memory = {
  read(): Remembered | undefined;
  /** Remembers what `make` gives, if it is time. */
  keep(make: () => Remembered | undefined, now: Now): void;
};

/** A database that fails costs the memory and nothing else. */
export function createMemory(
  { store, log }: { readonly store: TimelineStore; readonly log: Log },
  stream: string,
): Memory {
  let known: Remembered | undefined;
  let hasRead = false;
  let writtenAt: MonoMs = Number.NEGATIVE_INFINITY;
  const tryTo = <T>(work: () => T): T | undefined => {
    try {
      return work();
    } catch (error) {
      log.error('timeline not remembered', { stream, cause: String(error) });
      return undefined;
    }
  };
  return {
    read() {
      if (!hasRead) known = tryTo(() => store.read(stream));
      hasRead = true;
      return known;
    },
    keep(make, now) {
      if (now.monoMs - writtenAt < writeEveryMs) return;
      const fresh = make();
      if (fresh === undefined) return;
      known = fresh;
      hasRead = true;
      writtenAt = now.monoMs;
      tryTo(() => store.write(stream, fresh));
    },
  };
}
