import cluster, { type Worker } from 'node:cluster';
import type { Log } from '../../agent/ports.ts';
import type { Ask, Reply, Report, Word } from '../../agent/worker-ports.ts';
import type { FromWorker, ToWorker, WorkerSettings } from './messages.ts';

/** A worker that fails is started again after this time, doubled each time up to the most, ms. */
const restartMs = 100;
const restartMsMax = 10_000;
/** One that has served for so long has not failed before, ms. */
const steadyMs = 60_000;
/** A worker that says nothing for so long hangs: it says something every 250 ms. Also how long it may take to start, ms. */
const silentMsMax = 5_000;
const startMsMax = 30_000;
/** Who has not told it anything for so long has stood still: what it has said meanwhile is not read yet, ms. */
const stoodStillMs = 1_000;
/** Lines that a worker may log before the next report; further ones are dropped. */
const linesMax = 20;

export type SlotDeps = {
  readonly log: Log;
  readonly sharedMs: () => number;
  readonly settings: () => WorkerSettings;
  /** Replies go to the process that asked, whatever has taken its place. */
  readonly onAsks: (asks: readonly Ask[], tell: (replies: readonly Reply[]) => void) => void;
  readonly onReport: (report: Report, worker: number, activeS: number) => void;
  readonly onExpiry: (at: number) => void;
  readonly onRestart: (worker: number) => void;
  /** Whether it listens has changed; `fault` says why it cannot. */
  readonly onChange: (fault?: string) => void;
};

/** One worker, whichever process it is now. */
export class WorkerSlot {
  readonly #number: number;
  readonly #deps: SlotDeps;
  #worker: Worker | undefined;
  #port: number | undefined;
  #begunAt = 0;
  #heardAt = 0;
  #saidAt = 0;
  #taken = 0;
  #lines = 0;
  #failures = 0;
  #isStopping = false;
  #restart: NodeJS.Timeout | undefined;
  #ended: () => void = () => undefined;

  constructor(number: number, deps: SlotDeps) {
    this.#number = number;
    this.#deps = deps;
  }

  /** Where it listens; undefined while it does not. */
  get port(): number | undefined {
    return this.#port;
  }

  start(): void {
    const worker = cluster.fork(withoutSettings());
    this.#worker = worker;
    this.#begunAt = this.#deps.sharedMs();
    this.#heardAt = this.#begunAt;
    this.#saidAt = this.#begunAt;
    this.#taken = 0;
    worker.on('message', (message: FromWorker) => this.#hear(message, worker));
    worker.on('error', () => undefined);
    worker.once('exit', (code, signal) => this.#end(code, signal));
  }

  /** Tells it something, and ends it where it does not answer. */
  say(word: Word): void {
    if (this.#worker === undefined) return;
    const sentAtMs = this.#deps.sharedMs();
    if (sentAtMs - this.#saidAt > stoodStillMs) this.#heardAt = sentAtMs;
    this.#saidAt = sentAtMs;
    const hangs =
      this.#port === undefined
        ? sentAtMs - this.#begunAt > startMsMax
        : sentAtMs - this.#heardAt > silentMsMax;
    if (hangs) this.#kill();
    else this.#send({ kind: 'word', word, taken: this.#taken, sentAtMs });
  }

  /** Settles when it has ended: at once, when its requests are answered, or after `msMax`. */
  async stop(msMax: number): Promise<void> {
    this.#isStopping = true;
    clearTimeout(this.#restart);
    const worker = this.#worker;
    if (worker === undefined) return;
    const ended = new Promise<void>((resolve) => {
      this.#ended = resolve;
    });
    this.#send({ kind: 'stop' });
    const cut = setTimeout(() => worker.process.kill('SIGKILL'), msMax);
    await ended;
    clearTimeout(cut);
  }

  #kill(): void {
    const { log, sharedMs } = this.#deps;
    this.#begunAt = sharedMs();
    this.#heardAt = this.#begunAt;
    log.error('worker hangs', { worker: this.#number, pid: this.#worker?.process.pid });
    this.#worker?.process.kill('SIGKILL');
  }

  #send(message: ToWorker, worker = this.#worker): void {
    // What cannot be sent any more is of no use: the worker has ended.
    if (worker?.isConnected() === true) worker.send(message, () => undefined);
  }

  #hear(message: FromWorker, worker: Worker): void {
    const { log, onAsks, onChange, onExpiry, onReport } = this.#deps;
    this.#heardAt = this.#deps.sharedMs();
    switch (message.kind) {
      case 'ready':
        this.#send(
          this.#isStopping ? { kind: 'stop' } : { kind: 'begin', settings: this.#deps.settings() },
        );
        break;
      case 'listening':
        this.#port = message.port;
        log.info('worker serves', { worker: this.#number, pid: this.#worker?.process.pid });
        onChange();
        break;
      case 'failed':
        onChange(message.cause);
        break;
      case 'asks':
        onAsks(message.asks, (replies) => this.#send({ kind: 'replies', replies }, worker));
        break;
      case 'report':
        this.#taken += 1;
        this.#lines = 0;
        onReport(message.report, this.#number, message.activeS);
        break;
      case 'expiry':
        onExpiry(message.at);
        break;
      case 'log': {
        this.#lines += 1;
        const { level, event, fields } = message;
        if (this.#lines <= linesMax) log[level](event, { ...fields, worker: this.#number });
      }
    }
  }

  #end(code: number, signal: string): void {
    const { log, sharedMs, onChange, onRestart } = this.#deps;
    const pid = this.#worker?.process.pid;
    const fault = this.#port === undefined ? 'a worker ended before it served' : undefined;
    this.#worker = undefined;
    this.#port = undefined;
    this.#ended();
    onChange(fault);
    if (this.#isStopping) return;
    this.#failures = sharedMs() - this.#begunAt >= steadyMs ? 0 : this.#failures;
    const inMs = Math.min(restartMs * 2 ** this.#failures, restartMsMax);
    this.#failures += 1;
    log.error('worker ended', { worker: this.#number, pid, code, signal, restartInMs: inMs });
    this.#restart = setTimeout(() => {
      onRestart(this.#number);
      this.start();
    }, inMs);
  }
}

/** A worker has no use for the settings of the node, and no business with its secrets. */
function withoutSettings(): Record<string, undefined> {
  const names = Object.keys(process.env).filter((name) => name.startsWith('UNDERSTUDY_'));
  return Object.fromEntries(names.map((name) => [name, undefined]));
}
