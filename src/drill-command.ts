import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { DrillView } from './agent/drill/drill-view.ts';
import type { Config } from './core/config.ts';
import { drillFailures, drillFamilies } from './core/drill/failure.ts';
import { drillInWords } from './drill-table.ts';
import { type NodeCall, nodeOptions, nodeOptionsHelp, openNodeCall } from './node-call.ts';

const lookMs = 1_000;

const drillHelp = `Usage: understudy drill <stream> [options]

Players of the node itself, built after the rules of real ones, open the stream and meet a failure of this node. Says how
they fare. No viewer meets it unless --viewers says so. Ctrl-C ends it.

  --failure <name>       ${drillFailures.join(', ')}; default: not-found
  --duration <seconds>   how long it lasts; default: 30
  --family <name>        only these players, may be given again: ${drillFamilies.join(', ')}
  --probes <number>      players of each family; default: 1
  --share <percent>      how many of them meet the failure; default: 100
  --viewers <percent>    how many real viewers meet it, too; default: 0
  --slow <ms>            by how much answers are late if it is "slow"; default: 3000
  --force                although nobody could take over now
${nodeOptionsHelp}

Exit codes: 0 nobody was lost who moves by its rules, 1 somebody was, or the node refused, 2 wrong usage.`;

const options = {
  failure: { type: 'string' },
  duration: { type: 'string' },
  family: { type: 'string', multiple: true },
  probes: { type: 'string' },
  share: { type: 'string' },
  viewers: { type: 'string' },
  slow: { type: 'string' },
  force: { type: 'boolean', default: false },
  ...nodeOptions,
} as const;

/** Runs `understudy drill`; resolves with the exit code. @throws when the node cannot be asked, or refuses */
export async function runDrill(
  args: readonly string[],
  outside: {
    readonly config: () => Config;
    readonly say: (text: string) => void;
    /** Called when the person at the terminal wants it to end; the answer takes that back. */
    readonly onInterrupt: (end: () => void) => () => void;
  },
): Promise<number> {
  const { say } = outside;
  const asked = readArguments(args);
  if (asked === undefined || asked.help) {
    say(drillHelp);
    return asked === undefined ? 2 : 0;
  }
  const { values, wish } = asked;
  const call = openNodeCall(values, outside.config);
  const drill = (await call('POST', '/drills', wish)) as DrillView;
  const path = `/drills/${drill.id}`;
  if (!values.json)
    say(`${wish.stream}: players open the stream, then it fails for ${drill.wish.durationS} s`);
  let isEnding = false;
  const takeBack = outside.onInterrupt(() => {
    isEnding = true;
  });
  const ended = await untilEnded(call, path, () => isEnding).finally(takeBack);
  say(values.json ? JSON.stringify(ended, null, 2) : drillInWords(ended));
  return ended.passed === true ? 0 : 1;
}

async function untilEnded(
  call: NodeCall,
  path: string,
  isEnding: () => boolean,
): Promise<DrillView> {
  for (;;) {
    const drill = (await call(isEnding() ? 'DELETE' : 'GET', path)) as DrillView;
    if (drill.state === 'done' || drill.state === 'stopped') return drill;
    await delay(lookMs);
  }
}

function readArguments(args: readonly string[]) {
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    if (values.help) return { help: true as const };
    const [stream, ...more] = positionals;
    const wish = {
      stream: stream ?? '',
      failure: values.failure,
      durationS: numberOf(values.duration),
      families: values.family,
      probes: numberOf(values.probes),
      sharePercent: numberOf(values.share),
      viewersPercent: numberOf(values.viewers),
      slowMs: numberOf(values.slow),
      force: values.force,
    };
    const isUsable = stream !== undefined && more.length === 0;
    return isUsable && isKnown(wish) ? { help: false as const, values, wish } : undefined;
  } catch {
    return undefined;
  }
}

/** @throws RangeError for what is no number */
function numberOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d+(?:\.\d+)?$/.test(text)) throw new RangeError('not a number');
  return Number(text);
}

function isKnown(wish: {
  readonly failure: string | undefined;
  readonly families: readonly string[] | undefined;
}): boolean {
  const failures: readonly string[] = drillFailures;
  const families: readonly string[] = drillFamilies;
  return (
    (wish.failure === undefined || failures.includes(wish.failure)) &&
    (wish.families ?? []).every((family) => families.includes(family))
  );
}
