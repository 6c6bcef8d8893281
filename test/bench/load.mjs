import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ticksPerSecond = 100;

/**
 * One slice of load: `connections` keep-alive connections from core 1 ask `url` for `seconds`. Gives requests per
 * second, the median and 99th percentile of the latency in ms, and the CPU microseconds that `pids` spent per request.
 * `script` is one of wrk, with its arguments.
 */
export async function slice({ url, pids, seconds, connections, headers = [], script = [] }) {
  const before = cpuSeconds(pids);
  const { stdout } = await run('taskset', [
    '-c',
    '1',
    'wrk',
    '-t1',
    `-c${connections}`,
    `-d${seconds}s`,
    '--latency',
    ...headers.flatMap((header) => ['-H', header]),
    ...(script.length === 0 ? [] : ['-s', script[0]]),
    url,
    ...(script.length < 2 ? [] : ['--', ...script.slice(1)]),
  ]);
  const cpu = cpuSeconds(pids) - before;
  const requests = Number(/(\d+) requests in/.exec(stdout)?.[1]);
  const refused = Number(/Non-2xx or 3xx responses: (\d+)/.exec(stdout)?.[1] ?? 0);
  if (!(requests > 0)) throw new Error(`no answers from ${url}\n${stdout}`);
  return {
    perSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]),
    p50: milliseconds(/50%\s+(\S+)/.exec(stdout)?.[1]),
    p99: milliseconds(/99%\s+(\S+)/.exec(stdout)?.[1]),
    cpuMicros: (cpu * 1e6) / requests,
    refused,
  };
}

/** User and system time of processes and their children that are still there. */
export function cpuSeconds(pids) {
  let ticks = 0;
  for (const pid of pids) {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
    ticks += Number(fields[11]) + Number(fields[12]);
  }
  return ticks / ticksPerSecond;
}

function milliseconds(text) {
  const [, number, unit] = /([\d.]+)(us|ms|s)\b/.exec(text) ?? [undefined, Number.NaN, 's'];
  return Number(number) * { us: 0.001, ms: 1, s: 1000 }[unit];
}

/** The middle value; of an even number the upper one. */
export function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}
