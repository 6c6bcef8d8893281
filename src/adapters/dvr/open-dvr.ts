import { join } from 'node:path';
import type { OpenDvr } from '../../agent/archive-ports.ts';
import { BlockCache } from './block-cache.ts';
import { DvrFolder } from './dvr-folder.ts';
import { folderName } from './names.ts';

/** Segments of hours held in memory, all streams together: the longest period, a week, of a rung with segments of 4 s. */
const cachedSegmentsMax = 160_000;
/** Left free on the disk: the node's database may be there, too. */
const reserveBytesDefault = 256 * 1024 * 1024;

/** Recordings on disk: `{folder}/{stream}/{container}.{rung}/{hour}/`, in each hour an index beside its segments. */
export function createOpenDvr(options: {
  readonly defaultFolder: string;
  readonly reserveBytes?: number;
}): OpenDvr {
  const cache = new BlockCache(cachedSegmentsMax);
  const reserveBytes = options.reserveBytes ?? reserveBytesDefault;
  return async (stream, folder) => {
    const own = join(folder ?? options.defaultFolder, folderName(stream));
    const opened = new DvrFolder(stream, own, cache, reserveBytes);
    await opened.recover();
    return opened;
  };
}
