import type { HttpBindings } from '@hono/node-server';
import { SentBytes } from '../../agent/sent-bytes.ts';
import type { Ask, Reply } from '../../agent/worker-ports.ts';
import type { Known, Repertoire } from '../../agent/workers/repertoire.ts';
import { answerKnown } from './answer-known.ts';
import { type Asking, createAsking } from './asking.ts';
import { connectionOf } from './connection.ts';
import { passedOnHeaders } from './hop.ts';
import { createPassOn, type OnAnswer } from './pass-on.ts';
import { cut, sendWhole } from './send-answer.ts';
import { isPlain } from './viewer-lane.ts';

const reasonHeader = 'x-understudy-reason';

/** Made anew for each answer. */
const ofOneAnswer = new Set(['content-length', 'date', reasonHeader]);

/** Playlists and MPDs, which are asked for: they are small, and come whole. */
const asksFor = /\.(?:m3u8|mpd)(?:\?|$)/;

type Incoming = HttpBindings['incoming'];
type Outgoing = HttpBindings['outgoing'];

/**
 * Takes viewers' requests in a worker: what the main process has answered before and lets be repeated is answered from memory.
 * Playlists, MPDs and refusals of them are asked for in batches, everything else is passed on as HTTP.
 */
export function createWorkerListener(deps: {
  readonly repertoire: Repertoire;
  /** Where the main process answers. */
  readonly socketPath: string;
  /** Takes what is asked to the main process, whose replies `hear` is told. */
  readonly sendAsks: (asks: readonly Ask[]) => void;
  /** Behind a proxy one connection serves many viewers. */
  readonly isBehindProxy: boolean;
  /** The clock that worker and main process share, ms. */
  readonly sharedMs: () => number;
}) {
  const { repertoire, isBehindProxy, sharedMs } = deps;
  const sent = new SentBytes(repertoire);
  const { passOn, close } = createPassOn(deps.socketPath);
  const asking = createAsking(deps.sendAsks);

  function onRequest(incoming: Incoming, outgoing: Outgoing): void {
    const host = hostOf(incoming);
    const isGet = incoming.method === 'GET';
    const connection = isBehindProxy ? undefined : connectionOf(incoming);
    const question = `${host} ${incoming.url}`;
    const known = isGet ? repertoire.find(question, sharedMs()) : undefined;
    if (known !== undefined) {
      answerKnown(known, { incoming, outgoing }, (bytes) => note(sent, connection, known, bytes));
      return;
    }
    const onByHttp = () =>
      passOn({ incoming, outgoing, host }, (answer) => {
        noteAnswer(sent, connection, answer);
        if (isGet) keepFile(repertoire, question, answer);
      });
    const ask = isGet ? askOf(incoming, host) : undefined;
    if (ask === undefined) {
      onByHttp();
      return;
    }
    // A body that nobody reads would stop the connection.
    incoming.resume();
    const isAsked = asking.ask(ask, (reply) => {
      if (outgoing.destroyed) return;
      if (reply.kind === 'file') onByHttp();
      else if (reply.kind === 'cut') cut(outgoing);
      else {
        if (reply.repeat?.who !== undefined) sent.note(connection, reply.repeat.who, 0);
        keepPlaylist(repertoire, question, reply);
        sendWhole(outgoing, reply);
      }
    });
    if (!isAsked) outgoing.writeHead(404).end();
  }

  return { onRequest, hear: (replies: readonly Reply[]) => asking.hear(replies), close };
}

/** Undefined where it is not a playlist, or in a way that is not said in short. */
function askOf(incoming: Incoming, named: string): Parameters<Asking['ask']>[0] | undefined {
  const { url: target = '', headers, socket } = incoming;
  if (!asksFor.test(target)) return undefined;
  const isEncrypted = 'encrypted' in socket;
  const passed = passedOnHeaders(headers, {
    ...{ host: named, address: socket.remoteAddress, isEncrypted },
  });
  return isPlain(String(passed.host), target) ? { target, headers: passed } : undefined;
}

/** As it is named in HTTP/1.1 or 2. */
function hostOf({ headers }: Incoming): string {
  const authority = headers[':authority'];
  return (typeof authority === 'string' ? authority : headers.host) ?? '';
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

function keepFile(
  repertoire: Repertoire,
  question: string,
  { status, headers, repeat, bytes }: Parameters<OnAnswer>[0],
): void {
  if (repeat === undefined || repeat.who !== undefined || bytes === undefined) return;
  if (status !== 200) return;
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers))
    if (typeof value === 'string' && !ofOneAnswer.has(name)) kept[name] = value;
  repertoire.keep(question, repeat, { kind: 'file', headers: kept, bytes, reason: '' });
}

function keepPlaylist(
  repertoire: Repertoire,
  question: string,
  { headers, body, bytes, repeat }: Extract<Reply, { kind: 'answer' }>,
): void {
  if (repeat?.what === undefined || body === undefined) return;
  const kept: Record<string, string> = {};
  let reason = '';
  for (let at = 0; at < headers.length; at += 2) {
    const [name = '', value = ''] = headers.slice(at, at + 2);
    if (name === reasonHeader) reason = value;
    else if (!ofOneAnswer.has(name)) kept[name] = value;
  }
  const text = typeof body !== 'string' ? body : bytesOf(body, bytes);
  repertoire.keep(question, repeat, { kind: 'playlist', headers: kept, bytes: text, reason });
}

/** Of text that has a character for each byte, or of any other. */
function bytesOf(text: string, bytes: number): Uint8Array {
  return Buffer.from(text, text.length === bytes ? 'latin1' : 'utf8');
}
