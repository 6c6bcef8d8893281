import type { DrillView } from '../../src/agent/drill/drill-view.ts';
import type { Drills } from '../../src/agent/drill/drills.ts';
import { AgentError } from '../../src/core/errors.ts';

/** Drills that only keep what was wanted; `refusal`: why none can begin. */
export function createFakeDrills() {
  const kept: DrillView[] = [];
  const fake: Pick<Drills, 'begin' | 'list' | 'get' | 'stop'> & { refusal?: string } = {
    async begin(wish, { wallMs }) {
      if (fake.refusal !== undefined) throw new AgentError('conflict', fake.refusal);
      const id = `drill-${kept.length + 1}`;
      const drill: DrillView = {
        ...{ id, wish, state: 'warming', startedAt: wallMs, families: [], probes: [], viewers: [] },
      };
      kept.unshift(drill);
      return drill;
    },
    list: () => kept,
    get: (id) => kept.find((drill) => drill.id === id),
    stop(id, { wallMs }) {
      const at = kept.findIndex((drill) => drill.id === id);
      const drill = kept[at];
      if (drill === undefined) return undefined;
      const stopped: DrillView = { ...drill, state: 'stopped', endedAt: wallMs };
      kept.splice(at, 1, stopped);
      return stopped;
    },
  };
  return fake;
}
