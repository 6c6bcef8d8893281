import type { StreamFacts } from '../core/stream/stream.ts';

type ByGroup = ReadonlyMap<string, readonly StreamFacts[]>;

/** Per announced map of streams, which is replaced and never changed. */
const indexes = new WeakMap<ReadonlyMap<string, StreamFacts>, ByGroup>();

/** Streams of a peer by group; made once for each map. */
export function streamsByGroup(streams: ReadonlyMap<string, StreamFacts>): ByGroup {
  const known = indexes.get(streams);
  if (known !== undefined) return known;
  const index = new Map<string, StreamFacts[]>();
  for (const stream of streams.values()) {
    if (stream.group === undefined) continue;
    const members = index.get(stream.group);
    if (members === undefined) index.set(stream.group, [stream]);
    else members.push(stream);
  }
  indexes.set(streams, index);
  return index;
}
