import { statfs } from 'node:fs/promises';
import type { DvrFault } from '../../agent/archive-ports.ts';
import { makeFolderDurably } from './durable-files.ts';

/** Asking again and again for the free room would cost more than it tells, ms. */
const freeKeptMs = 1_000;

/** A folder to write to as long as `reserveBytes` are left on its disk for others. */
export function createDisk(folder: string, reserveBytes: number) {
  let freeBytes = 0;
  let askedAt = Number.NEGATIVE_INFINITY;

  const takes = async (bytes: number) => {
    if (performance.now() - askedAt > freeKeptMs) {
      const { bavail, bsize } = await statfs(folder);
      freeBytes = bavail * bsize;
      askedAt = performance.now();
    }
    freeBytes -= bytes;
    return freeBytes >= reserveBytes;
  };

  return {
    /** Runs `write`, which needs `bytes`, unless there is no room; whatever fails is a fault. */
    async write(bytes: number, write: () => Promise<void>): Promise<DvrFault | undefined> {
      try {
        await makeFolderDurably(folder);
        if (!(await takes(bytes))) return full('reserve reached');
        await write();
        return undefined;
      } catch (error) {
        const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
        const isFull = code === 'ENOSPC' || code === 'EDQUOT';
        return isFull ? full(code) : { kind: 'fault', reason: 'recorder-disk-failed', cause: code };
      }
    },
  };
}

function full(cause: string): DvrFault {
  return { kind: 'fault', reason: 'recorder-disk-full', cause };
}
