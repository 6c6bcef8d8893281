import { stored } from '../../agent/segment-fill.ts';
import type { Known } from '../../agent/workers/repertoire.ts';
import { type AnswerHead, createSharedHeads, withBody } from './answer-head.ts';
import type { Exchange } from './pass-on.ts';
import { sendWhole } from './send-answer.ts';

const shared = createSharedHeads();

/** Answers from memory. `onBytes` is told what is sent. */
export function answerKnown(
  known: Known,
  { incoming, outgoing }: Pick<Exchange, 'incoming' | 'outgoing'>,
  onBytes: (bytes: Uint8Array) => void,
): void {
  const { kind, headers, bytes } = known;
  if (kind === 'playlist') {
    onBytes(bytes);
    sendWhole(outgoing, playlistHead(known));
    return;
  }
  const answer = stored(bytes, headers, incoming.headers.range);
  onBytes(answer.bytes);
  const isNone = answer.status === 416 && { ...headers, 'cache-control': 'no-store' };
  outgoing.writeHead(answer.status, { ...isNone, ...answer.headers });
  outgoing.end(answer.bytes);
}

function playlistHead({ headers, bytes, reason }: Known): AnswerHead {
  return shared(bytes, reason, () =>
    withBody(200, bytes, [...Object.entries(headers).flat(), 'x-understudy-reason', reason]),
  );
}
