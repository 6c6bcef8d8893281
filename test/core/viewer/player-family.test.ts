import { describe, expect, it } from 'vitest';
import { readPlayer } from '../../../src/core/viewer/player-family.ts';
import type { PlayerFamily } from '../../../src/core/viewer/viewer.ts';

const media3 = (version: string) => `TvApp/4.2 (Linux;Android 14) AndroidXMedia3/${version}`;

describe('a player that follows backups', () => {
  it.each<[PlayerFamily, string]>([
    [
      'browser',
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36',
    ],
    ['browser', 'Mozilla/5.0 (Windows NT 10.0; rv:128.0) Gecko/20100101 Firefox/128.0'],
    ['avplayer', 'AppleCoreMedia/1.0.0.21A329 (iPhone; U; CPU OS 17_0 like Mac OS X; en_us)'],
    ['avplayer', 'AppleCoreMedia/1.0.0.21J354 (Apple TV; U; CPU OS 17_0 like Mac OS X; en_us)'],
    ['media3', media3('1.10.1')],
    ['media3', media3('1.11.0-alpha01')],
    ['media3', media3('1.11')],
    ['media3', media3('2.0.0')],
    ['android', 'Dalvik/2.1.0 (Linux; U; Android 13; Pixel 7 Build/TQ3A)'],
    ['android', 'okhttp/4.12.0'],
    ['unknown', 'curl/8.5.0'],
    ['unknown', 'Roku/DVP-12.0'],
    ['unknown', 'x'.repeat(100_000)],
  ])('is a %s: %s', (family, userAgent) => {
    expect(readPlayer(userAgent)).toEqual({ family, followsBackups: true });
  });
});

describe('a player that gets no backups', () => {
  it.each<[PlayerFamily, string | undefined]>([
    ['none', undefined],
    ['none', ''],
    ['none', '   '],
    ['vlc', 'VLC/3.0.18 LibVLC/3.0.18'],
    ['vlc', 'LibVLC/4.0.0'],
    ['ffmpeg', 'Lavf/58.76.100'],
    ['ffmpeg', 'Lavf53.32.100'],
    ['ffmpeg', 'FFmpeg'],
    ['mpv', 'libmpv'],
    ['mpv', 'mpv 0.38.0'],
    ['kodi', 'Kodi/20.2 (X11; Linux x86_64) App_Bitness/64 Version/20.2-(20.2.0)-Git:20230629'],
    ['kodi', 'XBMC/13.2 Git:20140817 (Windows)'],
    ['gstreamer', 'GStreamer souphttpsrc 1.22.0 libsoup/3.2.2'],
    ['exoplayer2', 'TvApp/1.0 (Linux;Android 11) ExoPlayerLib/2.19.1'],
    ['media3', media3('1.9.3')],
    ['media3', media3('1.10.0')],
    ['media3', media3('1.10')],
    ['media3', media3('')],
    ['media3', media3('next')],
    ['media3', media3('9999.1.1')],
  ])('is a %s: %s', (family, userAgent) => {
    expect(readPlayer(userAgent)).toEqual({ family, followsBackups: false });
  });

  it('is known by its own name before the browser it may be built on', () => {
    expect(readPlayer('Mozilla/5.0 (Linux; Android 9) AppleWebKit/537 VLC/3.0.0').family).toBe(
      'vlc',
    );
  });
});
