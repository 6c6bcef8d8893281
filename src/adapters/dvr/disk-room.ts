import { statfs } from 'node:fs/promises';

/** Asking again and again would cost more than it tells, ms. */
const keptMs = 1_000;

/** Tells whether a disk has room for more and still `reserveBytes` left for others, such as the database. */
export function createDiskRoom(folder: string, reserveBytes: number) {
  let freeBytes = 0;
  let askedAt = Number.NEGATIVE_INFINITY;
  return {
    /** Rejects as the file system does. */
    async takes(bytes: number): Promise<boolean> {
      if (performance.now() - askedAt > keptMs) {
        const { bavail, bsize } = await statfs(folder);
        freeBytes = bavail * bsize;
        askedAt = performance.now();
      }
      freeBytes -= bytes;
      return freeBytes >= reserveBytes;
    },
  };
}
