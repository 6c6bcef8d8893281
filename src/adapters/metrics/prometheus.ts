import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Log, MonitoredState } from '../../agent/ports.ts';
import { answerMetrics } from './answer-metrics.ts';
import { setState, stateGauges } from './state-gauges.ts';
import { workerMetrics } from './worker-metrics.ts';

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
  const answers = answerMetrics(registry);
  const workers = workerMetrics(registry, answers.repeated);

  return {
    meter: answers.meter,
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
