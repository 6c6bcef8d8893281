import { createJwtAuthority } from './adapters/jose/viewer-jwt.ts';
import { createHttpAuthority } from './adapters/viewer-auth/http-backend.ts';
import type { Config } from './core/config.ts';
import type { LoadLimits } from './core/load/load.ts';

/** Who may come, in the agent's units. */
export function visitorSettings({ limits, viewers }: Config) {
  const { backupSessionsMax, cpuPercentMax, networkPercentMax, networkCapacityMbps } = limits;
  const loadLimits: LoadLimits = {
    cpuPercent: cpuPercentMax,
    networkPercent: networkPercentMax,
    ...(networkCapacityMbps !== undefined && { networkBitsPerS: networkCapacityMbps * 1_000_000 }),
  };
  return { backupSessionsMax, loadLimits, loginLimitScope: viewers.loginLimitScope };
}

/** Who decides whether a viewer may watch; nothing where viewers need no token. */
export function composeViewerAuth(auth: Config['viewers']['auth']) {
  if (auth === undefined) return undefined;
  const { cacheS, failsOpen } = auth;
  const authority = auth.kind === 'jwt' ? createJwtAuthority(auth) : createHttpAuthority(auth);
  return { authority, cacheS, failsOpen };
}
