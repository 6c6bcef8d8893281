import { Counter, type Histogram, type Registry } from 'prom-client';
import type { Meter } from '../../agent/ports.ts';

/** Counts answers that a worker gave by itself: nothing had to be decided, so that no time is noted. */
export type Repeated = (kind: string, reason: string, count: number) => void;

/** Answers of one kind so far. */
type Tally = {
  /** How many for each reason, and how many of them the counter has. */
  readonly reasons: Map<string, { count: number; taken: number }>;
  /** Those decided within each of the bounds, but not within the one before. */
  readonly within: number[];
  /** Those that were decided here, and how long that took. */
  count: number;
  sumS: number;
};

/** Upper bounds of the times until an answer is known, seconds; the promise is 1 s for a playlist. */
const boundsS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

const times = {
  name: 'understudy_viewer_decision_seconds',
  help: 'Time until it was known what to answer a viewer',
  type: 'histogram',
  aggregator: 'sum',
};

/**
 * Counts answers at what a request can afford: names of labels are joined and checked when Prometheus reads, not with
 * every answer (ADR 24).
 */
export function answerMetrics(registry: Registry): {
  readonly meter: Meter;
  readonly repeated: Repeated;
} {
  const tallies = new Map<string, Tally>();
  new Counter({
    name: 'understudy_viewer_answers_total',
    help: 'Answers to viewers by kind and reason',
    labelNames: ['kind', 'reason'],
    registers: [registry],
    collect() {
      for (const [kind, { reasons }] of tallies)
        for (const [reason, counted] of reasons) {
          this.inc({ kind, reason }, counted.count - counted.taken);
          counted.taken = counted.count;
        }
    },
  });
  // The registry asks a metric for its name and `get`, and nothing else.
  const histogram = { ...times, get: async () => ({ ...times, values: seriesOf(tallies) }) };
  registry.registerMetric(histogram as unknown as Histogram);

  const tallyOf = (kind: string) => {
    let tally = tallies.get(kind);
    if (tally === undefined) {
      tally = newTally();
      tallies.set(kind, tally);
    }
    return tally;
  };
  return {
    meter: {
      answered({ kind, reason = 'none', decidedInMs }) {
        const tally = tallyOf(kind);
        count(tally, reason, 1);
        time(tally, decidedInMs / 1000);
      },
    },
    repeated: (kind, reason, more) => count(tallyOf(kind), reason, more),
  };
}

function newTally(): Tally {
  return { reasons: new Map(), within: boundsS.map(() => 0), count: 0, sumS: 0 };
}

function count({ reasons }: Tally, reason: string, more: number): void {
  const counted = reasons.get(reason);
  if (counted === undefined) reasons.set(reason, { count: more, taken: 0 });
  else counted.count += more;
}

function time(tally: Tally, seconds: number): void {
  tally.count += 1;
  tally.sumS += seconds;
  const at = boundsS.findIndex((bound) => seconds <= bound);
  if (at >= 0) tally.within[at] = (tally.within[at] ?? 0) + 1;
}

/** As Prometheus has histograms: each bucket counts what the ones before it count, too. */
function seriesOf(tallies: ReadonlyMap<string, Tally>) {
  return [...tallies].flatMap(([kind, { within, count, sumS }]) => {
    let soFar = 0;
    const buckets = boundsS.map((le, at) => {
      soFar += within[at] ?? 0;
      return { labels: { le: `${le}`, kind }, value: soFar };
    });
    buckets.push({ labels: { le: '+Inf', kind }, value: count });
    return [
      ...buckets.map((bucket) => ({ ...bucket, metricName: `${times.name}_bucket` })),
      { labels: { kind }, value: sumS, metricName: `${times.name}_sum` },
      { labels: { kind }, value: count, metricName: `${times.name}_count` },
    ];
  });
}
