import type { Ask, Reply } from '../../agent/worker-ports.ts';
import { inBatches } from './in-batches.ts';

/** Asks of one worker that wait for the main process at once; further ones get 404. */
const waitingMax = 10_000;

/** Asks the main process what viewers are answered. `send` goes there. */
export function createAsking(send: (asks: readonly Ask[]) => void) {
  const waiting = new Map<number, (reply: Reply) => void>();
  const add = inBatches(send);
  let lastId = 0;
  return {
    /** False, and nothing asked, where too many wait already. */
    ask(asked: Omit<Ask, 'id'>, onReply: (reply: Reply) => void): boolean {
      if (waiting.size >= waitingMax) return false;
      lastId += 1;
      waiting.set(lastId, onReply);
      add({ id: lastId, ...asked });
      return true;
    },
    /** The main process has replied. */
    hear(replies: readonly Reply[]): void {
      for (const reply of replies) {
        const onReply = waiting.get(reply.id);
        waiting.delete(reply.id);
        onReply?.(reply);
      }
    },
  };
}

export type Asking = ReturnType<typeof createAsking>;
