import type { MonoMs, Now, UnixMs } from '../time.ts';
import { type Alert, type AlertCode, type Fault, subjectKey } from './alert.ts';

/** Most faults that are watched at once; further ones wait until there is room. */
export const watchedMax = 2_000;

/** A fault that comes back within this time has not been away. */
const gapMs = 30_000;

type Hold = {
  /** For how long a fault must have been seen before it is told, ms. */
  readonly raiseMs: number;
  /** Whether exactly that long is enough. */
  readonly inclusive: boolean;
  /** How long it must have been away, ms, and at most, when it had lasted for long. */
  readonly clearMs: number;
  readonly clearMsMax: number;
};

/**
 * 79 as it is promised: refusing for longer than 30 s, and 30 s without a refusal. The others wait out what mends
 * itself, and are over when the fault has stayed away twice as long as it had lasted, within bounds: then no
 * square wave of up to ten minutes is told twice.
 */
const holds: Readonly<Record<AlertCode, Hold>> = {
  70: { raiseMs: 3_000, inclusive: true, clearMs: 60_000, clearMsMax: 300_000 },
  78: { raiseMs: 10_000, inclusive: true, clearMs: 60_000, clearMsMax: 300_000 },
  79: { raiseMs: 30_000, inclusive: false, clearMs: 30_000, clearMsMax: 30_000 },
};

/** A fault as it is seen now; `seenAt` where it is an event rather than a state: when it happened last. */
export type SeenFault = Fault & {
  readonly seenAt?: MonoMs | undefined;
  /** Not sure enough to tell of it, but nothing says that it is over either. */
  readonly onlyKeeps?: true | undefined;
};

/** A fault that is watched; told if `raisedAt` is there. */
type Watched = {
  readonly fault: Fault;
  readonly since: MonoMs;
  readonly seenAt: MonoMs;
  readonly raisedAt?: UnixMs | undefined;
};

/** By {@link subjectKey}. */
export type Watch = ReadonlyMap<string, Watched>;

export type Transition = {
  /** `changed`: it stands for another reason than was told. */
  readonly kind: 'raised' | 'changed' | 'cleared';
  readonly alert: Alert;
};

/** One step: the faults seen now, and what is to be told of it. `mayRaise` is false while little is known yet. */
export function watchFaults(
  watch: Watch,
  seen: readonly SeenFault[],
  { now, mayRaise }: { readonly now: Now; readonly mayRaise: boolean },
): { readonly watch: Watch; readonly transitions: readonly Transition[] } {
  const next = new Map(watch);
  const transitions: Transition[] = [];
  for (const fault of seen) note(next, fault, now, transitions);
  for (const [key, watched] of next) {
    const step = judge(watched, now, mayRaise);
    if (step === 'gone') next.delete(key);
    else if (step !== 'stays') {
      if (step.kind === 'cleared') next.delete(key);
      else next.set(key, { ...watched, raisedAt: step.alert.raisedAt });
      transitions.push(step);
    }
  }
  return { watch: next, transitions };
}

function note(
  next: Map<string, Watched>,
  { seenAt = Number.POSITIVE_INFINITY, onlyKeeps, ...fault }: SeenFault,
  now: Now,
  transitions: Transition[],
): void {
  const key = subjectKey(fault);
  const known = next.get(key);
  const at = Math.min(seenAt, now.monoMs);
  if (known === undefined) {
    const isNews = now.monoMs - at < gapMs;
    if (!onlyKeeps && isNews && next.size < watchedMax)
      next.set(key, { fault, since: at, seenAt: at });
    return;
  }
  if (onlyKeeps) {
    if (known.raisedAt !== undefined) next.set(key, { ...known, seenAt: at });
    return;
  }
  const isAnew = known.raisedAt === undefined && at - known.seenAt >= gapMs;
  next.set(key, { ...known, fault, since: isAnew ? at : known.since, seenAt: at });
  if (known.raisedAt !== undefined && known.fault.cause !== fault.cause)
    transitions.push({ kind: 'changed', alert: { ...fault, raisedAt: known.raisedAt } });
}

function judge(watched: Watched, now: Now, mayRaise: boolean): 'stays' | 'gone' | Transition {
  const { fault, since, seenAt, raisedAt } = watched;
  const hold = holds[fault.code];
  const lastedMs = seenAt - since;
  const awayMs = now.monoMs - seenAt;
  if (raisedAt !== undefined) {
    const clearMs = Math.min(Math.max(2 * lastedMs, hold.clearMs), hold.clearMsMax);
    if (awayMs < clearMs) return 'stays';
    return { kind: 'cleared', alert: { ...fault, raisedAt, clearedAt: now.wallMs } };
  }
  const isHeld = hold.inclusive ? lastedMs >= hold.raiseMs : lastedMs > hold.raiseMs;
  if (isHeld && mayRaise) {
    const raisedAt = Math.max(0, now.wallMs - (now.monoMs - since));
    return { kind: 'raised', alert: { ...fault, raisedAt } };
  }
  return awayMs >= gapMs ? 'gone' : 'stays';
}

/** Watches on what was told before this process began: it stands until it has been away for long enough. */
export function watchTold(alerts: readonly Alert[], now: Now): Watch {
  return new Map(
    alerts.map(({ raisedAt, clearedAt: _, ...fault }) => [
      subjectKey(fault),
      { fault, since: now.monoMs, seenAt: now.monoMs, raisedAt },
    ]),
  );
}
