import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Explanation } from './agent/explain.ts';
import type { Config } from './core/config.ts';
import { AgentError } from './core/errors.ts';
import { nodeOptions, nodeOptionsHelp, openNodeCall } from './node-call.ts';

const explainHelp = `Usage: understudy explain <stream> --address <IP address> [options]

Says what a viewer would get, and why: every other node with every reason. Changes nothing.

  --address <ip>         address of the viewer
  --user-agent <text>    User-Agent of the player
  --https                the viewer comes over https
  --dash                 the viewer asks for the MPD
  --from <time>          a period of the archive: its start, as 2026-07-01T20:00:00Z or in Unix seconds
  --until <time>         and its end; default: now
  --home <node>          the viewer comes from that node, with a pass
  --viewer-token <path>  file with the token that the viewer brings
${nodeOptionsHelp}

Exit codes: 0 the viewer can watch, 1 he cannot or the node did not answer, 2 wrong usage.`;

const options = {
  address: { type: 'string' },
  'user-agent': { type: 'string' },
  https: { type: 'boolean', default: false },
  dash: { type: 'boolean', default: false },
  from: { type: 'string' },
  until: { type: 'string' },
  home: { type: 'string' },
  'viewer-token': { type: 'string' },
  ...nodeOptions,
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
  const tokenFile = values['viewer-token'];
  const call = openNodeCall(values, outside.config);
  const body = await call('POST', '/explain', {
    stream,
    address: values.address,
    protocol: values.dash ? 'dash' : 'hls',
    https: values.https,
    userAgent: values['user-agent'],
    home: values.home,
    token: tokenFile === undefined ? undefined : readFileSync(tokenFile, 'utf8').trim(),
    period: values.from === undefined ? undefined : periodOf(values.from, values.until),
  });
  const explanation = body as Explanation;
  say(values.json ? JSON.stringify(body, null, 2) : inWords(explanation));
  return explanation.placement === 'not-found' || explanation.placement === 'refused' ? 1 : 0;
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

function periodOf(from: string, until: string | undefined) {
  return { startAt: instantOf(from), endAt: until === undefined ? Date.now() : instantOf(until) };
}

/** @throws invalid */
function instantOf(text: string): number {
  const at = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text);
  if (Number.isNaN(at)) throw new AgentError('invalid', `"${text}" is not a time`);
  return at;
}

function inWords(explanation: Explanation): string {
  const { placement, reason, text, location, viewer, candidates } = explanation;
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
    ...accessInWords(explanation),
    ...rows,
  ].join('\n');
}

function accessInWords({ access }: Explanation): readonly string[] {
  const { by, reason, login, sessionsMax = 'any number', taken } = access;
  if (by === 'open') return [];
  if (by === 'pass') return ['let in by: the pass of its home node'];
  const said = reason === undefined ? 'good' : `not enough (${reason})`;
  const places = login === undefined ? '' : `; login ${login}: ${taken} of ${sessionsMax} watch`;
  return [`token: ${said}${places}`];
}
