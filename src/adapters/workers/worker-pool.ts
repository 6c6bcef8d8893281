import cluster from 'node:cluster';
import type { Word } from '../../agent/worker-ports.ts';
import { type SlotDeps, WorkerSlot } from './worker-slot.ts';

/** Workers get this long to answer what is under way when the node stops, ms: their listeners cut what is left after 3 s. */
const stopMsMax = 5_000;

/** The workers of a node: so many processes that share one port. */
export type WorkerPool = {
  /** The port, once every worker listens. @throws Error whatever the first of them fails with */
  start(): Promise<number>;
  say(word: Word): void;
  /** How many listen. */
  serving(): number;
  stop(): Promise<void>;
};

/** @param program what a worker runs */
export function createWorkerPool(
  options: { readonly count: number; readonly program: string } & Omit<SlotDeps, 'onChange'>,
): WorkerPool {
  const { count, program, ...deps } = options;
  cluster.setupPrimary({ exec: program, args: [], serialization: 'advanced' });
  let onChange: SlotDeps['onChange'] = () => undefined;
  const slots = Array.from(
    { length: count },
    (_, at) => new WorkerSlot(at + 1, { ...deps, onChange: (fault) => onChange(fault) }),
  );
  const serving = () => slots.filter(({ port }) => port !== undefined).length;
  return {
    serving,
    async start() {
      for (const slot of slots) slot.start();
      await new Promise<void>((resolve, reject) => {
        onChange = (fault) => {
          if (fault !== undefined) reject(new Error(fault));
          else if (serving() === count) resolve();
        };
      });
      onChange = () => undefined;
      return slots[0]?.port ?? 0;
    },
    say(word) {
      for (const slot of slots) slot.say(word);
    },
    async stop() {
      await Promise.all(slots.map((slot) => slot.stop(stopMsMax)));
    },
  };
}
