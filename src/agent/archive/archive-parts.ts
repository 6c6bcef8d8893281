import type { LiveStreams } from '../live-streams.ts';
import type { CoverageStore } from '../ports.ts';
import { Coverages } from './coverages.ts';
import { noReader } from './no-reader.ts';
import { OwnArchives } from './own-archives.ts';

/** What is recorded on this node, and what others are told of it. */
export function createArchiveParts(
  ports: { readonly coverageStore: CoverageStore },
  live: LiveStreams,
) {
  const coverages = new Coverages(ports.coverageStore);
  const reader = noReader;
  const archives = new OwnArchives({
    ...{ coverages, reader },
    config: (name) => live.config(name),
    live: { version: () => live.factsVersion, facts: () => live.allFacts() },
  });
  return { coverages, reader, archives };
}
