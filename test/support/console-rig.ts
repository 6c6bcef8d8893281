import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import axe from 'axe-core';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { createChannelApp, serveApp } from '../../src/demo/channel-server.ts';
import { testSecrets } from './agent-output.ts';
import { startTestNodes, untilInReserve } from './nodes.ts';

/** Pictures stay here, to be looked at. */
const pictures = fileURLToPath(new URL('../../dist/console-pictures/', import.meta.url));
const browserAgent = 'Mozilla/5.0 (X11; Linux x64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36';

/** Three nodes with one channel; `node-a` has another one, which nobody else carries. */
export async function startConsoleRig() {
  const origin = await serveApp(createChannelApp(), { host: '127.0.0.1', port: 0 });
  const live = {
    name: 'live',
    origin: `http://127.0.0.1:${origin.port}/index.m3u8`,
    group: 'Первый HD',
    source: 'test-channel',
    // The test channel repeats, which leaves the proof of its source to chance; this is not about timelines.
    canonical: false,
    archive: { push: true, depth_h: 48 },
  };
  const lonely = { ...live, name: 'regional/news', group: 'regional news' };
  const { nodes, stop } = await startTestNodes([[live, lonely], [live], [live]]);
  // The machine may be busy with browsers of other tests.
  await untilInReserve(nodes, 'Первый HD').catch(() => untilInReserve(nodes, 'Первый HD'));
  return {
    nodes,
    async stop() {
      await stop();
      await origin.close();
    },
  };
}

/** Viewers who open the channel at `url` and are told backups. */
export async function openAsViewers(url: string, count: number): Promise<void> {
  for (let at = 0; at < count; at += 1) {
    const headers = { 'user-agent': `${browserAgent} ${at}` };
    await (await fetch(`${url}/live/index.m3u8`, { headers })).text();
  }
}

/** Debian's Chromium. */
export function launchChromium(): Promise<Browser> {
  const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking'];
  return chromium.launch({ executablePath: '/usr/bin/chromium', args });
}

/** A browser window whose complaints (errors, what the policy refused) are collected. */
export async function openWindow(
  browser: Browser,
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<{ context: BrowserContext; page: Page; complaints: string[] }> {
  const context = await browser.newContext({ locale: 'en-GB', ...options });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  return { context, page, complaints };
}

/** Types the token of the nodes in. */
export async function signIn(page: Page, token = testSecrets.adminToken): Promise<void> {
  await page.getByLabel(/^(Bearer token|Токен)$/).fill(token);
  await page.getByRole('button', { name: /Sign in|Войти/ }).click();
}

/** Serious and critical findings of axe on the page as it is. */
export async function seriousFindings(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() =>
    (globalThis as unknown as { axe: typeof axe }).axe.run(),
  );
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
}

/** Keeps a picture of the whole page in `dist/console-pictures`. */
export async function keepPicture(page: Page, name: string): Promise<void> {
  mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: `${pictures}${name}.png`, fullPage: true });
}

/** Whether the page is wider than its window. */
export function isTooWide(page: Page): Promise<boolean> {
  return page.evaluate('document.documentElement.scrollWidth > innerWidth');
}
