import type { MonoMs } from '../core/time.ts';
import type { Clock, OriginFault, Timers } from './ports.ts';

const late: OriginFault = { kind: 'fault', reason: 'origin-timeout' };

/**
 * What `work` comes to until `untilAt`, else `origin-timeout`: however many steps it takes, nobody waits longer. What comes
 * later is given to `drop`.
 */
export async function within<T>(
  { clock, timers }: { readonly clock: Clock; readonly timers: Timers },
  untilAt: MonoMs,
  work: Promise<T>,
  drop: (found: T) => void = () => undefined,
): Promise<T | OriginFault> {
  let takeBack = () => {};
  let isLate = false;
  const timeout = new Promise<OriginFault>((resolve) => {
    takeBack = timers.after(Math.max(1, untilAt - clock.now().monoMs), () => {
      isLate = true;
      resolve(late);
    });
  });
  const found = work.then((one) => {
    if (isLate) drop(one);
    return one;
  });
  try {
    return await Promise.race([found, timeout]);
  } finally {
    takeBack();
  }
}
