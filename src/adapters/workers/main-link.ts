import type { Log } from '../../agent/ports.ts';
import type { FromWorker, ToWorker } from './messages.ts';

/** A worker's side of the way to the main process; the worker ends with it. */
export function createMainLink() {
  const send = (message: FromWorker, onSent: () => void = () => undefined) => {
    if (process.connected) process.send?.(message, onSent);
  };
  const log = (level: 'debug' | 'info' | 'warn' | 'error'): Log['info'] => {
    return (event, fields) => send({ kind: 'log', level, event, fields });
  };
  return {
    send,
    /** Written by the main process. */
    log: { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') } as Log,
    onMessage(hear: (message: ToWorker) => void): void {
      process.on('message', (message) => hear(message as ToWorker));
    },
  };
}
