import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A file system of its own of 1 MB, gone when the test ends; undefined where none may be mounted. */
export function smallDisk(): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-disk-'));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder]);
  onTestFinished(() => {
    if (mounted.status === 0) spawnSync('umount', ['-l', folder]);
    rmdirSync(folder);
  });
  return mounted.status === 0 ? folder : undefined;
}
