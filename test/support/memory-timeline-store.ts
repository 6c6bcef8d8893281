import type { TimelineStore } from '../../src/agent/ports.ts';
import type { Remembered } from '../../src/core/timeline/resume.ts';

/** Survives the agent, not the test. */
export function memoryTimelineStore(): TimelineStore {
  const rows = new Map<string, Remembered>();
  return {
    read: (stream) => rows.get(stream),
    write: (stream, remembered) => void rows.set(stream, remembered),
  };
}
