import type { PlayerFamily } from './viewer.ts';

/** What a User-Agent says of the player. */
type Player = {
  readonly family: PlayerFamily;
  /** Whether it moves to a redundant variant by itself and is not harmed by seeing one. */
  readonly followsBackups: boolean;
};

/** Most of a User-Agent that is looked at, characters. */
const userAgentLengthMax = 512;

/** First fit wins: what a player adds to its User-Agent stands before the browser it may be built on. */
const families: readonly {
  readonly pattern: RegExp;
  readonly family: PlayerFamily;
  readonly followsBackups: boolean;
}[] = [
  { pattern: /\bExoPlayerLib\//, family: 'exoplayer2', followsBackups: false },
  { pattern: /\b(?:Lib)?VLC\//i, family: 'vlc', followsBackups: false },
  { pattern: /\b(?:Kodi|XBMC)\//i, family: 'kodi', followsBackups: false },
  { pattern: /\bGStreamer\b/i, family: 'gstreamer', followsBackups: false },
  { pattern: /\b(?:lib)?mpv\b/i, family: 'mpv', followsBackups: false },
  // Lavf/58.76.100, and Lavf53.32.100 of old.
  {
    pattern: /\b(?:Lavf|FFmpeg|libavformat)(?=[\d/ ]|$)/i,
    family: 'ffmpeg',
    followsBackups: false,
  },
  { pattern: /\bAppleCoreMedia\//, family: 'avplayer', followsBackups: true },
  { pattern: /^Mozilla\//, family: 'browser', followsBackups: true },
  { pattern: /\b(?:Dalvik|okhttp)\//, family: 'android', followsBackups: true },
];

/**
 * The player behind a User-Agent (`docs/players.md`, "User-Agent facts"). Unknown players are taken to
 * follow backups: redundant variants harm no measured player. Without a User-Agent none are named.
 */
export function readPlayer(userAgent: string | undefined): Player {
  const text = userAgent?.slice(0, userAgentLengthMax).trim() ?? '';
  if (text === '') {
    return { family: 'none', followsBackups: false };
  }
  const media3 = /\bAndroidXMedia3\/(\S*)/.exec(text);
  if (media3 !== null) {
    return { family: 'media3', followsBackups: media3FollowsBackups(media3[1] ?? '') };
  }
  const found = families.find(({ pattern }) => pattern.test(text));
  return found === undefined
    ? { family: 'unknown', followsBackups: true }
    : { family: found.family, followsBackups: found.followsBackups };
}

/** Redundant groups came with 1.10; 1.10.0 fails over with an index error (androidx/media#3189). */
function media3FollowsBackups(version: string): boolean {
  const [, major, minor, patch = '0'] =
    /^(\d{1,3})\.(\d{1,3})(?:\.(\d{1,3}))?(?![\d.])/.exec(version) ?? [];
  return Number(major) * 1e6 + Number(minor) * 1e3 + Number(patch) >= 1_010_001;
}
