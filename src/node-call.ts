import { readFileSync } from 'node:fs';
import type { Config } from './core/config.ts';
import { AgentError } from './core/errors.ts';

/** The node must have answered by then. */
const answerMsMax = 10_000;

/** Options of commands that ask a node. */
export const nodeOptions = {
  node: { type: 'string' },
  'token-file': { type: 'string' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

export const nodeOptionsHelp = `  --node <url>           REST API of the node to ask; default: UNDERSTUDY_ADMIN_LISTEN
  --token-file <path>    file with its bearer token; default: UNDERSTUDY_ADMIN_TOKEN
  --json                 the answer as JSON`;

/** Asks the REST API of one node; `path` is below `/api/v1`. @throws when the node does not answer, or refuses */
export type NodeCall = (method: string, path: string, body?: unknown) => Promise<unknown>;

/**
 * The way to the node that the options name, else to that of this machine's settings.
 * @throws config_invalid where the bearer token is not known
 */
export function openNodeCall(
  values: { readonly node?: string | undefined; readonly 'token-file'?: string | undefined },
  config: () => Config,
): NodeCall {
  const { url, token } = nodeOf(values, config);
  return async (method, path, body) => {
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.timeout(answerMsMax),
    }).catch((cause: unknown) => {
      throw new AgentError('not_ready', `node at ${url} does not answer`, { cause });
    });
    const answer: unknown = await response.json().catch((cause: unknown) => {
      throw new AgentError('invalid', `node at ${url} does not answer as the REST API does`, {
        cause,
      });
    });
    if (!response.ok) throw new AgentError('invalid', `node at ${url}: ${Object(answer).detail}`);
    return answer;
  };
}

function nodeOf(
  values: { readonly node?: string | undefined; readonly 'token-file'?: string | undefined },
  config: () => Config,
): { readonly url: string; readonly token: string } {
  const file = values['token-file'];
  const admin = values.node === undefined || file === undefined ? config().admin : undefined;
  const { host = '127.0.0.1', port = 0 } = admin?.listen ?? {};
  const here = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  const token = file === undefined ? admin?.token : readFileSync(file, 'utf8').trim();
  if (token === undefined)
    throw new AgentError(
      'config_invalid',
      'the bearer token is not known: set UNDERSTUDY_ADMIN_TOKEN or give --token-file',
    );
  const local = `http://${here.includes(':') ? `[${here}]` : here}:${port}`;
  return { url: values.node?.replace(/\/+$/, '') ?? local, token };
}
