import type { Now } from '../core/time.ts';
import type { Clock, Log } from './ports.ts';

/** Work done again and again; each run gets one reading of the clocks. */
export type Cycle = {
  readonly name: string;
  readonly everyMs: number;
  /** Begun again although the last run is still under way: one that waits for one of many must not hold up the others. */
  readonly overlaps?: boolean;
  readonly run: (now: Now) => void | Promise<void>;
};

/** Starts a timer; the answer stops it. The one way in which the agent is woken. */
export type Every = (ms: number, run: () => void) => () => void;

/**
 * Runs cycles; unless it says otherwise, one that is still going when its time comes again is left to finish. A run that
 * fails is logged, and the cycle goes on: serving never depends on it.
 */
export class Cycles {
  readonly #deps: { readonly clock: Clock; readonly log: Log; readonly every: Every };
  readonly #stops: (() => void)[] = [];
  readonly #running = new Set<Promise<void>>();

  constructor(deps: { clock: Clock; log: Log; every: Every }) {
    this.#deps = deps;
  }

  start(cycle: Cycle): void {
    let busy = false;
    this.#stops.push(
      this.#deps.every(cycle.everyMs, () => {
        if (busy && cycle.overlaps !== true) return;
        busy = true;
        const run = this.#run(cycle).finally(() => {
          busy = false;
          this.#running.delete(run);
        });
        this.#running.add(run);
      }),
    );
  }

  /** Stops all timers and waits for runs under way. */
  async stop(): Promise<void> {
    for (const stop of this.#stops.splice(0)) stop();
    await Promise.all(this.#running);
  }

  async #run(cycle: Cycle): Promise<void> {
    try {
      await cycle.run(this.#deps.clock.now());
    } catch (error) {
      this.#deps.log.error('cycle failed', { cycle: cycle.name, cause: String(error) });
    }
  }
}
