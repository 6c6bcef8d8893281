import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { type Browser, chromium, type Page } from 'playwright-core';

/** hls.js, Shaka Player and VHS (video.js), each with its default settings. */
export type BrowserPlayer = 'hls' | 'shaka' | 'vhs';

/** One request of the page that went to a media server, whether it was answered or not. */
type PlayerRequest = { readonly at: number; readonly url: URL };

/** A request that was refused (its status), cut or not answered at all (no status). */
type FailedRequest = PlayerRequest & { readonly status?: number };

/** What the page has measured so far; instants in Unix ms. See `player-page.js`. */
export type Measured = {
  readonly frames: number;
  readonly unread: number;
  readonly firstAt: number;
  readonly lastAt: number;
  readonly gaps: readonly Gap[];
  readonly errors: readonly {
    readonly at: number;
    readonly text: string;
    readonly fatal: boolean;
  }[];
  /** Pictures of the source that were skipped, and that were shown again, since the first one. */
  readonly lost: number;
  readonly repeated: number;
  readonly jumps: readonly Jump[];
  /** Time with nothing to show since the first picture. */
  readonly starvedMs: number;
  /** Time that the page itself stood still: a busy machine. */
  readonly lagMs: number;
  readonly bufferedAheadS: number;
  readonly now: number;
};

type Gap = {
  readonly at: number;
  /** Between two shown pictures. */
  readonly ms: number;
  /** How much of it the whole page stood still: a busy machine, not a stall. */
  readonly lagMs: number;
  /** Difference of the frame numbers: 1 is right. */
  readonly jump: number;
};

/** A picture that was not the next one, see `player-page.js`. */
type Jump = { readonly at: number; readonly jump: number; readonly moved: number };

export type Playback = {
  readonly page: Page;
  readonly requests: readonly PlayerRequest[];
  readonly failures: readonly FailedRequest[];
  /** Hosts that the playlists of the page have named, in order of their first appearance; not its own. */
  readonly named: readonly string[];
  measure(): Promise<Measured>;
  /** @throws when the page has not shown `count` pictures within `msMax`. */
  waitForFrames(count: number, msMax: number): Promise<Measured>;
  close(): Promise<void>;
};

export type PlayerBrowser = {
  /** Plays at `rate` times the usual pace, 1 unless told otherwise. */
  play(player: BrowserPlayer, src: string, rate?: number): Promise<Playback>;
  close(): Promise<void>;
};

const launchArgs = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--autoplay-policy=no-user-gesture-required',
  '--mute-audio',
  '--disable-features=LocalNetworkAccessChecks,PrivateNetworkAccessChecks',
];

/** Debian's Chromium, headless, with a page server of its own on 127.0.0.1. */
export async function launchBrowser(): Promise<PlayerBrowser> {
  const pages = await servePages();
  const executablePath = fileURLToPath(new URL('chromium.sh', import.meta.url));
  const browser = await chromium.launch({ executablePath, args: launchArgs });
  return {
    play: (player, src, rate = 1) =>
      openPlayback(browser, `${pages.url}/player-page.html`, { player, src, rate: String(rate) }),
    async close() {
      await browser.close();
      pages.close();
    },
  };
}

async function openPlayback(
  browser: Browser,
  pageUrl: string,
  played: Readonly<Record<'player' | 'src' | 'rate', string>>,
): Promise<Playback> {
  const { origin } = new URL(pageUrl);
  const context = await browser.newContext({ viewport: { width: 340, height: 220 } });
  const page = await context.newPage();
  const requests: PlayerRequest[] = [];
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.protocol.startsWith('http') && url.origin !== origin) {
      requests.push({ at: Date.now(), url });
    }
  });
  const failures: FailedRequest[] = [];
  const named: string[] = [];
  page.on('requestfailed', (request) => {
    failures.push({ at: Date.now(), url: new URL(request.url()) });
  });
  page.on('response', async (response) => {
    if (response.url().includes('.m3u8') && response.status() === 200) {
      const text = await response.text().catch(() => '');
      for (const [, host = ''] of text.matchAll(/^https?:\/\/([^/:]+)/gm))
        if (!named.includes(host)) named.push(host);
    }
    if (response.status() < 400) return;
    failures.push({ at: Date.now(), url: new URL(response.url()), status: response.status() });
  });
  await page.goto(`${pageUrl}?${new URLSearchParams(played)}`);
  const measure = () => page.evaluate<Measured>('measured()');
  return {
    page,
    requests,
    failures,
    named,
    measure,
    async waitForFrames(count, msMax) {
      await page.waitForFunction(`globalThis.measured?.().frames >= ${count}`, undefined, {
        timeout: msMax,
        polling: 100,
      });
      return measure();
    },
    close: () => context.close(),
  };
}

/** The measuring page and the players, as their packages ship them. */
function servePages(): Promise<{ url: string; close(): void }> {
  const require = createRequire(import.meta.url);
  const files = new Map<string, string | URL>([
    ['/player-page.html', new URL('player-page.html', import.meta.url)],
    ['/player-page.js', new URL('player-page.js', import.meta.url)],
    ['/hls.js', require.resolve('hls.js/dist/hls.min.js')],
    ['/shaka.js', require.resolve('shaka-player/dist/shaka-player.compiled.js')],
    ['/video.js', require.resolve('video.js/dist/video.min.js')],
  ]);
  const app = new Hono();
  app.get('*', (context) => {
    const file = files.get(context.req.path);
    if (file === undefined) return context.notFound();
    const type = context.req.path.endsWith('.html') ? 'text/html' : 'text/javascript';
    return context.body(new Uint8Array(readFileSync(file)), 200, {
      'Content-Type': `${type}; charset=utf-8`,
    });
  });
  return new Promise((resolveUrl) => {
    const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => {
      resolveUrl({ url: `http://127.0.0.1:${port}`, close: () => server.close() });
    });
  });
}
