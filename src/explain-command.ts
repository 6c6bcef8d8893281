import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Explanation } from './agent/explain.ts';
import type { Config } from './core/config.ts';
import { AgentError } from './core/errors.ts';

/** The node must have answered by then. */
const answerMsMax = 10_000;

const explainHelp = `Usage: understudy explain <stream> --address <IP address> [options]

Says what a viewer would get, and why: every other node with every reason. Changes nothing.

  --address <ip>         address of the viewer
  --user-agent <text>    User-Agent of the player
  --https                the viewer comes over https
  --dash                 the viewer asks for the MPD
  --node <url>           REST API of the node to ask; default: UNDERSTUDY_ADMIN_LISTEN
  --token-file <path>    file with its bearer token; default: UNDERSTUDY_ADMIN_TOKEN
  --json                 the answer as JSON

Exit codes: 0 the viewer can watch, 1 he cannot or the node did not answer, 2 wrong usage.`;

const options = {
  address: { type: 'string' },
  'user-agent': { type: 'string' },
  https: { type: 'boolean', default: false },
  dash: { type: 'boolean', default: false },
  node: { type: 'string' },
  'token-file': { type: 'string' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

/** Runs `understudy explain`; resolves with the exit code. @throws when the node cannot be asked */
export async function runExplain(
  args: readonly string[],
  outside: { readonly config: () => Config; readonly say: (text: string) => void },
): Promise<number> {
  const { say } = outside;
  const asked = readArguments(args);
  if (asked === undefined || asked.values.help) {
    say(explainHelp);
    return asked === undefined ? 2 : 0;
  }
  const { values, stream } = asked;
  const { url, token } = nodeOf(values, outside.config);
  const response = await fetch(`${url}/api/v1/explain`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      stream,
      address: values.address,
      protocol: values.dash ? 'dash' : 'hls',
      https: values.https,
      ...(values['user-agent'] !== undefined && { userAgent: values['user-agent'] }),
    }),
    signal: AbortSignal.timeout(answerMsMax),
  }).catch((cause: unknown) => {
    throw new AgentError('not_ready', `node at ${url} does not answer`, { cause });
  });
  const body: unknown = await response.json().catch((cause: unknown) => {
    throw new AgentError('invalid', `node at ${url} does not answer as the REST API does`, {
      cause,
    });
  });
  if (!response.ok) throw new AgentError('invalid', `node at ${url}: ${Object(body).detail}`);
  const explanation = body as Explanation;
  say(values.json ? JSON.stringify(body, null, 2) : inWords(explanation));
  return explanation.placement === 'not-found' ? 1 : 0;
}

function readArguments(args: readonly string[]) {
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    const [stream, ...more] = positionals;
    if (values.help) return { values, stream: '' };
    return stream === undefined || more.length > 0 || values.address === undefined
      ? undefined
      : { values, stream };
  } catch {
    return undefined;
  }
}

function nodeOf(
  values: { readonly node?: string; readonly 'token-file'?: string },
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

function inWords({ placement, reason, text, location, viewer, candidates }: Explanation): string {
  const rows = candidates.map(({ node, stream, offered, reasons, texts }) =>
    [
      `  ${node} (${stream}): ${offered ? 'offered' : 'not offered'}`,
      ...reasons.map((code, at) => `    ${code}: ${texts[at]}`),
    ].join('\n'),
  );
  return [
    `${placement}: ${text} (${reason})`,
    ...(location === undefined ? [] : [`  to ${location}`]),
    `viewer: ${viewer.family}, ${viewer.isPublic ? 'public' : 'not public'} address, ${
      viewer.isHttps ? 'https' : 'http'
    }, ${viewer.followsBackups ? 'follows backups' : 'follows no backups'}`,
    ...rows,
  ].join('\n');
}
