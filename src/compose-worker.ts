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
  let repertoire: Repertoire | undefined;
  await new Promise<void>((resolve) => {
    let close = async () => {};
    link.onMessage((message) => {
      if (message.kind === 'word') repertoire?.hear(message.word, message.taken, message.sentAtMs);
      else if (message.kind === 'stop') void close().then(resolve);
      else {
        const { seq, bytesMax } = message.settings;
        repertoire = new Repertoire({ bytesMax, seq });
        close = serve(message.settings, repertoire, link);
      }
    });
    link.send({ kind: 'ready' });
  });
  process.disconnect();
}

/** The answer ends it. */
function serve(settings: WorkerSettings, repertoire: Repertoire, link: Link): () => Promise<void> {
  const { listen, tls, socketPath, isBehindProxy } = settings;
  const { onRequest, close } = createWorkerListener({
    ...{ repertoire, socketPath, isBehindProxy, sharedMs },
  });
  const onExpiry = (at: number) => link.send({ kind: 'expiry', at });
  const listening = listenBy(onRequest, { ...listen, tls, log: link.log, onExpiry });
  const stopReports = report(repertoire, link);
  void listening.then(
    ({ address }) => link.send({ kind: 'listening', port: address.port }),
    (error) => link.send({ kind: 'failed', cause: String(error) }, () => process.exit(1)),
  );
  return async () => {
    const listener: Listener | undefined = await listening.catch(() => undefined);
    await listener?.close();
    close();
    stopReports();
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
