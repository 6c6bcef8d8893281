import type { KeyStore, Log, ViewingKey } from './ports.ts';

/** A clock that moved by more than this is written down: it is well below what keys live longer than needed. */
const clockShiftMs = 10_000;

/**
 * Viewing keys over restarts. A store that fails is tried again with the next call and never stops serving; nothing is
 * written before it was read once, so that what is kept there is not lost.
 */
export class KeptKeys {
  readonly #deps: { readonly store: KeyStore; readonly log: Log };
  #isRead = false;
  #written: readonly ViewingKey[] | undefined;
  #writtenShiftMs = 0;

  constructor(deps: { store: KeyStore; log: Log }) {
    this.#deps = deps;
  }

  /** What the store holds, the first time it can be read; nothing before and after. */
  read(): readonly ViewingKey[] {
    if (this.#isRead) return [];
    try {
      const keys = this.#deps.store.list();
      this.#isRead = true;
      return keys;
    } catch (error) {
      this.#deps.log.error('viewing keys not read from the store', { cause: String(error) });
      return [];
    }
  }

  /**
   * Keeps `ring`, which is the same list as long as nothing in it changed. `shiftMs`: how far the wall clock is ahead of
   * the times in the ring; those are kept by the wall clock, so that a clock set right after start ends no key early.
   */
  write(ring: readonly ViewingKey[], shiftMs: number): void {
    const isShifted = Math.abs(shiftMs - this.#writtenShiftMs) > clockShiftMs;
    if (!this.#isRead || (ring === this.#written && !isShifted)) return;
    try {
      this.#deps.store.replace(ring.map((key) => shifted(key, shiftMs)));
      this.#written = ring;
      this.#writtenShiftMs = shiftMs;
    } catch (error) {
      this.#deps.log.error('viewing keys not kept by the store', { cause: String(error) });
    }
  }
}

function shifted(key: ViewingKey, shiftMs: number): ViewingKey {
  if (key.supersededAt === undefined) return key;
  return { ...key, supersededAt: Math.max(0, Math.round(key.supersededAt + shiftMs)) };
}
