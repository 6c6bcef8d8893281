import { Counter, Gauge, type Registry } from 'prom-client';
import type { Report } from '../../agent/worker-ports.ts';
import type { Repeated } from './answer-metrics.ts';

/** What workers do; nothing of it moves where there are none. `countAnswers` counts what viewers get, whoever answers. */
export function workerMetrics(registry: Registry, countAnswers: Repeated) {
  const registers = [registry];
  const serving = new Gauge({
    name: 'understudy_workers_serving',
    help: 'Workers that listen for viewers; 0 where one process does all',
    registers,
  });
  const restarts = new Counter({
    name: 'understudy_worker_restarts_total',
    help: 'Workers started again after they ended',
    labelNames: ['worker'],
    registers,
  });
  const repeated = new Counter({
    name: 'understudy_worker_repeated_answers_total',
    help: 'Answers that a worker gave without asking the main process',
    labelNames: ['worker'],
    registers,
  });
  return {
    serve: (count: number) => serving.set(count),
    restarted: (worker: number) => restarts.inc({ worker: String(worker) }),
    answered(worker: number, answered: Report['answered']): void {
      for (const [kind, reason, count] of answered) {
        countAnswers(kind, reason === '' ? 'none' : reason, count);
        repeated.inc({ worker: String(worker) }, count);
      }
    },
  };
}
