/** Unix time in milliseconds: an instant. Durations never come from differences of these. */
export type UnixMs = number;

/** Milliseconds on the monotonic clock of this process: durations only, not comparable between nodes. */
export type MonoMs = number;

/** One reading of both clocks, taken once per request or cycle and handed down. */
export type Now = {
  readonly wallMs: UnixMs;
  readonly monoMs: MonoMs;
};

/** How much later than planned this process woke, ms, where that is a pause of its own: 0 up to `leastMs`. */
export function pausedMs(plannedAt: MonoMs, now: MonoMs, leastMs: number): number {
  return now - plannedAt > leastMs ? now - plannedAt : 0;
}
