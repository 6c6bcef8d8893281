import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import type { ReadLoad } from '../../agent/ports.ts';
import type { LoadCounter } from '../../core/load/load.ts';

/** Ticks of `/proc/stat` in one second, on every Linux that Node.js runs on. */
const ticksPerS = 100;

/** Levels of control groups above this process that are looked at. */
const levelsMax = 16;

/** Interfaces that are looked at. */
const linksMax = 64;

const megabit = 1_000_000;

/**
 * Reads the counters of this machine and of the control groups (version 2) that bound this process: processor time
 * against processors or `cpu.max`, bytes of every real interface in both directions against the link's speed. Nothing
 * where the system has no such files, and no speed where the driver does not know it (virtual machines).
 *
 * @param root where `/proc` and `/sys` are found: for tests
 */
export function createReadLoad(root = '/'): ReadLoad {
  const read = (path: string): string | undefined => {
    try {
      return readFileSync(join(root, path), 'utf8');
    } catch {
      // Not Linux, or a kernel without it: not known.
      return undefined;
    }
  };
  return () => [...machineCpu(read), ...groupCpu(read), eventLoop(), ...links(read, root)];
}

type Read = (path: string) => string | undefined;

/** Everything but idle and waiting for the disk; what a hypervisor took away counts: it is not there for viewers. */
function machineCpu(read: Read): readonly LoadCounter[] {
  const lines = (read('proc/stat') ?? '').split('\n');
  const total = lines.find((line) => line.startsWith('cpu '));
  const processors = lines.filter((line) => /^cpu\d/.test(line)).length;
  if (total === undefined || processors === 0) return [];
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = numbers(total);
  const used = (user + nice + system + irq + softirq + steal) / ticksPerS;
  return [{ resource: 'cpu', name: 'machine', used, perS: processors }];
}

/** How long the thread of this process was not waiting for something to do. */
function eventLoop(): LoadCounter {
  const { active } = performance.eventLoopUtilization();
  return { resource: 'loop', name: 'thread', used: active / 1000, perS: 1 };
}

/** Every level that has a limit; the innermost is bounded also by the processors the process may use. */
function groupCpu(read: Read): readonly LoadCounter[] {
  const path = /^0::(\/.*)$/m.exec(read('proc/self/cgroup') ?? '')?.[1];
  if (path === undefined) return [];
  const names = path.split('/').filter((name) => name !== '' && name !== '..');
  const counters: LoadCounter[] = [];
  for (let depth = names.length; depth >= 0 && counters.length < levelsMax; depth -= 1) {
    const folder = join('sys/fs/cgroup', ...names.slice(0, depth));
    const usec = /^usage_usec (\d+)$/m.exec(read(join(folder, 'cpu.stat')) ?? '')?.[1];
    const [quota, period] = numbers(read(join(folder, 'cpu.max')) ?? '');
    const limit = quota && period ? quota / period : Infinity;
    const perS = depth === names.length ? Math.min(limit, availableParallelism()) : limit;
    if (usec === undefined || perS === Infinity) continue;
    counters.push({ resource: 'cpu', name: `group ${depth}`, used: Number(usec) / 1e6, perS });
  }
  return counters;
}

function links(read: Read, root: string): readonly LoadCounter[] {
  const all = (read('proc/net/dev') ?? '').split('\n').flatMap((line) => {
    const [, name, text] = /^\s*([^\s:]+):(.*)$/.exec(line) ?? [];
    return name === undefined || text === undefined || name === 'lo' ? [] : { name, text };
  });
  // Bridges, tunnels and bonds count again what a real interface carries. Containers have virtual ones only.
  const folder = join(root, 'sys/class/net');
  const real = all.filter(({ name }) => existsSync(join(folder, name, 'device')));
  return (real.length > 0 ? real : all).slice(0, linksMax).flatMap(({ name, text }) => {
    const [received = 0, , , , , , , , sent = 0] = text.trim().split(/\s+/).map(Number);
    const mbps = Number(read(join('sys/class/net', name, 'speed')) ?? 0);
    const perS = mbps > 0 ? { perS: mbps * megabit } : {};
    return [
      { resource: 'network', name: `${name} in`, used: received * 8, ...perS },
      { resource: 'network', name: `${name} out`, used: sent * 8, ...perS },
    ];
  });
}

function numbers(line: string): readonly number[] {
  return line
    .trim()
    .split(/\s+/)
    .flatMap((word) => (/^\d+$/.test(word) ? Number(word) : []));
}
