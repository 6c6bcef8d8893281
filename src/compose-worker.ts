import { performance } from 'node:perf_hooks';
import { type Listener, listenBy } from './adapters/http/listen.ts';
import { createWorkerListener } from './adapters/http/worker-listener.ts';
import { sharedMs } from './adapters/system/clock.ts';
import { createMainLink } from './adapters/workers/main-link.ts';
import type { WorkerSettings } from './adapters/workers/messages.ts';
import { Repertoire } from './agent/workers/repertoire.ts';

/** How often the main process is told what was answered, ms. */
const reportEveryMs = 250;
/** How often it is looked whether that cannot wait, ms. */
const lookEveryMs = 25;

type Link = ReturnType<typeof createMainLink>;

/** Serves viewers as a worker of the main process that started this one, until that says stop, or ends. */
export async function runWorker(): Promise<void> {
  // A terminal, or a service manager, tells all processes of the node: the main process decides when this one ends.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
    process.on(signal, () => undefined);
  const link = createMainLink();
  let serving: Serving | undefined;
  await new Promise<void>((resolve) => {
    link.onMessage((message) => {
      switch (message.kind) {
        case 'begin':
          serving = serve(message.settings, link);
          break;
        case 'word':
          serving?.repertoire.hear(message.word, message.taken, message.sentAtMs);
          break;
        case 'replies':
          serving?.hear(message.replies);
          break;
        case 'stop':
          void Promise.resolve(serving?.close()).then(resolve);
      }
    });
    link.send({ kind: 'ready' });
  });
  process.disconnect();
}

type Serving = ReturnType<typeof serve>;

function serve(settings: WorkerSettings, link: Link) {
  const { listen, tls, socketPath, isBehindProxy, seq, bytesMax } = settings;
  const repertoire = new Repertoire({ bytesMax, seq });
  const { onRequest, hear, close } = createWorkerListener({
    ...{ repertoire, socketPath, isBehindProxy, sharedMs },
    sendAsks: (asks) => link.send({ kind: 'asks', asks }),
  });
  const onExpiry = (at: number) => link.send({ kind: 'expiry', at });
  const listening = listenBy(onRequest, { ...listen, tls, log: link.log, onExpiry });
  const stopReports = report(repertoire, link);
  void listening.then(
    ({ address }) => link.send({ kind: 'listening', port: address.port }),
    (error) => link.send({ kind: 'failed', cause: String(error) }, () => process.exit(1)),
  );
  return {
    repertoire,
    hear,
    async close() {
      const listener: Listener | undefined = await listening.catch(() => undefined);
      await listener?.close();
      close();
      stopReports();
    },
  };
}

/** The answer stops it, after a last one. */
function report(repertoire: Repertoire, link: Link): () => void {
  let reportedAt = 0;
  const send = () => {
    reportedAt = sharedMs();
    const activeS = performance.eventLoopUtilization().active / 1_000;
    link.send({ kind: 'report', report: repertoire.report(reportedAt), activeS });
  };
  const timer = setInterval(() => {
    if (repertoire.isFull || sharedMs() - reportedAt >= reportEveryMs) send();
  }, lookEveryMs);
  return () => {
    clearInterval(timer);
    send();
  };
}
