import type { ArchiveReader, SegmentFolder } from '../archive-ports.ts';
import { segmentBudgetMs } from '../live-snapshots.ts';
import type { OpenOrigin, Origin } from '../ports.ts';

/** Folders that are open at once; a node has one per recorded stream. */
const originsMax = 1_000;

/**
 * Reads segments from the folders of this node. `reads`: this node has, or will have, the segments of the stream; `folder`:
 * where they are, undefined as long as that is not known.
 */
export function createFolderReader(deps: {
  readonly reads: (stream: string) => boolean;
  readonly folder: (stream: string) => SegmentFolder | undefined;
  readonly openOrigin: OpenOrigin;
}): Omit<ArchiveReader, 'lists'> {
  const origins = new Map<string, Origin>();
  const originOf = ({ folder }: SegmentFolder): Origin => {
    const known = origins.get(folder);
    if (known !== undefined) return known;
    if (origins.size >= originsMax) origins.clear();
    const origin = deps.openOrigin(folder);
    origins.set(folder, origin);
    return origin;
  };
  return {
    reads: deps.reads,
    rungs: (stream) => deps.folder(stream)?.rungs() ?? [],
    entry: (stream) => deps.folder(stream)?.entry(),
    list: async (rung, period) => (await deps.folder(rung.stream)?.list(rung, period)) ?? [],
    open: async (rung, name, range) => {
      const folder = deps.folder(rung.stream);
      const url = folder?.urlOf(rung, name);
      if (folder === undefined || url === undefined) return { kind: 'fault', reason: 'not-found' };
      const found = await originOf(folder).open(url, { range, firstByteMs: segmentBudgetMs });
      const isAbsent = found.kind === 'fault' && found.status === 404;
      return isAbsent ? { ...found, reason: 'not-found' } : found;
    },
  };
}
