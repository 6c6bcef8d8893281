import type { Config } from './core/config.ts';
import type { LoadLimits } from './core/load/load.ts';

/** The load limits in the units in which load is measured. */
export function loadLimitsOf(limits: Config['limits']): LoadLimits {
  const { cpuPercentMax: cpuPercent, networkPercentMax: networkPercent } = limits;
  const mbps = limits.networkCapacityMbps;
  return {
    ...{ cpuPercent, networkPercent },
    ...(mbps !== undefined && { networkBitsPerS: mbps * 1_000_000 }),
  };
}
