import type { Clock, Timers } from '../../agent/ports.ts';

/** Longest delay a timer of Node.js takes, ms; beyond it, it would fire at once. */
const delayMsMax = 2 ** 31 - 1;

/** The clocks of this machine. */
export const systemClock: Clock = {
  now: () => ({ wallMs: Date.now(), monoMs: performance.now() }),
};

/** A monotonic clock that all processes of this machine share, ms. */
export function sharedMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1_000 + nanoseconds / 1_000_000;
}

/** Timers of this process; each keeps it running until it fired or was taken back. */
export const systemTimers: Timers = {
  after(delayMs, run) {
    const timer = setTimeout(run, Math.min(delayMs, delayMsMax));
    return () => clearTimeout(timer);
  },
};
