import type { HttpBindings } from '@hono/node-server';
import { stored } from '../../agent/segment-fill.ts';
import { SentBytes } from '../../agent/sent-bytes.ts';
import type { Known, Repertoire } from '../../agent/workers/repertoire.ts';
import { connectionOf } from './connection.ts';
import { createPassOn, type Exchange, type OnAnswer } from './pass-on.ts';

const reasonHeader = 'x-understudy-reason';

/** Made anew for each answer. */
const ofOneAnswer = new Set(['content-length', 'date', reasonHeader]);

/**
 * Takes viewers' requests in a worker: what the main process has answered before and lets be repeated is answered from memory,
 * everything else is passed on to it.
 */
export function createWorkerListener(deps: {
  readonly repertoire: Repertoire;
  /** Where the main process answers. */
  readonly socketPath: string;
  /** Behind a proxy one connection serves many viewers. */
  readonly isBehindProxy: boolean;
  /** The clock that worker and main process share, ms. */
  readonly sharedMs: () => number;
}) {
  const { repertoire, isBehindProxy, sharedMs } = deps;
  const sent = new SentBytes(repertoire);
  const { passOn, close } = createPassOn(deps.socketPath);
  const onRequest = (
    incoming: HttpBindings['incoming'],
    outgoing: HttpBindings['outgoing'],
  ): void => {
    const host = hostOf(incoming);
    const isGet = incoming.method === 'GET';
    const connection = isBehindProxy ? undefined : connectionOf(incoming);
    const question = `${host} ${incoming.url}`;
    const known = isGet ? repertoire.find(question, sharedMs()) : undefined;
    if (known !== undefined) {
      answerKnown(known, { incoming, outgoing }, (bytes) => note(sent, connection, known, bytes));
      return;
    }
    passOn({ incoming, outgoing, host }, (answer) => {
      noteAnswer(sent, connection, answer);
      if (isGet) keep(repertoire, question, answer);
    });
  };
  return { onRequest, close };
}

/** As it is named in HTTP/1.1 or 2. */
function hostOf({ headers }: HttpBindings['incoming']): string {
  const authority = headers[':authority'];
  return (typeof authority === 'string' ? authority : headers.host) ?? '';
}

function answerKnown(
  { kind, headers, bytes, reason }: Known,
  { incoming, outgoing }: Pick<Exchange, 'incoming' | 'outgoing'>,
  onBytes: (bytes: Uint8Array) => void,
): void {
  if (kind === 'playlist') {
    onBytes(bytes);
    const length = `${bytes.length}`;
    outgoing.writeHead(200, { ...headers, 'content-length': length, [reasonHeader]: reason });
    outgoing.end(bytes);
    return;
  }
  const answer = stored(bytes, headers, incoming.headers.range);
  onBytes(answer.bytes);
  const isNone = answer.status === 416 && { ...headers, 'cache-control': 'no-store' };
  outgoing.writeHead(answer.status, { ...isNone, ...answer.headers });
  outgoing.end(answer.bytes);
}

function note(
  sent: SentBytes,
  connection: object | undefined,
  { kind, who }: Known,
  bytes: Uint8Array,
): void {
  if (kind === 'file') sent.noteBytes(connection, bytes.length);
  else if (who !== undefined) sent.note(connection, who, bytes.length);
}

/** Playlists that were passed on are counted by the main process already; whose connection it is, is known here only. */
function noteAnswer(
  sent: SentBytes,
  connection: object | undefined,
  { headers, repeat }: Parameters<OnAnswer>[0],
): void {
  if (repeat?.who !== undefined) sent.note(connection, repeat.who, 0);
  const isFile = headers['accept-ranges'] !== undefined;
  if (isFile) sent.noteBytes(connection, Number(headers['content-length']));
}

function keep(
  repertoire: Repertoire,
  question: string,
  { status, headers, repeat, bytes }: Parameters<OnAnswer>[0],
): void {
  if (repeat === undefined || bytes === undefined || status !== 200) return;
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers))
    if (typeof value === 'string' && !ofOneAnswer.has(name)) kept[name] = value;
  const kind = repeat.who === undefined ? 'file' : 'playlist';
  const reason = headers[reasonHeader];
  const said = typeof reason === 'string' ? reason : '';
  repertoire.keep(question, repeat, { kind, headers: kept, bytes, reason: said });
}
