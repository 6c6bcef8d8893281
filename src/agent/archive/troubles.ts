import type { ReasonCode } from '../../core/reasons.ts';
import type { Now, UnixMs } from '../../core/time.ts';
import type { Log } from '../ports.ts';

/** What is wrong with the archive of a stream here. */
export type Trouble = {
  readonly reason: ReasonCode;
  /** In the words of the system, where they tell more; holds no URL. */
  readonly cause?: string | undefined;
  readonly sinceAt: UnixMs;
};

type Kept = Trouble & { lastMonoMs: number };

/** A trouble that has not come back for so long is over, ms. */
const heldMs = 120_000;

/** Troubles of the archive by stream; each is logged once when it begins and once when it is over. */
export class Troubles {
  readonly #log: Log;
  readonly #kept = new Map<string, Map<ReasonCode, Kept>>();

  constructor(log: Log) {
    this.#log = log;
  }

  of(stream: string): readonly Trouble[] {
    return [...(this.#kept.get(stream)?.values() ?? [])].map(({ reason, cause, sinceAt }) =>
      cause === undefined ? { reason, sinceAt } : { reason, cause, sinceAt },
    );
  }

  raise(
    stream: string,
    { reason, cause }: { readonly reason: ReasonCode; readonly cause?: string | undefined },
    now: Now,
  ): void {
    const kept = this.#kept.get(stream) ?? new Map<ReasonCode, Kept>();
    const known = kept.get(reason);
    if (known === undefined) this.#log.error('recording troubled', { stream, reason, cause });
    kept.set(reason, {
      reason,
      cause,
      sinceAt: known?.sinceAt ?? now.wallMs,
      lastMonoMs: now.monoMs,
    });
    this.#kept.set(stream, kept);
  }

  clear(stream: string, ...reasons: readonly ReasonCode[]): void {
    const kept = this.#kept.get(stream);
    for (const reason of reasons)
      if (kept?.delete(reason)) this.#log.info('recording trouble over', { stream, reason });
    if (kept?.size === 0) this.#kept.delete(stream);
  }

  /** Ends what has not come back for two minutes. */
  expire(now: Now): void {
    for (const [stream, kept] of this.#kept)
      for (const [reason, { lastMonoMs }] of kept)
        if (now.monoMs - lastMonoMs > heldMs) this.clear(stream, reason);
  }

  forget(stream: string): void {
    this.#kept.delete(stream);
  }
}
