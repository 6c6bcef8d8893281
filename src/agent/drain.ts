import { isToLeave, type Move } from '../core/placement/drain.ts';
import type { MonoMs, Now, UnixMs } from '../core/time.ts';

/** What an operator sees of a drain. */
export type DrainView = {
  readonly draining: boolean;
  readonly since?: UnixMs | undefined;
  /** Seconds over which viewers are moved; absent: they stay. */
  readonly moveOverS?: number | undefined;
};

/** How long a trial redirect may be asked for, ms, and most of them at once; the oldest makes room. */
export const trialMs = 60_000;
const trialsMax = 256;

/** Whether this node is being drained: nobody is sent here any more, and viewers may be moved off it. */
export class Drain {
  #since: UnixMs | undefined;
  #move: Move | undefined;
  /** Until when single sessions are to watch elsewhere, oldest first. */
  readonly #trials = new Map<string, MonoMs>();

  /** Begins, or changes, a drain. A move under way keeps its beginning. */
  begin(moveOverS: number | undefined, now: Now): void {
    this.#since ??= now.wallMs;
    if (moveOverS === undefined) this.#move = undefined;
    else this.#move = { startedAt: this.#move?.startedAt ?? now.monoMs, overMs: moveOverS * 1000 };
  }

  end(): void {
    this.#since = undefined;
    this.#move = undefined;
  }

  isOn(): boolean {
    return this.#since !== undefined;
  }

  /** The move under way, or done; undefined: viewers stay. */
  move(): Move | undefined {
    return this.#move;
  }

  /** Has one session watch elsewhere for a minute, be there a drain or not. */
  try(session: string, now: Now): void {
    for (const [known, until] of this.#trials)
      if (until <= now.monoMs || this.#trials.size >= trialsMax) this.#trials.delete(known);
    this.#trials.set(session, now.monoMs + trialMs);
  }

  /** Whether the viewer known by `key`, or session of this id, is to watch elsewhere from now on. */
  isToLeave(key: string, now: Now): boolean {
    if ((this.#trials.get(key) ?? now.monoMs) > now.monoMs) return true;
    return this.#move !== undefined && isToLeave(this.#move, key, now.monoMs);
  }

  view(): DrainView {
    return {
      draining: this.isOn(),
      ...(this.#since !== undefined && { since: this.#since }),
      ...(this.#move !== undefined && { moveOverS: this.#move.overMs / 1000 }),
    };
  }
}
