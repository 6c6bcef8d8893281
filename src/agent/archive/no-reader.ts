import type { ArchiveReader } from '../ports.ts';

/** For a node that records nothing by itself. */
export const noReader: ArchiveReader = {
  reads: () => false,
  rungs: () => [],
  entry: () => undefined,
  list: async () => [],
  open: async () => ({ kind: 'fault', reason: 'not-found' }),
};
