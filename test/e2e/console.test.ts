import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import {
  isTooWide,
  keepPicture,
  launchChromium,
  openAsViewers,
  openWindow,
  seriousFindings,
  signIn,
  startConsoleRig,
} from '../support/console-rig.ts';
import { isInstalled } from '../support/installed.ts';

const hourMs = 3_600_000;

describe.skipIf(!isInstalled('chromium'))('the console', () => {
  let rig: Awaited<ReturnType<typeof startConsoleRig>>;
  let browser: Browser;

  beforeAll(async () => {
    rig = await startConsoleRig();
    browser = await launchChromium();
    for (const [at, node] of rig.nodes.entries()) {
      await openAsViewers(node.url, 4 + 3 * at);
      const endAt = Date.now();
      const hole = endAt - (9 + 4 * at) * hourMs;
      const ts = [
        { startAt: endAt - 24 * hourMs, endAt: hole },
        { startAt: hole + hourMs, endAt },
      ];
      await node.api('/streams/live/coverage', { method: 'PUT', body: JSON.stringify({ ts }) });
    }
  });
  afterAll(async () => {
    await browser?.close();
    await rig?.stop();
  });

  const admin = (at = 0) => rig.nodes[at]?.adminUrl ?? '';

  async function signedIn(options: Parameters<typeof openWindow>[1] = {}) {
    const opened = await openWindow(browser, options);
    onTestFinished(() => opened.context.close());
    await opened.page.goto(`${admin()}/`);
    await signIn(opened.page);
    await opened.page.getByRole('link', { name: 'Первый HD' }).waitFor();
    return opened;
  }

  it('asks for the token, keeps it in the tab only, and shows the groups soon after', async () => {
    const { context, page, complaints } = await openWindow(browser);
    onTestFinished(() => context.close());
    await page.goto(`${admin()}/`);
    await signIn(page, 'a-wrong-token-12345');
    await page.getByText('This token is not accepted.').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await keepPicture(page, 'sign-in');
    await signIn(page);
    await page.getByRole('link', { name: 'Первый HD' }).waitFor();
    const before = performance.now();
    await page.reload();
    await page.getByRole('link', { name: 'Первый HD' }).waitFor();
    expect(performance.now() - before).toBeLessThan(5_000);
    const shownMs = await page.evaluate('performance.now()');
    expect(shownMs).toBeLessThan(5_000);
    expect(page.url()).not.toContain('token');
    expect(await context.cookies()).toEqual([]);
    expect(complaints.filter((text) => !text.includes('401'))).toEqual([]);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Bearer token').waitFor();
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
  });

  const views = [
    ['groups', 'regional news'],
    ['groups/Первый HD', 'Who backs whom'],
    ['nodes', 'Last hour'],
    ['alerts', 'Standing'],
    ['forecast', 'If node-b dies now'],
    ['key', 'in force'],
    ['drill', 'No drill since the agent was started'],
    ['explain', 'Ask'],
  ] as const;
  const looks = [
    ['wide-light', { viewport: { width: 1440, height: 900 }, colorScheme: 'light' }],
    ['narrow-dark', { viewport: { width: 360, height: 740 }, colorScheme: 'dark' }],
  ] as const;

  it.each(looks)('has no serious fault for axe, and fits, %s', async (look, options) => {
    const { page, complaints } = await signedIn(options);
    for (const [view, text] of views) {
      for (const [at, node] of rig.nodes.entries()) await openAsViewers(node.url, 4 + 3 * at);
      await page.goto(`${admin()}/#/${view}`);
      await page.getByText(text, { exact: false }).first().waitFor({ timeout: 30_000 });
      if (view === 'explain') {
        await page.getByLabel('Stream').fill('live');
        await page.getByRole('button', { name: 'Ask' }).click();
        await page.getByRole('row', { name: /node-b/ }).waitFor();
      }
      await keepPicture(page, `${view.replace('/Первый HD', '-one')}-${look}`);
      expect([view, await isTooWide(page), await seriousFindings(page)]).toEqual([view, false, []]);
    }
    expect(complaints).toEqual([]);
  });

  it('speaks Russian when the browser does, and English on demand', async () => {
    const { page } = await signedIn({ locale: 'ru-RU', viewport: { width: 900, height: 900 } });
    await page.getByRole('heading', { name: 'Группы' }).waitFor();
    await page.getByText('группу больше никто не несёт').waitFor();
    expect(await page.evaluate('document.documentElement.lang')).toBe('ru');
    await keepPicture(page, 'groups-russian');
    await page.getByRole('button', { name: 'English' }).click();
    await page.getByText('no other node carries the group').waitFor();
  });

  it('can be used with the keyboard alone', async () => {
    const { page } = await signedIn();
    await page.evaluate('document.activeElement?.blur()');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement?.textContent')).toBe('Skip to content');
    await page.getByRole('link', { name: 'Nodes' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Nodes' }).waitFor();
    expect(await page.evaluate('document.activeElement?.tagName')).toBe('MAIN');
  });

  it('shows by itself how a node dies and comes back, with the reason and what to do', async () => {
    const { page } = await signedIn();
    const card = page.getByRole('listitem').filter({ hasText: 'Первый HD' });
    await card.getByText('reserve', { exact: true }).waitFor();
    const victim = rig.nodes[2];
    await victim?.kill();
    await card.getByText('degraded', { exact: true }).waitFor({ timeout: 10_000 });
    await card.getByText('node-c: the node does not answer its peers').waitFor();
    await card.getByText('start that node').waitFor();
    await keepPicture(page, 'node-dead');
    victim?.start();
    await card.getByText('reserve', { exact: true }).waitFor({ timeout: 60_000 });
  });

  it('runs a drill, and shows how each kind of player fared', async () => {
    const { page } = await signedIn({ viewport: { width: 1440, height: 900 } });
    await page.goto(`${admin()}/#/drill`);
    await page.getByLabel('Stream').fill('live');
    await page.getByLabel('Lasts, seconds').fill('14');
    await page.getByRole('button', { name: 'Begin the drill' }).click();
    await page.getByText('the failure is on').first().waitFor({ timeout: 30_000 });
    await page.getByRole('row', { name: /hls\.js.*carried.*node-[bc]/ }).waitFor();
    await keepPicture(page, 'drill-on-wide-light');
    await page.getByText('nobody lost').waitFor({ timeout: 30_000 });
    for (const family of ['shaka', 'vhs', 'media3', 'avplayer'])
      await page.getByRole('row', { name: new RegExp(`${family}.*carried`) }).waitFor();
    await page.getByRole('row', { name: /legacy.*interrupted/ }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await keepPicture(page, 'drill-over-wide-light');
    await page.setViewportSize({ width: 360, height: 740 });
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.getByText('Players, share, real viewers').click();
    await page.getByLabel('Real viewers, percent').fill('5');
    await page.getByText('Real viewers of this stream on this node').waitFor();
    expect([await isTooWide(page), await seriousFindings(page)]).toEqual([false, []]);
    await keepPicture(page, 'drill-over-narrow-dark');
    await page.getByRole('button', { name: 'Русский' }).click();
    await page.getByText('никто не потерян').waitFor();
    await keepPicture(page, 'drill-russian');
  });

  it('drains and offers the node again, and rolls the key, each after a question', async () => {
    const { page } = await signedIn();
    await page.goto(`${admin()}/#/nodes`);
    await page.getByRole('button', { name: 'Drain this node' }).click();
    await page.getByRole('button', { name: 'Yes' }).click();
    await page
      .getByRole('row', { name: /node-a/ })
      .getByText('draining')
      .waitFor();
    await page.getByRole('button', { name: 'End the drain' }).click();
    await page.getByRole('button', { name: 'Yes' }).click();
    await page.getByRole('button', { name: 'Drain this node' }).waitFor();
    await page.goto(`${admin()}/#/key`);
    const keys = await page.getByRole('row').count();
    await page.getByRole('button', { name: 'Roll the key' }).click();
    await page.getByRole('button', { name: 'Yes' }).click();
    await page.getByRole('row').nth(keys).waitFor();
    const { changes } = Object(await rig.nodes[0]?.api('/audit'));
    expect(changes.map(({ action }: { action: string }) => action).slice(0, 3)).toEqual([
      'POST /key/rotate',
      'DELETE /drain',
      'POST /drain',
    ]);
  });

  it('comes with an API page that needs nothing from outside', async () => {
    const { context, page, complaints } = await openWindow(browser);
    onTestFinished(() => context.close());
    const foreign: string[] = [];
    page.on('request', (request) => {
      if (!request.url().startsWith(admin()) && !request.url().startsWith('data:'))
        foreign.push(request.url());
    });
    await page.goto(`${admin()}/docs`);
    await page.getByText('/api/v1/streams/{name}').first().waitFor();
    await keepPicture(page, 'api-page');
    expect([foreign, complaints]).toEqual([[], []]);
  });
});
