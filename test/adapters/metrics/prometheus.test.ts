import { describe, expect, it } from 'vitest';
import { createMetrics } from '../../../src/adapters/metrics/prometheus.ts';
import type { MonitoredState } from '../../../src/agent/ports.ts';
import { createFakeLog } from '../../support/fake-log.ts';

const aState = (facts: Partial<MonitoredState> = {}): MonitoredState => ({
  sessions: { own: 0, backup: 0 },
  streams: [],
  groups: [],
  peers: [],
  keyState: 'in-force',
  draining: false,
  overloaded: false,
  atBackupLimit: false,
  load: {},
  alerts: new Map(),
  ...facts,
});

/** The series of one metric, label text to value. */
async function series(metrics: ReturnType<typeof createMetrics>, name: string, state = aState()) {
  const text = await metrics.text(state);
  const lines = text.split('\n').filter((line) => line.startsWith(`understudy_${name}`));
  return Object.fromEntries(
    lines.map((line) => {
      const [key = '', value] = line.replace(`understudy_${name}`, '').split(/ (?=\S+$)/);
      return [key, Number(value)];
    }),
  );
}

describe('metrics', () => {
  it('count answers by kind and reason, files without one', async () => {
    const metrics = createMetrics({ version: '1.2.3' });
    const answered = metrics.meter.answered;
    answered({ kind: 'refusal', reason: 'frozen', decidedInMs: 3 });
    answered({ kind: 'refusal', reason: 'frozen', decidedInMs: 3 });
    answered({ kind: 'file', decidedInMs: 30 });
    expect(await series(metrics, 'viewer_answers_total')).toEqual({
      '{kind="refusal",reason="frozen"}': 2,
      '{kind="file",reason="none"}': 1,
    });
    expect(await series(metrics, 'viewer_decision_seconds_sum')).toEqual({
      '{kind="refusal"}': 0.006,
      '{kind="file"}': 0.03,
    });
  });

  it('count what workers repeat among the answers, without a time', async () => {
    const metrics = createMetrics({ version: '1.2.3' });
    metrics.workers.answered(1, [['playlist', 'own-viewer', 40]]);
    metrics.meter.answered({ kind: 'playlist', reason: 'own-viewer', decidedInMs: 3 });
    metrics.workers.answered(2, [
      ['playlist', 'own-viewer', 2],
      ['file', '', 5],
    ]);
    expect(await series(metrics, 'viewer_answers_total')).toEqual({
      '{kind="playlist",reason="own-viewer"}': 43,
      '{kind="file",reason="none"}': 5,
    });
    expect(await series(metrics, 'viewer_decision_seconds_count')).toMatchObject({
      '{kind="playlist"}': 1,
    });
    expect(await series(metrics, 'worker_repeated_answers_total')).toEqual({
      '{worker="1"}': 40,
      '{worker="2"}': 7,
    });
  });

  it('tell when the certificate runs out, the latest one, and nothing without one', async () => {
    const metrics = createMetrics({ version: '1.2.3' });
    const name = 'certificate_expiry_timestamp_seconds';
    expect(await series(metrics, name)).toEqual({});
    for (const at of [1_800_000_000_000, 1_900_000_000_000]) metrics.certificateExpires(at);
    expect(await series(metrics, name)).toEqual({ '{listener="viewers"}': 1_900_000_000 });
  });

  it('tell the state of now, and nothing that is gone', async () => {
    const metrics = createMetrics({ version: '1.2.3' });
    const before = aState({
      streams: [
        { name: 'ch1', onAir: true },
        { name: 'ch2', onAir: false },
      ],
      groups: [{ state: 'degraded', problems: [{ code: 'clock-skew' }, { code: 'clock-skew' }] }],
      peers: [{ url: 'http://b:8082', reachability: 'reachable', clockOffsetMs: -1500 }],
      load: { cpu: 42 },
      alerts: new Map([[78, 2]]),
    });
    const both = { '{state="on_air"}': 1, '{state="off_air"}': 1 };
    expect(await series(metrics, 'streams', before)).toEqual(both);
    const named = { '{stream="ch1"}': 1, '{stream="ch2"}': 0 };
    expect(await series(metrics, 'stream_on_air', before)).toEqual(named);
    expect(await series(metrics, 'group_problems', before)).toEqual({ '{code="clock-skew"}': 2 });
    const offset = { '{peer="http://b:8082"}': -1.5 };
    expect(await series(metrics, 'peer_clock_offset_seconds', before)).toEqual(offset);
    expect(await series(metrics, 'load_ratio', before)).toEqual({ '{resource="cpu"}': 0.42 });
    const alerts = { '{code="70"}': 0, '{code="78"}': 2, '{code="79"}': 0 };
    expect(await series(metrics, 'alerts', before)).toEqual(alerts);
    for (const name of ['stream_on_air', 'group_problems', 'peer_reachable', 'load_ratio'])
      expect(await series(metrics, name)).toEqual({});
  });

  it('name 500 streams at most, and count all', async () => {
    const metrics = createMetrics({ version: '1.2.3' });
    const streams = Array.from({ length: 501 }, (_, at) => ({ name: `ch${at}`, onAir: true }));
    expect(Object.keys(await series(metrics, 'stream_on_air', aState({ streams })))).toHaveLength(
      500,
    );
    const counts = await series(metrics, 'streams', aState({ streams }));
    expect(counts['{state="on_air"}']).toBe(501);
  });

  it('count the lines of the log, which stays what it is', async () => {
    const metrics = createMetrics({ version: '1.2.3' });
    const log = createFakeLog();
    const counted = metrics.counting(log);
    counted.debug('a', { b: 1 });
    counted.info('c');
    counted.warn('d');
    counted.error('e');
    counted.error('f', { g: 2 });
    expect(log.lines.map(({ event }) => event)).toEqual(['a', 'c', 'd', 'e', 'f']);
    expect(log.lines[4]?.fields).toEqual({ g: 2 });
    const counts = { '{level="info"}': 1, '{level="warn"}': 1, '{level="error"}': 2 };
    expect(await series(metrics, 'log_events_total')).toEqual(counts);
  });
});
