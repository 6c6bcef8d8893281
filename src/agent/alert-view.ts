import { type Alert, alertNames } from '../core/alert/alert.ts';
import { remedyOf } from '../core/alert/remedies.ts';

export type AlertState = 'raised' | 'cleared';

/** What the API says of alerts, in the order given; all of them without a state. */
export function alertViews(alerts: readonly Alert[], reporter: string, state?: AlertState) {
  return alerts.flatMap(({ code, group, node, cause, text, raisedAt, clearedAt }) => {
    const now: AlertState = clearedAt === undefined ? 'raised' : 'cleared';
    if (state !== undefined && state !== now) return [];
    return {
      ...{ code, name: alertNames[code], state: now, group, node, cause, text },
      ...{ remedy: remedyOf(cause), reporter },
      raisedAt: Math.round(raisedAt),
      clearedAt: clearedAt === undefined ? undefined : Math.round(clearedAt),
    };
  });
}
