import { describe, expect, it } from 'vitest';
import { Audience } from '../../src/agent/audience.ts';
import type { Watching } from '../../src/agent/sessions.ts';
import { testNow } from '../support/builders.ts';

const later = (ms: number) => ({ ...testNow, monoMs: testNow.monoMs + ms });

/** An audience of 3 and 4 viewers, and how often it was looked at. */
function anAudience() {
  let looks = 0;
  const alike = (sessions: number): Watching => ({
    ...{ stream: 'ch1', kind: 'own', home: 'node-a', backups: ['node-b', `node-${sessions}`] },
    get sessions() {
      looks += 1;
      return sessions;
    },
  });
  let surveys = 0;
  const survey = () => {
    surveys += 1;
    return [alike(3), alike(4)];
  };
  const audience = new Audience({ nodeId: 'node-a', sessions: { survey } });
  return { audience, looks: () => looks, surveys: () => surveys };
}

describe('the audience', () => {
  it('is surveyed every 5 s', () => {
    const { audience, surveys } = anAudience();
    for (const ms of [0, 1_000, 4_999]) audience.tick(later(ms));
    expect(surveys()).toBe(1);
    audience.tick(later(5_000));
    expect(surveys()).toBe(2);
  });

  it('is counted with the survey, not by each request', () => {
    const { audience, looks } = anAudience();
    expect(audience.count()).toBe(0);
    audience.tick(later(0));
    const before = looks();
    for (let request = 0; request < 100; request += 1) expect(audience.count()).toBe(7);
    expect(looks()).toBe(before);
  });

  it('tells the others the same as long as it is the same', () => {
    const { audience } = anAudience();
    audience.tick(later(0));
    const told = audience.assigned();
    expect(told).toHaveLength(2);
    audience.tick(later(5_000));
    expect(audience.assigned()).toBe(told);
  });
});
