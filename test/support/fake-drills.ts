import type { DrillView } from '../../src/agent/drill/drill-view.ts';
import type { Drills } from '../../src/agent/drill/drills.ts';
import type { DrillWish } from '../../src/core/drill/failure.ts';
import type { FamilyResult } from '../../src/core/drill/report.ts';
import { AgentError } from '../../src/core/errors.ts';

type FakeDrills = Pick<Drills, 'begin' | 'list' | 'get' | 'stop'> & {
  /** Why none can begin. */
  refusal?: string;
  /** What a drill has come to when it is asked for; without it, it goes on. */
  endsAs?: 'passed' | 'lost';
};

/** Drills that only keep what was wanted. */
export function createFakeDrills(): FakeDrills {
  const kept: DrillView[] = [];
  const fake: FakeDrills = {
    begin(wish, { wallMs }) {
      if (fake.refusal !== undefined) throw new AgentError('conflict', fake.refusal);
      const id = `drill-${kept.length + 1}`;
      const drill: DrillView = {
        ...{ id, wish, state: 'warming', startedAt: wallMs, families: [], probes: [], viewers: [] },
      };
      kept.unshift(drill);
      return drill;
    },
    list: () => kept,
    get(id) {
      const drill = kept.find((one) => one.id === id);
      return drill && fake.endsAs ? ended(drill, fake.endsAs === 'passed') : drill;
    },
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

function ended(drill: DrillView, passed: boolean): DrillView {
  const { wish, startedAt } = drill;
  return {
    ...drill,
    ...{ state: 'done', passed, failureAt: startedAt, endedAt: startedAt + wish.durationS * 1000 },
    families: wish.families.map((family) => familyResult(family, wish, passed)),
    viewers: [
      {
        ...{ family: 'browser', met: 12, left: 11, leftAfterMs: 300 },
        ...{ arrived: 10, arrivedAfterMs: 1_000, to: ['node-b'] },
      },
    ],
  };
}

function familyResult(
  family: FamilyResult['family'],
  { probes }: DrillWish,
  passed: boolean,
): FamilyResult {
  return {
    ...{ family, isAssumed: false, expected: 'moves', expectedWithinMs: 3_000, probes },
    ...{ chosen: probes, moved: passed ? probes : 0, ended: 0, withoutMediaMs: 0, missingMs: 0 },
    ...{ movedAfterMs: 1_100, servedAfterMs: 1_200, to: passed ? ['node-b'] : [] },
    verdict: passed ? 'carried' : 'lost',
  };
}
