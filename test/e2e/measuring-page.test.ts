import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchBrowser, type Playback, type PlayerBrowser } from '../support/browser.ts';
import { type FfmpegSource, startFfmpegSource } from '../support/ffmpeg-source.ts';
import { isInstalled } from '../support/installed.ts';
import { folderContent, type OriginServer, startOrigin } from '../support/origin-servers.ts';

/** What the tests with real players believe: that the page sees each kind of damage it is asked about. */
describe.skipIf(!['chromium', 'ffmpeg'].every(isInstalled))(
  'the page that measures players',
  () => {
    let source: FfmpegSource;
    let browser: PlayerBrowser;
    let origin: OriginServer;
    let playback: Playback;

    beforeAll(async () => {
      [source, browser] = await Promise.all([startFfmpegSource(), launchBrowser()]);
      origin = await startOrigin('127.0.0.2', folderContent(source.folder));
      playback = await browser.play('hls', `${origin.url}/index.m3u8`);
      await playback.waitForFrames(50, 30_000);
    });

    afterAll(async () => {
      await browser?.close();
      await origin?.close();
      await source?.stop();
    });

    test('reads the number of every picture, and counts requests by host', async () => {
      const { frames, unread, errors, lost, repeated } = await playback.measure();
      expect(frames).toBeGreaterThanOrEqual(50);
      expect({ lost, repeated }).toEqual({ lost: 0, repeated: 0 });
      expect(unread).toBe(0);
      expect(errors).toEqual([]);
      expect(new Set(playback.requests.map(({ url }) => url.hostname))).toEqual(
        new Set(['127.0.0.2']),
      );
    });

    test('sees a picture that stands still, and how long', async () => {
      const { frames, now } = await playback.measure();
      await inPage('video.pause()');
      await delay(1500);
      await inPage('video.play()');
      const { gaps } = await playback.waitForFrames(frames + 25, 10_000);
      const longest = Math.max(...gaps.filter(({ at }) => at > now).map(({ ms }) => ms));
      expect(longest).toBeGreaterThanOrEqual(1400);
    });

    test('takes nothing for missing that was shown while the page stood still', async () => {
      const before = await playback.measure();
      for (let times = 1; times <= 3; times += 1) {
        await inPage('{ const end = performance.now() + 2000; while (performance.now() < end); }');
        await playback.waitForFrames(before.frames + 25 * times, 10_000);
      }
      const { lost, repeated } = await playback.measure();
      expect({ lost, repeated }).toEqual({ lost: before.lost, repeated: before.repeated });
    });

    test('sees pictures that are shown again and pictures that are missing', async () => {
      const before = await playback.measure();
      await inPage('video.currentTime -= 2');
      const back = await playback.waitForFrames(before.frames + 25, 10_000);
      await inPage('video.currentTime += 2');
      const { gaps, lost, repeated } = await playback.waitForFrames(before.frames + 50, 10_000);
      const jumps = gaps.filter(({ at }) => at > before.now).map(({ jump }) => jump);
      expect(Math.min(...jumps)).toBeLessThanOrEqual(-40);
      expect(Math.max(...jumps)).toBeGreaterThanOrEqual(40);
      expect(back.repeated - before.repeated).toBeGreaterThanOrEqual(40);
      expect(repeated).toBe(back.repeated);
      expect(lost - before.lost).toBeGreaterThanOrEqual(40);
    });

    test('sees a player that gives up and has nothing left to show', async () => {
      const before = await playback.measure();
      origin.stopStream();
      // The last tenth of a second of the buffer is shown while it already counts as empty: both have to be seen.
      const starved = `measured().starvedMs > ${before.starvedMs + 1000}`;
      const isStill = 'measured().now - measured().lastAt > 1000';
      await playback.page.waitForFunction(`${starved} && ${isStill}`, undefined, {
        timeout: 30_000,
        polling: 100,
      });
      const after = await playback.measure();
      expect(after.errors.filter(({ fatal }) => fatal)).not.toEqual([]);
      expect(after.now - after.lastAt).toBeGreaterThan(1000);
    });

    async function inPage(code: string): Promise<void> {
      await playback.page.evaluate(`{ const video = document.querySelector('video'); ${code}; }`);
    }
  },
);
