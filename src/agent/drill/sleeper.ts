import type { Timers } from '../ports.ts';

/** Waits that can be ended early, all at once and for good. */
export type Sleeper = {
  /** Resolves after `ms`, or when woken. */
  sleep(ms: number): Promise<void>;
  isAwake(): boolean;
  wake(): void;
};

export function createSleeper(timers: Timers): Sleeper {
  const waiting = new Set<() => void>();
  let isAwake = false;
  return {
    sleep(ms) {
      if (isAwake) return Promise.resolve();
      return new Promise((resolve) => {
        const end = () => {
          takeBack();
          waiting.delete(end);
          resolve();
        };
        const takeBack = timers.after(ms, end);
        waiting.add(end);
      });
    },
    isAwake: () => isAwake,
    wake() {
      isAwake = true;
      for (const end of waiting) end();
    },
  };
}
