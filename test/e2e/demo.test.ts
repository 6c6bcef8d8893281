import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { checkOutput } from '../support/agent-output.ts';

const program = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const waitMsMax = 60_000;

test('the demo takes other ports when some are taken, shows a killed node, and ends without a trace', async () => {
  const squatter = createServer();
  squatter.listen(8400);
  await once(squatter, 'listening').catch(() => undefined);
  onTestFinished(() => void squatter.close());
  const demo = spawn(process.execPath, [program, 'demo'], { stdio: ['ignore', 'pipe', 'pipe'] });
  // Killed it would leave its nodes behind.
  onTestFinished(() => endIfRunning(demo));
  let said = '';
  for (const stream of [demo.stdout, demo.stderr])
    stream.on('data', (part: Buffer) => {
      said += part.toString();
    });
  await until(() => /Ctrl-C stops everything and/.test(said), said);
  const page = /player page\s+(\S+)/.exec(said)?.[1] ?? '';
  expect(new URL(page).port).not.toBe('8400');
  const token = /^ {2}admin token +(\S+)$/m.exec(said)?.[1];
  const api = /(http:\S+\/api\/v1\/groups\/live)/.exec(said)?.[1] ?? '';
  const ask = async () => {
    const answer = await fetch(api, { headers: { authorization: `Bearer ${token}` } });
    expect(answer.status).toBe(200);
    return Object(await answer.json()) as { state: string; problems: { node: string }[] };
  };
  expect((await ask()).state).toBe('reserve');
  expect(await (await fetch(page)).text()).toContain('<video');

  expect((await fetch(`${page}/kill/node-a`, { method: 'POST' })).ok).toBe(true);
  let last = await ask();
  await until(async () => {
    last = await ask();
    return last.state === 'degraded';
  }, JSON.stringify(last));
  expect(last.problems.map(({ node }) => node)).toContain('node-a');

  const folder = dirname(/(\/\S+node-a\.log)/.exec(said)?.[1] ?? '');
  expect(existsSync(folder)).toBe(true);
  for (const node of ['node-a', 'node-b', 'node-c'])
    checkOutput(readFileSync(join(folder, `${node}.log`), 'utf8'));
  demo.kill('SIGINT');
  const [code] = await once(demo, 'exit');
  expect(code).toBe(0);
  expect(existsSync(folder)).toBe(false);
});

async function endIfRunning(demo: ChildProcess): Promise<void> {
  if (demo.exitCode !== null || demo.signalCode !== null) return;
  const ended = once(demo, 'exit');
  demo.kill('SIGTERM');
  await ended;
}

async function until(isSo: () => boolean | Promise<boolean>, told: string): Promise<void> {
  const end = performance.now() + waitMsMax;
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(told);
    await delay(100);
  }
}
