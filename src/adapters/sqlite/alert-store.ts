import type { Database } from 'better-sqlite3';
import type { AlertStore, WaitingNotice } from '../../agent/alert-ports.ts';
import type { Alert, AlertCode } from '../../core/alert/alert.ts';
import { watchedMax } from '../../core/alert/holds.ts';
import { type ReasonCode, reasonTexts } from '../../core/reasons.ts';
import { orStoreFailed } from './database.ts';

/** Most alerts that are kept after they are over; the oldest go. */
const overMax = 1_000;
/** Most notices that wait for one target; the oldest go. */
const waitingMax = 1_000;

type Row = {
  readonly code: AlertCode;
  readonly group_name: string;
  readonly node: string;
  readonly cause: string;
  readonly text: string;
  readonly raised_at_ms: number;
  readonly cleared_at_ms: number | null;
};
type NoticeRow = Row & { readonly id: number; readonly kind: 'raised' | 'cleared' };

const columns = 'code, group_name, node, cause, text, raised_at_ms, cleared_at_ms';
const standing =
  'code = @code AND group_name = @group_name AND node = @node AND cleared_at_ms IS NULL';

/** The alerts of this node and what is to be told of them. */
export function createAlertStore(database: Database): AlertStore {
  const select = database.prepare<[], Row>(
    `SELECT ${columns} FROM alerts ORDER BY raised_at_ms DESC, id DESC LIMIT ${watchedMax + overMax}`,
  );
  const selectWaiting = database.prepare<[string, number], NoticeRow>(
    `SELECT alert_notices.id, kind, ${columns} FROM alert_notices
     JOIN alerts ON alerts.id = alert_id WHERE target = ? ORDER BY alert_notices.id LIMIT ?`,
  );
  const selectTargets = database.prepare<[], { target: string }>(
    'SELECT DISTINCT target FROM alert_notices',
  );
  const removeNotice = database.prepare<[number]>('DELETE FROM alert_notices WHERE id = ?');
  const removeTarget = database.prepare<[string]>('DELETE FROM alert_notices WHERE target = ?');
  const settle = database.transaction((ids: readonly number[]) => {
    for (const id of ids) removeNotice.run(id);
  });
  const keepTargets = database.transaction((targets: readonly string[]) => {
    for (const { target } of selectTargets.all())
      if (!targets.includes(target)) removeTarget.run(target);
  });
  const record = createRecord(database);
  return {
    list: () => orStoreFailed('alerts cannot be read', () => select.all().map(alertOf)),
    record: (transitions, targets) =>
      orStoreFailed('alerts cannot be kept', () => record.immediate(transitions, targets)),
    waiting: (target, limit) =>
      orStoreFailed('notices cannot be read', () => selectWaiting.all(target, limit).map(noticeOf)),
    settle: (ids) => orStoreFailed('notices cannot be removed', () => settle.immediate(ids)),
    keepTargets: (targets) =>
      orStoreFailed('notices cannot be removed', () => keepTargets.immediate(targets)),
  };
}

function createRecord(database: Database) {
  const insert = database.prepare<[Row]>(
    `INSERT INTO alerts (${columns}) VALUES (@code, @group_name, @node, @cause, @text, @raised_at_ms, NULL)
     ON CONFLICT DO NOTHING`,
  );
  const change = database.prepare<[Row]>(
    `UPDATE alerts SET cause = @cause, text = @text WHERE ${standing}`,
  );
  const selectId = database
    .prepare<[Row], number>(`SELECT id FROM alerts WHERE ${standing}`)
    .pluck();
  const clear = database.prepare<[{ readonly id: number; readonly cleared_at_ms: number | null }]>(
    'UPDATE alerts SET cleared_at_ms = @cleared_at_ms WHERE id = @id',
  );
  const addNotice = database.prepare<[number, string, string]>(
    'INSERT INTO alert_notices (alert_id, target, kind) VALUES (?, ?, ?)',
  );
  const trimNotices = database.prepare<[string]>(
    `DELETE FROM alert_notices WHERE id IN
     (SELECT id FROM alert_notices WHERE target = ? ORDER BY id DESC LIMIT -1 OFFSET ${waitingMax})`,
  );
  const trimAlerts = database.prepare(
    `DELETE FROM alerts WHERE id IN (SELECT id FROM alerts WHERE cleared_at_ms IS NOT NULL
     ORDER BY cleared_at_ms DESC, id DESC LIMIT -1 OFFSET ${overMax})`,
  );
  return database.transaction((...[transitions, targets]: Parameters<AlertStore['record']>) => {
    for (const { kind, alert } of transitions) {
      const row = rowOf(alert);
      if (kind === 'raised') insert.run(row);
      else change.run(row);
      const id = selectId.get(row);
      if (id === undefined || kind === 'changed') continue;
      if (kind === 'cleared') clear.run({ id, cleared_at_ms: row.cleared_at_ms });
      for (const target of targets) addNotice.run(id, target, kind);
    }
    for (const target of targets) trimNotices.run(target);
    trimAlerts.run();
  });
}

function rowOf({ code, group = '', node, cause, text, raisedAt, clearedAt }: Alert): Row {
  return {
    ...{ code, group_name: group, node, cause, text },
    raised_at_ms: Math.round(raisedAt),
    cleared_at_ms: clearedAt === undefined ? null : Math.round(clearedAt),
  };
}

function alertOf(row: Row): Alert {
  return {
    code: row.code,
    ...(row.group_name !== '' && { group: row.group_name }),
    node: row.node,
    cause: causeOf(row.cause),
    text: row.text,
    raisedAt: row.raised_at_ms,
    ...(row.cleared_at_ms !== null && { clearedAt: row.cleared_at_ms }),
  };
}

/** As it was when it was to be told: one that is raised may be over by now. */
function noticeOf({ id, kind, ...row }: NoticeRow): WaitingNotice {
  return { id, kind, alert: alertOf(kind === 'raised' ? { ...row, cleared_at_ms: null } : row) };
}

/** A code that only another version of the agent knows. */
function causeOf(cause: string): ReasonCode {
  return Object.hasOwn(reasonTexts, cause) ? (cause as ReasonCode) : 'reason-unknown';
}
