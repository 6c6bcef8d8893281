import { schedule } from 'node-cron';
import type { Log } from '../../agent/ports.ts';

/**
 * Calls `run` whenever the cron expression says, in the time zone of the process; the answer ends that. A run that
 * throws is logged, and the next one is due all the same. For what may be minutes late: all else has timers of its own.
 */
export function onSchedule(options: {
  readonly cron: string;
  readonly name: string;
  readonly run: () => void;
  readonly log: Log;
}): () => void {
  const { name, log } = options;
  const task = schedule(
    options.cron,
    () => {
      try {
        options.run();
      } catch (error) {
        log.error('scheduled work failed', { work: name, cause: error });
      }
    },
    {
      name,
      logger: {
        info: () => {},
        debug: () => {},
        warn: (text) => log.warn('schedule complains', { work: name, text }),
        error: (text) => log.error('schedule complains', { work: name, text: String(text) }),
      },
    },
  );
  return () => void task.destroy();
}
