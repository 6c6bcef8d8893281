import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Log, Meter, MonitoredState } from '../../agent/ports.ts';
import { setState, stateGauges } from './state-gauges.ts';
import { workerMetrics } from './worker-metrics.ts';

/** Upper bounds of the times until an answer is known, seconds; the promise is 1 s for a playlist. */
const decisionBucketsS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

/**
 * What Prometheus reads (`docs/metrics.md`). Labels are reason codes, states, and names of streams and peers up to a
 * limit: never anything of a viewer.
 */
export function createMetrics({ version }: { readonly version: string }) {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: 'understudy_build_info',
    help: '1; the version is in the label',
    labelNames: ['version'],
    registers,
  }).set({ version }, 1);
  const answers = new Counter({
    name: 'understudy_viewer_answers_total',
    help: 'Answers to viewers by kind and reason',
    labelNames: ['kind', 'reason'],
    registers,
  });
  const decisions = new Histogram({
    name: 'understudy_viewer_decision_seconds',
    help: 'Time until it was known what to answer a viewer',
    labelNames: ['kind'],
    buckets: decisionBucketsS,
    registers,
  });
  const lines = new Counter({
    name: 'understudy_log_events_total',
    help: 'Log lines by level, also those that are not written',
    labelNames: ['level'],
    registers,
  });
  for (const level of ['info', 'warn', 'error']) lines.inc({ level }, 0);
  const expiry = new Gauge({
    name: 'understudy_certificate_expiry_timestamp_seconds',
    help: 'When the certificate that viewers are shown runs out; absent without TLS',
    labelNames: ['listener'],
    registers,
  });
  const gauges = stateGauges(registry);
  const workers = workerMetrics(registry, answers);

  const meter: Meter = {
    answered({ kind, reason = 'none', decidedInMs }) {
      answers.inc({ kind, reason });
      decisions.observe({ kind }, decidedInMs / 1000);
    },
  };
  return {
    meter,
    workers,
    registry,
    contentType: registry.contentType,
    /** The certificate that viewers are shown runs out then, Unix ms. */
    certificateExpires: (at: number) => expiry.set({ listener: 'viewers' }, at / 1000),
    /** The text of all metrics, of a node in `state`. */
    text(state: MonitoredState): Promise<string> {
      setState(gauges, state);
      return registry.metrics();
    },
    /** The same log, counted. */
    counting: (log: Log): Log => ({
      debug: log.debug,
      info: (...line) => {
        lines.inc({ level: 'info' });
        log.info(...line);
      },
      warn: (...line) => {
        lines.inc({ level: 'warn' });
        log.warn(...line);
      },
      error: (...line) => {
        lines.inc({ level: 'error' });
        log.error(...line);
      },
    }),
  };
}
