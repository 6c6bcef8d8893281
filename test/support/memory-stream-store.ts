import type { StreamStore } from '../../src/agent/ports.ts';
import { AgentError } from '../../src/core/errors.ts';
import type { StreamConfig } from '../../src/core/stream/stream.ts';

/** A store in memory; while `isFull`, writes fail as they do on a full disk. */
export function createMemoryStreamStore(
  ...streams: readonly StreamConfig[]
): StreamStore & { isFull: boolean } {
  const kept = new Map(streams.map((stream) => [stream.name, stream]));
  const write = (change: () => void) => {
    if (store.isFull) throw new AgentError('store_failed', 'disk is full');
    change();
  };
  const store = {
    isFull: false,
    list: () => [...kept.values()],
    put: (stream: StreamConfig) => write(() => kept.set(stream.name, stream)),
    remove: (name: string) => write(() => kept.delete(name)),
  };
  return store;
}
