import type { ReasonCode } from '../reasons.ts';
import type { UnixMs } from '../time.ts';

/** The alerts there are, by code (`docs/alerts.md`). Codes and names never change their meaning. */
export const alertNames = {
  70: 'reserve-ott-switch',
  78: 'reserve-ott-degraded',
  79: 'reserve-ott-overload',
} as const;

export type AlertCode = keyof typeof alertNames;

/**
 * What an alert is about. Every node that sees the same fault says the same three things, so that whoever collects
 * alerts of several nodes can tell that it is one.
 */
export type AlertSubject = {
  readonly code: AlertCode;
  /** Absent when it concerns the node whatever the group. */
  readonly group?: string | undefined;
  /** Id of the node that has to be mended, which need not be the one that tells. */
  readonly node: string;
};

/** A fault as it stands now. */
export type Fault = AlertSubject & {
  readonly cause: ReasonCode;
  /** What an operator reads; one or more sentences without a full stop. */
  readonly text: string;
};

/** A fault that was told. */
export type Alert = Fault & {
  /** Since when the fault stands; it was told some seconds later. */
  readonly raisedAt: UnixMs;
  /** Absent while it stands. */
  readonly clearedAt?: UnixMs | undefined;
};

/** Equal for equal subjects only. */
export function subjectKey({ code, group, node }: AlertSubject): string {
  return JSON.stringify([code, group ?? null, node]);
}
