import { createHash, randomInt } from 'node:crypto';
import type { AskRecordings, RecordingsAnswer } from '../../agent/archive-ports.ts';
import type { TimeRange } from '../../core/archive/ranges.ts';
import { nextCursor, readRecordedAnswer } from '../../core/archive/recorded-answer.ts';
import type { Container } from '../../core/stream/stream.ts';
import { getJson } from './http-json.ts';

/** Most pages of one answer. */
const pagesMax = 50;

type Question = { readonly url: URL; readonly headers: Readonly<Record<string, string>> };

type Server = {
  /** In what the server gives recordings away. */
  readonly containers: readonly Container[];
  ask(at: Place, period: TimeRange): Question;
};

/** `url` of `archive.api` taken apart. */
type Place = {
  readonly origin: string;
  /** Of the stream there; may hold slashes. */
  readonly name: string;
  readonly user: string;
  readonly secret: string;
};

const servers: Readonly<Record<Parameters<AskRecordings>[0]['kind'], Server>> = {
  flussonic: {
    containers: ['ts', 'fmp4'],
    ask: (at, { startMs }) => ({
      url: addressOf(at, `streamer/api/v3/streams/${pathOf(at.name)}/dvr/ranges`, {
        from: String(Math.floor(startMs / 1_000)),
      }),
      headers: authorization(at),
    }),
  },
  mediamtx: {
    containers: ['fmp4'],
    ask: (at, { startMs, endMs }) => ({
      url: addressOf(at, 'list', {
        path: at.name,
        start: new Date(startMs).toISOString(),
        end: new Date(endMs).toISOString(),
      }),
      headers: authorization(at),
    }),
  },
  nimble: {
    containers: ['ts', 'fmp4'],
    ask: (at) => ({
      url: addressOf(at, `manage/dvr_status/${pathOf(at.name)}`, {
        timeline: 'true',
        ...nimbleSignature(at.secret),
      }),
      headers: {},
    }),
  },
};

/**
 * Asks a media server what it has recorded of a stream. `url` is `{address of the API}/{name of the stream there}`; its
 * user and password are those of the server (a password alone is a bearer token, or Nimble's management token).
 */
export const askRecordings: AskRecordings = async ({ kind, url }, period) => {
  const at = placeOf(url);
  const server = servers[kind];
  const question = server.ask(at, period);
  const found: TimeRange[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < pagesMax; pages += 1) {
    if (cursor !== undefined) question.url.searchParams.set('cursor', cursor);
    const answer = await getJson(question.url, question.headers);
    if (answer.kind === 'fault') return failed(answer.cause);
    // Nothing is recorded of the stream.
    if (answer.status === 404) break;
    const ranges = readRecordedAnswer(answer.value);
    if (ranges === undefined) return failed('no recorded periods in the answer');
    found.push(...ranges);
    cursor = nextCursor(answer.value);
    if (cursor === undefined) break;
  }
  return { kind: 'recorded', containers: server.containers, ranges: found };
};

function failed(cause: string): RecordingsAnswer {
  return { kind: 'fault', cause };
}

function placeOf(url: string): Place {
  const { origin, pathname, username, password } = new URL(url);
  return {
    origin,
    name: decoded(pathname.replace(/^\/+|\/+$/g, '')),
    user: decoded(username),
    secret: decoded(password),
  };
}

/** As it stands where it is no percent-encoding: `100%`. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function pathOf(name: string): string {
  return name.split('/').map(encodeURIComponent).join('/');
}

function addressOf({ origin }: Place, path: string, query: Readonly<Record<string, string>>): URL {
  const url = new URL(path, `${origin}/`);
  for (const [key, value] of Object.entries(query)) url.searchParams.set(key, value);
  return url;
}

function authorization({ user, secret }: Place): Readonly<Record<string, string>> {
  if (secret === '') return {};
  if (user === '') return { authorization: `Bearer ${secret}` };
  return { authorization: `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}` };
}

/** Nimble's: base64 of the MD5 of `{salt}/{token}`. */
function nimbleSignature(token: string): Readonly<Record<string, string>> {
  if (token === '') return {};
  const salt = String(randomInt(1_000_000));
  return { salt, hash: createHash('md5').update(`${salt}/${token}`).digest('base64') };
}
