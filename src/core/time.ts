/** Unix time in milliseconds: an instant. Durations never come from differences of these. */
export type UnixMs = number;

/** Milliseconds on the monotonic clock of this process: durations only, not comparable between nodes. */
export type MonoMs = number;

/** One reading of both clocks, taken once per request or cycle and handed down. */
export type Now = {
  readonly wallMs: UnixMs;
  readonly monoMs: MonoMs;
};
