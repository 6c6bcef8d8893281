import { parseArgs } from 'node:util';
import { gatherCheck } from './compose-check.ts';
import { checkAreas } from './core/check/check-codes.ts';
import type { CheckFacts } from './core/check/facts.ts';
import type { Finding } from './core/check/findings.ts';
import { judgeDomain } from './core/check/judge.ts';
import type { Config } from './core/config.ts';
import { nodeOptions, nodeOptionsHelp, openNodeCall } from './node-call.ts';

const checkHelp = `Usage: understudy check [options]

Whether a domain is fit for viewers, before they are let in: groups, viewing key, host names, certificates, peers,
clocks, alerts, and one opening of each group that is redirected. Asks this node and the viewer listeners of all nodes;
sends a test alert. docs/check.md lists what can be found.

  --lab                  all viewers are inside: names need not be public, nor https
  --no-test-alert        tell nobody a test
${nodeOptionsHelp}

Exit codes: 0 nothing has to be mended (warnings may be told), 1 something has, or the node did not answer,
2 wrong usage or configuration.`;

const options = {
  ...nodeOptions,
  lab: { type: 'boolean', default: false },
  'no-test-alert': { type: 'boolean', default: false },
} as const;

/** Runs `understudy check`; resolves with the exit code. @throws when the node cannot be asked */
export async function runCheck(
  args: readonly string[],
  outside: {
    readonly config: () => Config;
    readonly say: (text: string) => void;
    readonly nowMs: () => number;
  },
): Promise<number> {
  const { say } = outside;
  const values = readArguments(args);
  if (values === undefined || values.help) {
    say(checkHelp);
    return values === undefined ? 2 : 0;
  }
  const call = openNodeCall(values, outside.config);
  const facts = await gatherCheck(call, { testAlert: !values['no-test-alert'] });
  const findings = judgeDomain(facts, { nowMs: outside.nowMs(), isLab: values.lab });
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  const result = { node: facts.self, ready: errors === 0, checked: countsOf(facts), findings };
  say(values.json ? JSON.stringify(result, null, 2) : inWords(facts, findings));
  return errors === 0 ? 0 : 1;
}

function readArguments(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch {
    return undefined;
  }
}

/** How much there was to be looked at: nothing found in nothing is no good sign. */
function countsOf({ groups, sites, peers, delivery, trials }: CheckFacts) {
  return {
    groups: groups.length,
    nodes: sites.length,
    peers: peers.length,
    alertTargets: delivery.kind === 'tried' ? delivery.targets.length : 0,
    redirects: trials.filter(({ outcome }) => outcome.kind === 'served').length,
  };
}

function inWords(facts: CheckFacts, findings: readonly Finding[]): string {
  const { groups, nodes, peers, alertTargets, redirects } = countsOf(facts);
  const looked = {
    groups: `${groups} in reserve`,
    key: facts.keyState,
    names: `${nodes} nodes answer where they say they are`,
    certificates: `${facts.sites.filter(({ certificate }) => certificate).length} seen`,
    peers: `${peers} hear each other and this node`,
    clocks: `of ${peers} peers`,
    alerts: `none stands; ${alertTargets} told a test`,
    redirects: `${redirects} groups opened, sent on and served elsewhere`,
  };
  const rows = checkAreas.flatMap((area) => {
    const found = findings.filter((one) => one.area === area);
    return found.length === 0
      ? [`ok       ${area.padEnd(13)} ${looked[area]}`]
      : found.flatMap(({ severity, code, text, remedy }) => [
          `${severity.padEnd(8)} ${area.padEnd(13)} ${text} (${code})`,
          `${' '.repeat(23)}-> ${remedy}`,
        ]);
  });
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  const warnings = findings.length - errors;
  const verdict = errors === 0 ? 'ready' : 'not ready';
  return [
    ...rows,
    '',
    `${verdict}: ${counted(errors, 'error')}, ${counted(warnings, 'warning')}, as ${facts.self} sees it`,
  ].join('\n');
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
