import type { ReadLoad } from '../../src/agent/ports.ts';
import type { LoadCounter } from '../../src/core/load/load.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** The load of a machine, percent, as a test sets it; what is undefined cannot be measured there. */
export type FakeLoad = { cpuPercent: number | undefined; networkPercent: number | undefined };

const gigabit = 1_000_000_000;

/** What serving viewers costs of the machine's load, percent: most of it is the packager. */
const loopPercent = 1;

/** Counters of a machine with one processor and a link of 1 Gbit/s, as busy as `load` says from one reading to the next. */
export function readFakeLoad(load: FakeLoad, clock: VirtualClock): ReadLoad {
  const used = { cpu: 0, loop: 0, network: 0 };
  let at = clock.now().monoMs;
  return () => {
    const now = clock.now().monoMs;
    const { cpuPercent, networkPercent } = load;
    used.cpu += (((cpuPercent ?? 0) / 100) * (now - at)) / 1000;
    used.loop += ((loopPercent / 100) * (now - at)) / 1000;
    used.network += (((networkPercent ?? 0) / 100) * gigabit * (now - at)) / 1000;
    at = now;
    const counters: LoadCounter[] = [];
    if (cpuPercent !== undefined)
      counters.push(
        { resource: 'cpu', name: 'machine', used: used.cpu, perS: 1 },
        { resource: 'loop', name: 'thread', used: used.loop, perS: 1 },
      );
    if (networkPercent !== undefined)
      counters.push({ resource: 'network', name: 'eth0 out', used: used.network, perS: gigabit });
    return counters;
  };
}
