import { isToLeave, type Move } from '../core/placement/drain.ts';
import type { Now, UnixMs } from '../core/time.ts';

/** What an operator sees of a drain. */
export type DrainView = {
  readonly draining: boolean;
  readonly since?: UnixMs | undefined;
  /** Seconds over which viewers are moved; absent: they stay. */
  readonly moveOverS?: number | undefined;
};

/** Whether this node is being drained: nobody is sent here any more, and viewers may be moved off it. */
export class Drain {
  #since: UnixMs | undefined;
  #move: Move | undefined;

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

  /** Whether the viewer known by `key` is to watch elsewhere from now on. */
  isToLeave(key: string, now: Now): boolean {
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
