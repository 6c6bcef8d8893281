import { describe, expect, it } from 'vitest';
import {
  type AdmissionFacts,
  type AdmissionState,
  costOfViewer,
  idleAdmission,
  judgeAdmission,
  refusalOf,
  times,
  withViewer,
} from '../../../src/core/placement/admission.ts';
import { noCost } from '../../../src/core/placement/lately.ts';

const limits = { cpuPercent: 90, networkPercent: 90 };

function facts(parts: Partial<AdmissionFacts> = {}): AdmissionFacts {
  return { load: {}, limits, backupSessions: 0, expected: noCost, now: 0, ...parts };
}

/** Why a stranger is refused after one look at these facts. */
function refused(parts: Partial<AdmissionFacts>, state: AdmissionState = idleAdmission) {
  const now = facts(parts);
  return refusalOf(judgeAdmission(state, now), now, false);
}

describe('a viewer of another node', () => {
  it.each([
    ['just below', 89.9, undefined],
    ['at', 90, undefined],
    ['just above', 90.1, 'overloaded'],
  ])('%s a limit of load: %d percent', (_, percent, reason) => {
    expect(refused({ load: { cpuPercent: percent } })).toBe(reason);
    expect(refused({ load: { networkPercent: percent } })).toBe(reason);
  });

  it.each([
    [9, undefined],
    [10, 'backup-limit'],
    [11, 'backup-limit'],
  ])('with %d others here and at most 10', (backupSessions, reason) => {
    expect(refused({ backupSessions, backupSessionsMax: 10 })).toBe(reason);
  });

  it('is let in where the load is not known', () => {
    expect(refused({ load: {} })).toBeUndefined();
  });

  it('is let in where the limit is 100 percent, even by a machine that is that busy', () => {
    const parts = {
      load: { cpuPercent: 100, networkPercent: 100 },
      atTheDoor: times({ cpuPercent: 1, networkPercent: 1 }, 2),
    };
    expect(refused({ ...parts, limits: { cpuPercent: 100, networkPercent: 100 } })).toBeUndefined();
    expect(refused({ ...parts, limits: { cpuPercent: 99, networkPercent: 100 } })).toBe(
      'overloaded',
    );
    expect(refused({ ...parts, limits: { cpuPercent: 100, networkPercent: 99 } })).toBe(
      'overloaded',
    );
  });

  it('is refused by a limit of no viewers at all', () => {
    expect(refused({ backupSessionsMax: 0 })).toBe('backup-limit');
  });

  it('counts itself: the one who would bring the node over its limit stays outside', () => {
    const load = { cpuPercent: 89 };
    expect(refused({ load, atTheDoor: { ...noCost, cpuPercent: 1 } })).toBeUndefined();
    expect(refused({ load, atTheDoor: { ...noCost, cpuPercent: 1.01 } })).toBe('overloaded');
  });

  it('is refused for those let in before whose load does not show yet', () => {
    const cost = { cpuPercent: 0.1, networkPercent: 0 };
    const load = { cpuPercent: 50 };
    let state = idleAdmission;
    let admitted = 0;
    while (refused({ load, atTheDoor: cost }, state) === undefined) {
      state = withViewer(state, cost, 0);
      admitted += 1;
    }
    expect(admitted).toBeGreaterThanOrEqual(399);
    expect(admitted).toBeLessThanOrEqual(400);
    // As time goes by, what they cost shows in the load itself: then it counts there.
    expect(refused({ load, atTheDoor: cost, now: 6_000 }, state)).toBeUndefined();
  });
});

describe('refusing', () => {
  const full = judgeAdmission(idleAdmission, facts({ load: { cpuPercent: 91 } }));

  it('goes on until the load is at 90 % of the limit', () => {
    const at = (cpuPercent: number) => refused({ load: { cpuPercent }, now: 60_000 }, full);
    expect(at(81.1)).toBe('overloaded');
    expect(at(81)).toBeUndefined();
  });

  it('goes on for 5 s at least', () => {
    const idle = { load: { cpuPercent: 10 } };
    expect(refused({ ...idle, now: 4_999 }, full)).toBe('overloaded');
    expect(refused({ ...idle, now: 5_000 }, full)).toBeUndefined();
  });

  it('is told to others at the backup limit, and until 5 % of the places are free again', () => {
    const isTold = (backupSessions: number, state = idleAdmission) =>
      judgeAdmission(state, facts({ backupSessions, backupSessionsMax: 100 }));
    expect(isTold(99).isAtBackupLimit).toBe(false);
    const reached = isTold(100);
    expect(reached.isAtBackupLimit).toBe(true);
    expect(isTold(96, reached).isAtBackupLimit).toBe(true);
    expect(isTold(95, reached).isAtBackupLimit).toBe(false);
    // Those who hold this node as their backup already are let in wherever there is a place.
    expect(refused({ backupSessions: 96, backupSessionsMax: 100 }, reached)).toBeUndefined();
  });
});

describe('viewers on their way from a node that fell silent', () => {
  const expected = times({ cpuPercent: 0.1, networkPercent: 0 }, 500);
  const state = judgeAdmission(idleAdmission, facts({ load: { cpuPercent: 50 }, expected }));

  it('keep the room that is left for themselves', () => {
    expect(state).toMatchObject({ full: { is: false }, spokenFor: { is: true } });
    expect(refusalOf(state, facts(), true)).toBeUndefined();
    expect(refusalOf(state, facts(), false)).toBe('overloaded');
  });

  it('leave others in as long as there is room for all', () => {
    const few = judgeAdmission(
      idleAdmission,
      facts({ load: { cpuPercent: 50 }, expected: { cpuPercent: 40, networkPercent: 0 } }),
    );
    expect(refusalOf(few, facts(), false)).toBeUndefined();
  });
});

describe('what one viewer costs', () => {
  it('is the mean of those here, of the thread that serves them where that is measured', () => {
    const load = { cpuPercent: 60, loopPercent: 20, networkPercent: 40 };
    expect(costOfViewer({ load, viewers: 100 })).toEqual({ cpuPercent: 0.2, networkPercent: 0.4 });
    const { loopPercent: _, ...machine } = load;
    expect(costOfViewer({ load: machine, viewers: 100 }).cpuPercent).toBe(0.6);
  });

  it('is not made of a handful of viewers', () => {
    const load = { loopPercent: 20 };
    expect(costOfViewer({ load, viewers: 0 }).cpuPercent).toBe(1);
    expect(costOfViewer({ load, viewers: 20 }).cpuPercent).toBe(1);
    expect(costOfViewer({ load, viewers: 21 }).cpuPercent).toBeLessThan(1);
  });

  it('is the rate of the stream where that and the capacity of the network are known', () => {
    const load = { networkPercent: 40 };
    const cost = costOfViewer({ load, viewers: 1, bitsPerS: 5e6, networkBitsPerS: 1e9 });
    expect(cost.networkPercent).toBe(0.5);
  });
});
