import type { Database } from 'better-sqlite3';
import { createBearerJwt } from './adapters/jose/bearer-jwt.ts';
import { createAdminTokenStore } from './adapters/sqlite/admin-token-store.ts';
import { createAuditStore } from './adapters/sqlite/audit-store.ts';
import { createTokenStore } from './adapters/sqlite/token-store.ts';
import { openAdminToken } from './adapters/system/admin-token.ts';
import { openAdminTokens } from './adapters/system/admin-tokens.ts';
import { onSchedule } from './adapters/system/schedule.ts';
import type { Clock, Log } from './agent/ports.ts';
import type { Config } from './core/config.ts';

/** How long and how many changes are kept. */
const auditDays = 400;
const auditEntriesMax = 10_000;
const auditCron = '17 3 * * *';
const dayMs = 86_400_000;

/**
 * Who may use the API: the first token, those made with it and, where configured, those of an identity provider; and the
 * log of what they changed. `stop` ends the daily trimming.
 * @throws store_failed
 */
export function composeAccess(
  { admin }: Pick<Config, 'admin'>,
  { clock, log, database }: { clock: Clock; log: Log; database: Database },
) {
  const first = openAdminToken({
    configured: admin.token,
    store: createAdminTokenStore(database),
    nowMs: clock.now().wallMs,
  });
  const tokens = openAdminTokens({
    store: createTokenStore(database),
    acceptsFirst: first.accepts,
  });
  const fromProvider = admin.oidc && createBearerJwt({ ...admin.oidc, log });
  const audit = createAuditStore(database);
  const stop = onSchedule({
    cron: auditCron,
    name: 'audit trimming',
    run: () => {
      const olderThan = clock.now().wallMs - auditDays * dayMs;
      audit.trim({ olderThan, entriesMax: auditEntriesMax });
    },
    log,
  });
  return {
    ...{ tokens, audit, stop },
    fresh: first.fresh,
    callerOf: (presented: string, nowMs: number) =>
      tokens.callerOf(presented) ?? fromProvider?.(presented, nowMs),
  };
}
