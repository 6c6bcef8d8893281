import type { DrillFailure } from '../../core/drill/failure.ts';
import { type Playback, withoutMediaMs } from '../../core/drill/playback.ts';
import { expectationOf, type PlayerRules } from '../../core/drill/player-rules.ts';
import type { ProbeResult } from '../../core/drill/report.ts';
import type { MonoMs } from '../../core/time.ts';

/** Segments of a player that is up to date, in target durations. */
const bufferTargets = 3;

/** What a modelled player is and what it is to meet. */
export type ProbeStart = {
  readonly rules: PlayerRules;
  readonly failure: DrillFailure;
  readonly slowMs: number;
  /** Whether it is to meet the failure. */
  readonly chosen: boolean;
  /** Where it opens the stream: absolute, with its pass. */
  readonly entry: string;
  /** The node where the failure will be. */
  readonly home: string;
};

/** Where a player is now. */
type Present = {
  readonly state: ProbeResult['state'];
  readonly playback: Playback;
  readonly targetMs: number;
  readonly rungs: number;
};

/** What a modelled player has met since the failure began. */
export class ProbeRecord {
  readonly #start: ProbeStart;
  #failureAt: MonoMs | undefined;
  #before = { withoutMediaMs: 0, missingMs: 0 };
  #metAt: MonoMs | undefined;
  #movedAt: MonoMs | undefined;
  #movedTo: string | undefined;
  #servedAt: MonoMs | undefined;
  requests = 0;
  bytes = 0;
  note: string | undefined;

  constructor(start: ProbeStart) {
    this.#start = start;
  }

  /** From now on what it meets counts. */
  failureBegan(playback: Playback, at: MonoMs): void {
    this.#failureAt = at;
    this.#before = {
      withoutMediaMs: withoutMediaMs(playback, at),
      missingMs: playback.missingMs,
    };
  }

  met(at: MonoMs): void {
    if (this.#failureAt !== undefined) this.#metAt ??= at;
  }

  asks(node: string, at: MonoMs): void {
    this.requests += 1;
    if (!this.#isElsewhere(node) || this.#movedAt !== undefined) return;
    this.#movedAt = at;
    this.#movedTo = node;
  }

  served(node: string | undefined, at: MonoMs): void {
    if (node === undefined || !this.#isElsewhere(node)) return;
    // The node that fed it in the end, where the first one did not.
    if (this.#servedAt === undefined) this.#movedTo = node;
    this.#servedAt ??= at;
  }

  result({ state, playback, targetMs, rungs }: Present, now: MonoMs): ProbeResult {
    const { rules, failure, slowMs, chosen } = this.#start;
    const began = this.#failureAt;
    const since = (at: MonoMs | undefined) =>
      at === undefined || began === undefined ? undefined : Math.round(at - began);
    const missed = began === undefined ? 0 : withoutMediaMs(playback, now);
    const bufferMs = bufferTargets * targetMs;
    return {
      ...{ family: rules.family, chosen, state },
      metAfterMs: since(this.#metAt),
      movedAfterMs: since(this.#movedAt),
      movedTo: this.#movedTo,
      servedAfterMs: since(this.#servedAt),
      withoutMediaMs: Math.max(0, Math.round(missed - this.#before.withoutMediaMs)),
      missingMs: Math.round(playback.missingMs - this.#before.missingMs),
      ...{ requests: this.requests, bytes: this.bytes, note: this.note },
      expected: expectationOf(rules, failure, { rungs, targetMs, bufferMs, slowMs }),
    };
  }

  #isElsewhere(node: string): boolean {
    return this.#failureAt !== undefined && node !== this.#start.home;
  }
}
