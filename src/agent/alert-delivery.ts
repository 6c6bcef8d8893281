import type { Alert } from '../core/alert/alert.ts';
import type { MonoMs, Now } from '../core/time.ts';
import type { AlertNotice, AlertOutcome, AlertStore, AlertTarget } from './alert-ports.ts';
import type { Clock, Log, RandomBytes } from './ports.ts';

/** First wait after a failed delivery, doubled each time up to the longest, ms; each between half and one and a half. */
const retryMsMin = 1_000;
const retryMsMax = 60_000;

type Deps = {
  readonly clock: Clock;
  readonly log: Log;
  readonly store: Pick<AlertStore, 'waiting' | 'settle' | 'keepTargets'>;
  readonly targets: readonly AlertTarget[];
  readonly standing: () => readonly Alert[];
  readonly randomBytes: RandomBytes;
};

type State = {
  readonly target: AlertTarget;
  isBusy: boolean;
  faults: number;
  notBefore: MonoMs;
  repeatAt: MonoMs;
};

/**
 * Tells every target of alerts, each in order and at its own pace: one that does not answer holds up no other. What it
 * has not taken waits in the store, also over a restart.
 */
export class AlertDelivery {
  readonly #deps: Deps;
  readonly #states: readonly State[];
  readonly #underWay = new Set<Promise<void>>();
  #isBegun = false;
  #isStopped = false;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#states = deps.targets.map((target) => ({
      target,
      isBusy: false,
      faults: 0,
      notBefore: Number.NEGATIVE_INFINITY,
      repeatAt: Number.NEGATIVE_INFINITY,
    }));
  }

  /** Begins what is due; due each second, waits for nothing. @throws store_failed */
  tick(now: Now): void {
    if (!this.#isBegun) {
      this.#deps.store.keepTargets(this.#deps.targets.map(({ key }) => key));
      this.#isBegun = true;
    }
    for (const state of this.#states)
      if (!state.isBusy && now.monoMs >= state.notBefore) this.#begin(state, now);
  }

  /** Whatever is under way counts as not delivered: it is told again after a restart. */
  stop(): void {
    this.#isStopped = true;
  }

  /** Resolves when nothing is under way any more. */
  async settled(): Promise<void> {
    await Promise.all(this.#underWay);
  }

  #begin(state: State, now: Now): void {
    const { target } = state;
    const waiting = this.#deps.store.waiting(target.key, target.batchMax);
    const notices = waiting.length > 0 ? waiting : this.#repeats(state, now);
    if (notices.length === 0) return;
    state.isBusy = true;
    const sent = target.send(notices).then((outcome) => {
      state.isBusy = false;
      this.#took(
        state,
        outcome,
        waiting.map(({ id }) => id),
      );
    });
    const settled = sent.catch((error: unknown) => {
      this.#deps.log.error('alert delivery failed', { to: target.host, cause: String(error) });
    });
    this.#underWay.add(settled);
    void settled.finally(() => this.#underWay.delete(settled));
  }

  /** All that stand, when it is time; too many for one delivery are cut off: the target has been told of each. */
  #repeats(state: State, now: Now): readonly AlertNotice[] {
    const { repeatMs, batchMax } = state.target;
    if (repeatMs === undefined || now.monoMs < state.repeatAt) return [];
    state.repeatAt = now.monoMs + repeatMs;
    const alerts = this.#deps.standing().slice(0, batchMax);
    return alerts.map((alert) => ({ kind: 'raised', alert }));
  }

  #took(state: State, outcome: AlertOutcome, ids: readonly number[]): void {
    if (this.#isStopped) return;
    const { log, store, clock } = this.#deps;
    const to = state.target.host;
    if (outcome.kind === 'failed') {
      if (state.faults === 0) log.warn('alerts not delivered', { to, cause: outcome.cause });
      state.notBefore = clock.now().monoMs + this.#retryMs(state.faults);
      state.faults += 1;
      return;
    }
    if (state.faults > 0) log.info('alerts delivered again', { to, failures: state.faults });
    state.faults = 0;
    if (outcome.kind === 'refused')
      log.error('alerts refused', { to, cause: outcome.cause, dropped: ids.length });
    store.settle(ids);
  }

  #retryMs(faults: number): number {
    const [byte = 0] = this.#deps.randomBytes(1);
    return Math.min(retryMsMin * 2 ** faults, retryMsMax) * (0.5 + byte / 256);
  }
}
