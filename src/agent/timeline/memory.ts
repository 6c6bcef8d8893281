import type { MonoMs, Now } from '../../core/time.ts';
import type { Remembered } from '../../core/timeline/resume.ts';
import type { Log, TimelineStore } from '../ports.ts';

/** How often what is remembered of a stream is written, ms: grids move slowly. */
const writeEveryMs = 60_000;

/** What one stream remembers of its timeline, over jumps of its packager and restarts of the agent. */
export type Memory = {
  read(): Remembered | undefined;
  /** Remembers what `make` gives, if it is time, or another run (`key`) than before. */
  keep(key: string, make: () => Remembered | undefined, now: Now): void;
};

/** A database that fails costs the memory and nothing else. */
export function createMemory(
  { store, log }: { readonly store: TimelineStore; readonly log: Log },
  stream: string,
): Memory {
  let known: Remembered | undefined;
  let hasRead = false;
  let written: { readonly key: string; readonly at: MonoMs } | undefined;
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
    keep(key, make, now) {
      if (written?.key === key && now.monoMs - written.at < writeEveryMs) return;
      const fresh = make();
      if (fresh === undefined) return;
      known = fresh;
      hasRead = true;
      written = { key, at: now.monoMs };
      tryTo(() => store.write(stream, fresh));
    },
  };
}
