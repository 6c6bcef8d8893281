import { after } from '../../agent/after.ts';
import type { Answer } from '../../agent/answer.ts';
import type { Ask, Repeat, Reply } from '../../agent/worker-ports.ts';
import type { AnswerHead, createAnswerHead } from './answer-head.ts';
import { inBatches } from './in-batches.ts';
import { headerIn } from './viewer-lane.ts';
import type { Decide, Failed } from './viewer-requests.ts';

/** Answers what a worker asks, each as soon as it is known. */
export type AnswerAsks = (asks: readonly Ask[], tell: (replies: readonly Reply[]) => void) => void;

/** The lane of workers: what they ask is decided and said as what comes from a socket is (`createViewerLane`). */
export function createAnswerAsks(parts: {
  readonly decide: Decide;
  readonly headOf: ReturnType<typeof createAnswerHead>;
  readonly failed: Failed;
}): AnswerAsks {
  const { decide, headOf, failed } = parts;

  function replyTo(id: number, answer: Answer): Reply {
    switch (answer.kind) {
      case 'cut':
        return { id, kind: 'cut' };
      case 'file':
        if (answer.file.kind === 'stream') answer.file.close();
        return { id, kind: 'file' };
      case 'playlist':
        // What is said of repeating goes beside the head here.
        return whole(id, headOf({ ...answer, repeat: undefined }), answer.repeat);
      default:
        return whole(id, headOf(answer));
    }
  }

  return (asks, tell) => {
    const add = inBatches(tell);
    for (const { id, target, headers } of asks) {
      const header = headerIn(headers);
      const reply = (answer: Answer) => add(replyTo(id, answer));
      const fail = (error: unknown) => reply(failed(target.split('?', 1)[0] ?? '', error));
      try {
        const asked = { host: header('host') ?? '', target, header, incoming: undefined };
        const told = after<Answer, void>(decide(asked), reply);
        if (told instanceof Promise) told.catch(fail);
      } catch (error) {
        fail(error);
      }
    }
  };
}

function whole(id: number, head: AnswerHead, repeat?: Repeat): Reply {
  const { status, headers, body, bytes } = head;
  return { id, kind: 'answer', status, headers, body, bytes, repeat };
}
