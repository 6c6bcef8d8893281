import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createReadLoad } from '../../../src/adapters/system/load.ts';
import { tempFolder } from '../../support/temp-folder.ts';

/** What is read where `/proc` and `/sys` hold these files; the thread of the test itself left out. */
function readWith(files: Readonly<Record<string, string>>) {
  const root = tempFolder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return createReadLoad(root)().filter(({ resource }) => resource !== 'loop');
}

const netDev = (lines: readonly string[]) =>
  [
    'Inter-|   Receive                                                |  Transmit',
    ' face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs',
    ...lines,
  ].join('\n');

describe('reading the load of the machine', () => {
  it('takes all processor time but idle and waiting for the disk, on all processors', () => {
    const stat = 'cpu  100 20 30 900 50 6 7 8 99 0\ncpu0 50 10 15 450 25 3 3 4 0 0\ncpu1 1 1 1\n';
    expect(readWith({ 'proc/stat': stat })).toEqual([
      { resource: 'cpu', name: 'machine', used: 1.71, perS: 2 },
    ]);
  });

  it('takes every level of the control groups that bounds the process', () => {
    const group = 'sys/fs/cgroup/pod/agent';
    const read = readWith({
      'proc/self/cgroup': '1:name=systemd:/x\n0::/pod/agent\n',
      [`${group}/cpu.stat`]: 'usage_usec 2500000\nuser_usec 1\n',
      [`${group}/cpu.max`]: '50000 100000\n',
      'sys/fs/cgroup/pod/cpu.stat': 'usage_usec 9000000\n',
      'sys/fs/cgroup/pod/cpu.max': '300000 100000\n',
      'sys/fs/cgroup/cpu.stat': 'usage_usec 99000000\n',
    });
    expect(read).toEqual([
      { resource: 'cpu', name: 'group 2', used: 2.5, perS: 0.5 },
      { resource: 'cpu', name: 'group 1', used: 9, perS: 3 },
    ]);
  });

  it('bounds a control group without a limit by the processors it may use', () => {
    const read = readWith({
      'proc/self/cgroup': '0::/\n',
      'sys/fs/cgroup/cpu.stat': 'usage_usec 1000000\n',
      'sys/fs/cgroup/cpu.max': 'max 100000\n',
    });
    expect(read).toEqual([
      { resource: 'cpu', name: 'group 0', used: 1, perS: availableParallelism() },
    ]);
  });

  it('takes real interfaces in both directions, in bits, with the speed of the link', () => {
    const read = readWith({
      'proc/net/dev': netDev([
        '    lo: 9 1 0 0 0 0 0 0 9 1 0 0 0 0 0 0',
        '  eth0:1000 1 0 0 0 0 0 0 2000 1 0 0 0 0 0 0',
        '   br0: 1000 1 0 0 0 0 0 0 2000 1 0 0 0 0 0 0',
      ]),
      'sys/class/net/eth0/device/vendor': '',
      'sys/class/net/eth0/speed': '1000\n',
    });
    expect(read).toEqual([
      { resource: 'network', name: 'eth0 in', used: 8000, perS: 1e9 },
      { resource: 'network', name: 'eth0 out', used: 16_000, perS: 1e9 },
    ]);
  });

  it('takes virtual interfaces where there are no others, and no speed that the driver does not know', () => {
    const read = readWith({
      'proc/net/dev': netDev(['  eth0: 1 1 0 0 0 0 0 0 2 1 0 0 0 0 0 0']),
      'sys/class/net/eth0/speed': '-1\n',
    });
    expect(read).toEqual([
      { resource: 'network', name: 'eth0 in', used: 8 },
      { resource: 'network', name: 'eth0 out', used: 16 },
    ]);
  });

  it('finds nothing, and does not fail, where there are no such files', () => {
    expect(readWith({})).toEqual([]);
    expect(
      readWith({ 'proc/stat': '\0', 'proc/net/dev': ':::', 'proc/self/cgroup': '0::' }),
    ).toEqual([]);
  });

  it('counts how long its own thread was busy', () => {
    const read = createReadLoad();
    const busy = () => read().find(({ resource }) => resource === 'loop')?.used ?? 0;
    const before = busy();
    const until = performance.now() + 30;
    while (performance.now() < until);
    expect(busy() - before).toBeGreaterThan(0.02);
  });
});
