import type { AlertStore, WaitingNotice } from '../../src/agent/alert-ports.ts';
import { type Alert, subjectKey } from '../../src/core/alert/alert.ts';

/** Alerts and notices that live as long as the store. */
export function memoryAlertStore(): AlertStore {
  const alerts: Alert[] = [];
  let notices: (WaitingNotice & { readonly target: string })[] = [];
  let id = 0;
  return {
    list: () => [...alerts].reverse(),
    record(transitions, targets) {
      for (const { kind, alert } of transitions) {
        const at = alerts.findIndex(
          (one) => one.clearedAt === undefined && subjectKey(one) === subjectKey(alert),
        );
        if (at < 0) alerts.push(alert);
        else alerts[at] = alert;
        if (kind === 'changed') continue;
        for (const target of targets) notices.push({ id: ++id, target, kind, alert });
      }
    },
    waiting: (target, limit) => notices.filter((one) => one.target === target).slice(0, limit),
    settle(ids) {
      notices = notices.filter((notice) => !ids.includes(notice.id));
    },
    keepTargets(targets) {
      notices = notices.filter(({ target }) => targets.includes(target));
    },
  };
}
