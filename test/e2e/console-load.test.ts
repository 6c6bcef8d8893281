import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testSecrets } from '../support/agent-output.ts';
import { launchChromium, openWindow, startConsoleRig } from '../support/console-rig.ts';
import { isInstalled } from '../support/installed.ts';

const loads = 5;
/** On a quiet machine it is far below a second, which is what is wanted; this one may be busy with anything. */
const shownMsMax = 2_000;
const requestsMax = 5;
const bytesMax = 70_000;

describe.skipIf(!isInstalled('chromium'))('the console that was never opened before', () => {
  let rig: Awaited<ReturnType<typeof startConsoleRig>>;
  let browser: Browser;

  beforeAll(async () => {
    rig = await startConsoleRig();
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await rig?.stop();
  });

  /** One load with nothing in the cache; the token is there already. Times count from the navigation. */
  async function load() {
    const { context, page } = await openWindow(browser);
    await page.addInitScript(`
      sessionStorage.setItem('understudy-token', ${JSON.stringify(testSecrets.adminToken)});
      new MutationObserver((_, observer) => {
        if (!document.body?.innerText.includes('Первый HD')) return;
        globalThis.shownMs = performance.now();
        observer.disconnect();
      }).observe(document, { childList: true, subtree: true, characterData: true });
    `);
    const requests: string[] = [];
    page.on('request', (request) => requests.push(new URL(request.url()).pathname));
    await page.goto(`${rig.nodes[0]?.adminUrl}/`);
    await page.getByRole('link', { name: 'Первый HD' }).waitFor();
    const shownMs = Number(await page.evaluate('globalThis.shownMs'));
    const bytes = Number(
      await page.evaluate(`
        [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
          .reduce((sum, { transferSize }) => sum + transferSize, 0)
      `),
    );
    await context.close();
    return { shownMs: Math.round(shownMs), bytes, requests };
  }

  it('shows the groups within a second, with few requests and little to carry', async () => {
    const loaded: Awaited<ReturnType<typeof load>>[] = [];
    for (let at = 0; at < loads; at += 1) loaded.push(await load());
    const [{ bytes, requests } = { bytes: 0, requests: [] }] = loaded;
    const times = loaded.map(({ shownMs }) => shownMs).toSorted((a, b) => a - b);
    process.stdout.write(
      `console: groups shown after ${times.join(', ')} ms; ${requests.length} requests, ${bytes} bytes\n`,
    );
    for (const one of loaded) {
      expect(one.requests.length, one.requests.join(' ')).toBeLessThanOrEqual(requestsMax);
      expect(one.bytes).toBeGreaterThan(1_000);
      expect(one.bytes).toBeLessThan(bytesMax);
    }
    expect(times[0]).toBeLessThan(shownMsMax);
  });
});
