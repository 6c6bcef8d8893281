import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkOutput } from '../support/agent-output.ts';
import {
  isTooWide,
  keepPicture,
  launchChromium,
  openWindow,
  seriousFindings,
  signIn,
} from '../support/console-rig.ts';
import { isInstalled } from '../support/installed.ts';

const program = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const startMsMax = 60_000;

/** The demo as `npm run demo` starts it: where its console and its switches are. */
async function startDemo() {
  const demo = spawn(process.execPath, [program, 'demo'], { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [demo.stdout, demo.stderr])
    stream.on('data', (part: Buffer) => {
      said += part.toString();
    });
  const end = performance.now() + startMsMax;
  while (!/Ctrl-C stops everything and/.test(said)) {
    if (performance.now() > end || demo.exitCode !== null) throw new Error(said);
    await delay(100);
  }
  const page = /player page\s+(\S+)/.exec(said)?.[1] ?? '';
  const { nodes } = Object(await (await fetch(`${page}/state`)).json());
  const folder = dirname(/(\/\S+node-a\.log)/.exec(said)?.[1] ?? '');
  return {
    console: `${nodes[0].adminUrl}/`,
    token: /^ {2}admin token +(\S+)$/m.exec(said)?.[1] ?? '',
    async switch(verb: 'kill' | 'start', node: string) {
      expect((await fetch(`${page}/${verb}/${node}`, { method: 'POST' })).ok).toBe(true);
    },
    async stop() {
      for (const node of nodes) checkOutput(readFileSync(join(folder, `${node.id}.log`), 'utf8'));
      await stop(demo);
    },
  };
}

async function stop(demo: ChildProcess): Promise<void> {
  if (demo.exitCode !== null || demo.signalCode !== null) return;
  const ended = once(demo, 'exit');
  demo.kill('SIGTERM');
  await ended;
}

describe.skipIf(!isInstalled('chromium'))('the console on the demo, as an admin uses it', () => {
  let demo: Awaited<ReturnType<typeof startDemo>>;
  let browser: Browser;
  let page: Page;
  let complaints: string[];

  beforeAll(async () => {
    demo = await startDemo();
    browser = await launchChromium();
    const opened = await openWindow(browser, {
      ...{ viewport: { width: 1440, height: 900 }, colorScheme: 'light' },
    });
    ({ page, complaints } = opened);
    await page.goto(demo.console);
    await signIn(page, demo.token);
  });
  afterAll(async () => {
    await browser?.close();
    await demo?.stop();
  });

  const go = (view: string) =>
    page
      .getByRole('navigation')
      .getByRole('link', { name: new RegExp(`^${view}`) })
      .click();
  const card = () =>
    page.getByRole('listitem').filter({ has: page.getByRole('link', { name: 'live' }) });
  const state = (text: string, timeout = 30_000) =>
    card().getByText(text, { exact: true }).waitFor({ timeout });

  it('sees the group go from reserve to degraded when a node dies, and reads why and what to do', async () => {
    await state('reserve', 60_000);
    await keepPicture(page, 'demo-1-reserve');
    await demo.switch('kill', 'node-c');
    await state('degraded');
    await card().getByText('node-c: the node does not answer its peers').waitFor();
    await card().getByText('start that node').waitFor();
    await keepPicture(page, 'demo-2-degraded');
    await card().getByRole('link', { name: 'live' }).click();
    await page.getByRole('row', { name: /node-c.*does not answer its peers/ }).waitFor();
    await keepPicture(page, 'demo-3-why');
    await demo.switch('start', 'node-c');
    await go('Groups');
    await state('reserve', 90_000);
  });

  it('runs a drill, and nobody is lost', async () => {
    await go('Drill');
    await page.getByLabel('Lasts, seconds').fill('14');
    await page.getByRole('button', { name: 'Begin the drill' }).click();
    await page.getByText('the failure is on').first().waitFor({ timeout: 40_000 });
    await page.getByRole('row', { name: /hls\.js.*carried/ }).waitFor();
    await keepPicture(page, 'demo-4-drill-on');
    await page.getByText('nobody lost').waitFor({ timeout: 40_000 });
    await page.getByRole('row', { name: /legacy.*interrupted.*node-[bc]/ }).waitFor();
    await keepPicture(page, 'demo-5-drill-over');
  });

  it('drains the node and offers it again', async () => {
    await go('Nodes');
    await page.getByRole('button', { name: 'Drain this node' }).click();
    await page.getByRole('button', { name: 'Yes' }).click();
    const self = page.getByRole('row', { name: /^node-a/ });
    await self.getByText('draining').waitFor();
    await keepPicture(page, 'demo-6-draining');
    await page.getByRole('button', { name: 'End the drain' }).click();
    await page.getByRole('button', { name: 'Yes' }).click();
    await page.getByRole('button', { name: 'Drain this node' }).waitFor();
  });

  it('rolls the key, which is in force again at once', async () => {
    await go('Viewing key');
    const keys = await page.getByRole('row').count();
    await page.getByRole('button', { name: 'Roll the key' }).click();
    await page.getByRole('button', { name: 'Yes' }).click();
    await page.getByRole('row').nth(keys).waitFor();
    await page.getByText('in force', { exact: true }).waitFor({ timeout: 10_000 });
    await keepPicture(page, 'demo-7-key');
  });

  it('finds everything it did in the log, and the same in Russian, in the dark, on a telephone', async () => {
    const answer = await fetch(`${demo.console}api/v1/audit`, {
      headers: { authorization: `Bearer ${demo.token}` },
    });
    const { changes } = Object(await answer.json());
    expect(changes.map(({ action }: { action: string }) => action)).toEqual([
      ...['POST /key/rotate', 'DELETE /drain', 'POST /drain', 'POST /drills'],
    ]);
    await page.setViewportSize({ width: 360, height: 740 });
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.getByRole('button', { name: 'Русский' }).click();
    await go('Учения');
    await page.getByText('никто не потерян').waitFor();
    await keepPicture(page, 'demo-8-drill-russian');
    for (const view of ['Группы', 'Узлы', 'Тревоги', 'Прогноз', 'Ключ', 'Учения', 'Почему так']) {
      await go(view);
      await page.getByRole('heading', { level: 1 }).waitFor();
      expect([view, await isTooWide(page), await seriousFindings(page)]).toEqual([view, false, []]);
    }
    expect(complaints).toEqual([]);
  });
});
