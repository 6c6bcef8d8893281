import type { ArchivedRung, ArchiveReader } from '../../src/agent/archive-ports.ts';
import type { TimeRange } from '../../src/core/archive/ranges.ts';
import type { ArchivedSegment } from '../../src/core/archive/segment-list.ts';
import type { GroupNode } from './group-rig.ts';

const segmentMs = 6_000;

/** Segments of 6 s on one grid, as far as they lie in `ranges`; named by their number, an hour to a block. */
export function segmentsOf(ranges: readonly TimeRange[], run: string): readonly ArchivedSegment[] {
  return ranges.flatMap(({ startMs, endMs }) => {
    const first = Math.ceil(startMs / segmentMs);
    const count = Math.max(0, Math.floor(endMs / segmentMs) - first);
    return Array.from({ length: count }, (_, at) => ({
      name: `${first + at}.ts`,
      startMs: (first + at) * segmentMs,
      durationMs: segmentMs,
      bytes: 1_000,
      run,
      number: first + at,
    }));
  });
}

/** Puts recordings of `ch1` into a node, as if it had made them: told to the others within a second or two. */
export function record(
  node: GroupNode,
  ranges: readonly TimeRange[],
  options: {
    readonly run?: string;
    readonly rungs?: readonly string[];
    readonly isLost?: boolean;
  } = {},
): void {
  const { run = node.id, rungs = ['high/video.m3u8', 'low/video.m3u8'], isLost = false } = options;
  const segments = isLost ? [] : segmentsOf(ranges, run);
  const { archive, coverages } = node.agent;
  const reader: ArchiveReader = {
    reads: (stream) => stream === 'ch1',
    lists: (stream) => stream === 'ch1',
    rungs: (stream) =>
      stream === 'ch1' ? rungs.map((rung) => ({ stream, container: 'ts', rung })) : [],
    entry: () => undefined,
    list: async (_: ArchivedRung, { startMs, endMs }) => [
      segments.filter(
        (segment) => segment.startMs < endMs && segment.startMs + segment.durationMs > startMs,
      ),
    ],
    open: async (rung, name) => {
      const isThere = segments.some((segment) => segment.name === name);
      if (!isThere) return { kind: 'fault', reason: 'not-found' };
      const bytes = new TextEncoder().encode(`${node.id} ${rung.rung} ${name}`);
      return { kind: 'stream', status: 200, headers: {}, body: [bytes] as never, close() {} };
    },
  };
  Object.assign(archive.reader, reader);
  coverages.replace('ch1', 'ts', ranges);
}
