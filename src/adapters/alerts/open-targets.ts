import type { AlertNotice, AlertTarget } from '../../agent/alert-ports.ts';
import { type Alert, alertNames, subjectKey } from '../../core/alert/alert.ts';
import { remedyOf } from '../../core/alert/remedies.ts';
import type { UnixMs } from '../../core/time.ts';
import { createHttpTarget } from './http-target.ts';

/** Alertmanager takes an alert that it has not heard of for its `resolve_timeout` (5 min unless configured) as over. */
const repeatMs = 30_000;

/** Most alerts in one POST to an Alertmanager. */
const alertsMax = 500;

/** What a test is called, how heavy it is, and how long it stands. */
const testName = 'reserve-ott-test';
const testSeverity = 'info';
const testMs = 60_000;

const severities = { 70: 'critical', 78: 'warning', 79: 'warning' } as const;

/**
 * Those who are told of alerts: an Alertmanager where the URL is that of its API v2 (`.../api/v2/alerts`), else a
 * webhook. `reporter` is the id of this node.
 */
export function openAlertTargets(
  urls: readonly string[],
  reporter: string,
): readonly AlertTarget[] {
  return urls.map((url) =>
    isAlertmanager(url)
      ? createHttpTarget({
          url,
          batchMax: alertsMax,
          repeatMs,
          render: (notices) => latest(notices).map((notice) => toAlertmanager(notice, reporter)),
          renderTest: (at) => [alertmanagerTest(at, reporter)],
        })
      : createHttpTarget({
          url,
          batchMax: 1,
          render: ([notice]) => notice && toWebhook(notice, reporter),
          renderTest: (at) => webhookTest(at, reporter),
        }),
  );
}

function isAlertmanager(url: string): boolean {
  return /\/api\/v2\/alerts\/?$/.test(new URL(url).pathname);
}

/** Of several notices about one subject the last: Alertmanager keeps states, not a history. */
function latest(notices: readonly AlertNotice[]): readonly AlertNotice[] {
  return [...new Map(notices.map((notice) => [subjectKey(notice.alert), notice])).values()];
}

function toAlertmanager({ kind, alert }: AlertNotice, reporter: string) {
  const { code, group, node, cause, text, raisedAt } = alert;
  return {
    // Equal whoever reports: the same fault seen by five nodes is one alert.
    labels: {
      alertname: alertNames[code],
      code: String(code),
      severity: severities[code],
      ...(group !== undefined && { group }),
      node,
    },
    annotations: { summary: text, cause, remedy: remedyOf(cause), reporter },
    startsAt: iso(raisedAt),
    // Without an end it holds for the timeout of the Alertmanager, by its own clock.
    ...(kind === 'cleared' && { endsAt: endOf(alert) }),
  };
}

function toWebhook({ kind, alert }: AlertNotice, reporter: string) {
  const { code, group, node, cause, text, raisedAt, clearedAt } = alert;
  return {
    state: kind,
    ...{ code, name: alertNames[code], severity: severities[code] },
    ...{ group, node, cause, text, remedy: remedyOf(cause), reporter },
    // Equal for one fault whoever reports it.
    key: [code, group ?? '', node].join('/'),
    ...{ raisedAt: iso(raisedAt), clearedAt: clearedAt === undefined ? undefined : iso(clearedAt) },
  };
}

/** Ends by itself, and no rule that pages on `severity` needs to know of it. */
function alertmanagerTest(at: UnixMs, reporter: string) {
  return {
    labels: { alertname: testName, severity: testSeverity, node: reporter },
    annotations: { summary: testText(reporter), reporter },
    startsAt: iso(at),
    endsAt: iso(at + testMs),
  };
}

function webhookTest(at: UnixMs, reporter: string) {
  return {
    ...{ state: 'test', name: testName, severity: testSeverity, node: reporter },
    ...{ text: testText(reporter), reporter, key: `test/${reporter}`, raisedAt: iso(at) },
  };
}

function testText(reporter: string): string {
  return `test alert of ${reporter}: nothing is wrong`;
}

function endOf({ raisedAt, clearedAt = raisedAt }: Alert): string {
  return iso(Math.max(clearedAt, raisedAt));
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
