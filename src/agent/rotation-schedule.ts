import type { MonoMs } from '../core/time.ts';

/** Scheduled rotations of all nodes fall due at once; each waits a random share of this, and one is enough. */
const spreadMs = 20_000;

/** A scheduled rotation is left out when a newer key came up within this time: twice the skew limit. */
const restMs = 480_000;

/** When a node rotates because its schedule struck, as the schedules of all other nodes did. */
export class RotationSchedule {
  #dueAt: MonoMs | undefined;
  #newestSince: MonoMs = Number.NEGATIVE_INFINITY;

  /** The schedule struck; `share` is random, from 0 to below 1. */
  strike(now: MonoMs, share: number): void {
    this.#dueAt ??= now + share * spreadMs;
  }

  /** Another key is the newest, made here or by another node. */
  noteNewest(now: MonoMs): void {
    this.#newestSince = now;
  }

  /** Whether to rotate now; a strike is answered with true once at most. */
  takeDue(now: MonoMs): boolean {
    if (this.#dueAt === undefined || now < this.#dueAt) return false;
    this.#dueAt = undefined;
    return now - this.#newestSince >= restMs;
  }
}
