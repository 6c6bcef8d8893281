/** The outside world of alerts; see `ports.ts`. */
import type { Alert } from '../core/alert/alert.ts';
import type { Transition } from '../core/alert/holds.ts';
import type { UnixMs } from '../core/time.ts';

/** One thing to be told of an alert. */
export type AlertNotice = { readonly kind: 'raised' | 'cleared'; readonly alert: Alert };

/** A notice that waits; `id` rises. */
export type WaitingNotice = AlertNotice & { readonly id: number };

/** Alerts and what has to be told of them, over restarts. Synchronous; @throws store_failed */
export type AlertStore = {
  /** Those that stand and the latest that are over, newest first; at most 3,000. */
  list(): readonly Alert[];
  /** Takes transitions in, with a notice of each that began or ended for every target, in one transaction. */
  record(transitions: readonly Transition[], targets: readonly string[]): void;
  /** The oldest notices that wait for a target. */
  waiting(target: string, limit: number): readonly WaitingNotice[];
  /** The target has these, or will never take them. */
  settle(ids: readonly number[]): void;
  /** Forgets notices for any but these targets. */
  keepTargets(targets: readonly string[]): void;
};

/** What became of a delivery: `refused` would be refused again, `failed` may go well later. No cause holds a secret. */
export type AlertOutcome =
  | { readonly kind: 'taken' }
  | { readonly kind: 'refused' | 'failed'; readonly cause: string };

/** Somebody who is told of alerts. */
export type AlertTarget = {
  /** The same over restarts; tells nothing of the address. */
  readonly key: string;
  /** For people: without path and query, which may be secret. */
  readonly host: string;
  /** Most notices at once. */
  readonly batchMax: number;
  /** How often it wants to hear that alerts still stand; absent: never again. */
  readonly repeatMs?: number | undefined;
  /** Tells, oldest first. Never rejects, and settles within seconds. */
  send(notices: readonly AlertNotice[]): Promise<AlertOutcome>;
  /** Tells something that is marked as a test, as of `at`. As `send`. */
  test(at: UnixMs): Promise<AlertOutcome>;
};
