import { rmSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { listenLocally } from './adapters/http/listen.ts';
import type { createViewerApp } from './adapters/http/viewer-app.ts';
import type { createMetrics } from './adapters/metrics/prometheus.ts';
import { sharedMs } from './adapters/system/clock.ts';
import { createWorkerPool } from './adapters/workers/worker-pool.ts';
import type { Clock, Log } from './agent/ports.ts';
import type { Repeats } from './agent/workers/repeats.ts';
import type { Config } from './core/config.ts';
import { ConfigError } from './core/errors.ts';
import type { LoadCounter } from './core/load/load.ts';

/** Beside this file, when it is built. */
const program = fileURLToPath(new URL('./worker.js', import.meta.url));

/** Longest path of a Unix socket, bytes. */
const socketPathBytesMax = 107;

/**
 * Serves viewers by workers, all of whom listen when this settles. Workers ask `app` at a socket in the data folder.
 * @throws config_invalid where the path of that folder is too long; whatever a worker fails to listen with
 */
export async function startWorkers(
  { store, viewers, limits, workers: count }: Config,
  base: {
    readonly app: ReturnType<typeof createViewerApp>;
    readonly repeats: Repeats;
    readonly clock: Clock;
    readonly log: Log;
    readonly metrics: ReturnType<typeof createMetrics>;
    readonly load: ReturnType<typeof createWorkerLoad>;
    readonly stops: (() => void | Promise<void>)[];
  },
): Promise<{ readonly port: number; readonly unready: () => string | undefined }> {
  const { app, repeats, clock, log, metrics, load, stops } = base;
  const socketPath = socketPathIn(store.dataDir);
  const { listen, tls, trustedProxies } = viewers;
  rmSync(socketPath, { force: true });
  const local = await listenLocally(app, socketPath);
  stops.push(() => local.close());
  const pool = createWorkerPool({
    ...{ count, program, log, sharedMs },
    settings: () => ({
      ...{ seq: repeats.seq, socketPath, listen, tls, bytesMax: limits.segmentCacheBytesMax },
      isBehindProxy: trustedProxies.length > 0,
    }),
    onAsks: app.answerAsks,
    onReport: (report, worker, activeS) => {
      load.note(worker, activeS);
      repeats.take(report, clock.now());
      metrics.workers.answered(worker, report.answered);
    },
    onExpiry: metrics.certificateExpires,
    onRestart: metrics.workers.restarted,
  });
  stops.push(() => pool.stop());
  repeats.onWord((word) => {
    pool.say(word);
    metrics.workers.serve(pool.serving());
  });
  const port = await pool.start();
  const unready = () =>
    pool.serving() === count ? undefined : `${pool.serving()} of ${count} workers serve`;
  return { port, unready };
}

/** What the threads of workers have done: the node is full for viewers when one of them is, as when its own is. */
export function createWorkerLoad() {
  const active = new Map<number, number>();
  return {
    note: (worker: number, activeS: number) => void active.set(worker, activeS),
    read: (): readonly LoadCounter[] =>
      [...active].map(([worker, used]) => ({
        ...{ resource: 'loop', name: `worker ${worker}`, used, perS: 1 },
      })),
  };
}

/** Absolute, or as seen from the working directory where that is shorter: the system allows few bytes. @throws config_invalid */
function socketPathIn(dataDir: string): string {
  const absolute = resolve(dataDir, 'workers.sock');
  const near = join('.', relative('', absolute));
  const path = Buffer.byteLength(near) < Buffer.byteLength(absolute) ? near : absolute;
  if (Buffer.byteLength(path) > socketPathBytesMax)
    throw new ConfigError('wrong configuration', [
      'UNDERSTUDY_DATA_DIR must be shorter for UNDERSTUDY_WORKERS: the path of a socket in it is too long',
    ]);
  return path;
}
