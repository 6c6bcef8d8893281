import type { CoverageStore } from '../../src/agent/archive-ports.ts';
import type { TimeRange } from '../../src/core/archive/ranges.ts';
import type { Container } from '../../src/core/stream/stream.ts';

/** What is recorded, over the lives of an agent. */
export function memoryCoverageStore(): CoverageStore {
  const kept = new Map<string, Map<Container, TimeRange[]>>();
  return {
    list: () =>
      [...kept].flatMap(([stream, ofStream]) =>
        [...ofStream].map(([container, ranges]) => ({ stream, container, ranges })),
      ),
    rewrite(stream, container, within, ranges) {
      const ofStream = kept.get(stream) ?? new Map<Container, TimeRange[]>();
      const left = (ofStream.get(container) ?? []).filter(
        ({ startMs }) => startMs < within.startMs || startMs >= within.endMs,
      );
      ofStream.set(
        container,
        [...left, ...ranges].sort((a, b) => a.startMs - b.startMs),
      );
      kept.set(stream, ofStream);
    },
    remove: (stream) => void kept.delete(stream),
    atOnce: (work) => work(),
  };
}
