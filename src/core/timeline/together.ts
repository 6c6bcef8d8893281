import { signedTicks, ticksPerSecond } from '../media/units.ts';
import type { RungNow } from './resume.ts';

/** What rungs of one packager may be apart, by their times against their arrival, ticks. */
const apartTicksMax = 10 * ticksPerSecond;

/**
 * Whether all rungs count their times from one beginning, as those of one packager do: only then one offset places them all.
 * One that began anew by itself does not.
 */
export function areTogether(rungs: readonly RungNow[]): boolean {
  const [first, ...others] = rungs.map(
    ({ newestTicks, newestAt }) => newestTicks - (newestAt * ticksPerSecond) / 1_000,
  );
  return others.every((base) => Math.abs(signedTicks(base - (first ?? 0))) <= apartTicksMax);
}
