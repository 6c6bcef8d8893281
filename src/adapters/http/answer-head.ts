import type { Answer } from '../../agent/answer.ts';
import { type ReasonCode, reasonTexts } from '../../core/reasons.ts';
import { repeatHeader, writeRepeat } from './hop.ts';

type Playlist = Extract<Answer, { kind: 'playlist' }>;

/** An answer as HTTP says it. */
export type AnswerHead = {
  readonly status: number;
  /** Names and values in turn, names in lower case. */
  readonly headers: readonly string[];
  /** Absent where there is none, and of a file, which is sent in its own way. */
  readonly body?: string | Uint8Array | undefined;
  /** Of the body as UTF-8; 0 without one. */
  readonly bytes: number;
};

const problemTitles = { 400: 'Bad Request', 403: 'Forbidden', 404: 'Not Found' } as const;

/** What each answer is in HTTP: the one place that knows. `common` headers, names and values in turn, go with all of them. */
export function createAnswerHead(
  common: readonly string[],
): (answer: Exclude<Answer, { kind: 'cut' }>) => AnswerHead {
  const refusals = new Map<string, AnswerHead>();
  const shared = createSharedHeads();

  /** RFC 9457. Never cached: what is refused now may be served in a second. */
  function refusal(status: 400 | 403 | 404, reason: ReasonCode): AnswerHead {
    const key = `${status} ${reason}`;
    let head = refusals.get(key);
    if (head === undefined) {
      const detail = reasonTexts[reason];
      const body = JSON.stringify({ title: problemTitles[status], status, code: reason, detail });
      head = withBody(status, body, [
        ...[...common, 'content-type', 'application/problem+json'],
        ...['cache-control', 'no-store', 'x-understudy-reason', reason],
      ]);
      refusals.set(key, head);
    }
    return head;
  }

  function playlist(answer: Playlist): AnswerHead {
    const { body, reason, missingS } = answer;
    if (typeof body === 'string') return newPlaylist(answer);
    const key = missingS === undefined ? reason : `${reason} ${missingS}`;
    return shared(body, key, () => newPlaylist(answer));
  }

  function newPlaylist({ body, contentType, reason, missingS }: Playlist): AnswerHead {
    const headers = [
      ...[...common, 'content-type', contentType],
      ...['cache-control', 'private, no-store', 'x-understudy-reason', reason],
    ];
    if (missingS !== undefined) headers.push('x-understudy-missing-seconds', `${missingS}`);
    return withBody(200, body, headers);
  }

  return (answer) => {
    switch (answer.kind) {
      case 'playlist': {
        const head = playlist(answer);
        if (answer.repeat === undefined) return head;
        return { ...head, headers: [...head.headers, repeatHeader, writeRepeat(answer.repeat)] };
      }
      case 'redirect':
        return {
          status: 302,
          headers: [
            ...[...common, 'location', answer.location, 'cache-control', 'no-store'],
            ...['x-understudy-reason', answer.reason, 'content-length', '0'],
          ],
          bytes: 0,
        };
      case 'refusal':
        return refusal(answer.status, answer.reason);
      case 'file': {
        const { file, immutable } = answer;
        const life = immutable ? 'public, max-age=31536000, immutable' : 'no-store';
        const headers = [
          ...[...common, ...Object.entries(file.headers).flat()],
          ...['accept-ranges', 'bytes', 'cache-control', life],
        ];
        if (answer.repeat !== undefined) headers.push(repeatHeader, writeRepeat(answer.repeat));
        return { status: file.status, headers, bytes: 0 };
      }
    }
  };
}

/** An answer with `body`, the length of which is added to `headers`. */
export function withBody(status: number, body: string | Uint8Array, headers: string[]): AnswerHead {
  const bytes = Buffer.byteLength(body);
  headers.push('content-length', `${bytes}`);
  return { status, headers, body, bytes };
}

/** Bytes that go to many viewers: a head is made once for each `key`, of which there are few, and goes with the bytes. */
export function createSharedHeads() {
  const heads = new WeakMap<Uint8Array, Map<string, AnswerHead>>();
  return (bytes: Uint8Array, key: string, make: () => AnswerHead): AnswerHead => {
    const known = heads.get(bytes) ?? new Map<string, AnswerHead>();
    let head = known.get(key);
    if (head === undefined) {
      head = make();
      heads.set(bytes, known.set(key, head));
    }
    return head;
  };
}
