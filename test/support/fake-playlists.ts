/** What a fake origin publishes; every field can be changed while it runs. */
export type FakeChannel = {
  /** Path of the entry. */
  entryPath: string;
  /** Paths of the media playlists below the entry's folder; none: the entry itself is the media playlist. */
  rungs: { path: string; bandwidth: number }[];
  /** Path of an audio rendition below the entry's folder. */
  audio?: string | undefined;
  /** How child URIs are written. */
  uris: 'relative' | 'root-relative' | 'absolute';
  targetS: number;
  windowSegments: number;
  /** More than 0: LL-HLS with so many parts per segment. */
  partsPerSegment: number;
  /** `fmp4` has an EXT-X-MAP. */
  container: 'ts' | 'fmp4';
};

/** How far a channel has come. `parts` are those of the segment after `newest`. */
export type FakeProgress = { newest: number; parts: number };

export function defaultChannel(): FakeChannel {
  return {
    entryPath: '/live/ch1/index.m3u8',
    rungs: [
      { path: 'high/video.m3u8', bandwidth: 3_000_000 },
      { path: 'low/video.m3u8', bandwidth: 800_000 },
    ],
    uris: 'relative',
    targetS: 2,
    windowSegments: 5,
    partsPerSegment: 0,
    container: 'ts',
  };
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1);
}

/** `target` (an absolute path) as `uris` writes it in a playlist at `from`. */
function uriOf(channel: FakeChannel, base: string, from: string, target: string): string {
  if (channel.uris === 'absolute') return `${base}${target}`;
  const folder = folderOf(from);
  const isRelative = channel.uris === 'relative' && target.startsWith(folder);
  return isRelative ? target.slice(folder.length) : target;
}

export function multivariantText(channel: FakeChannel, base: string, query: string): string {
  const folder = folderOf(channel.entryPath);
  const uri = (path: string) =>
    uriOf(channel, base, channel.entryPath, folder + path) + (query === '' ? '' : `?${query}`);
  const lines = ['#EXTM3U', '#EXT-X-VERSION:6', '#EXT-X-INDEPENDENT-SEGMENTS'];
  const audio = channel.audio === undefined ? '' : ',AUDIO="aud"';
  if (channel.audio !== undefined)
    lines.push(
      `#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="aud",NAME="en",DEFAULT=YES,URI="${uri(channel.audio)}"`,
    );
  for (const { path, bandwidth } of channel.rungs)
    lines.push(
      `#EXT-X-STREAM-INF:BANDWIDTH=${bandwidth},CODECS="avc1.4d401f,mp4a.40.2"${audio}`,
      uri(path),
    );
  return `${lines.join('\n')}\n`;
}

export function mediaText(
  channel: FakeChannel,
  progress: FakeProgress,
  at: { base: string; path: string; query: string; hole?: number | undefined; ended: boolean },
): string {
  const suffix = at.query === '' ? '' : `?${at.query}`;
  const ending = channel.container === 'ts' ? 'ts' : 'm4s';
  const name = (file: string) =>
    uriOf(channel, at.base, at.path, folderOf(at.path) + file) + suffix;
  const first = Math.max(0, progress.newest - channel.windowSegments + 1);
  const isLl = channel.partsPerSegment > 0;
  const partS = channel.targetS / (channel.partsPerSegment || 1);
  const lines = [
    '#EXTM3U',
    `#EXT-X-VERSION:${isLl ? 9 : 6}`,
    `#EXT-X-TARGETDURATION:${channel.targetS}`,
    `#EXT-X-MEDIA-SEQUENCE:${first}`,
  ];
  if (isLl)
    lines.push(
      `#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=${(partS * 3).toFixed(3)}`,
      `#EXT-X-PART-INF:PART-TARGET=${partS.toFixed(3)}`,
    );
  if (channel.container === 'fmp4') lines.push(`#EXT-X-MAP:URI="${name('init.mp4')}"`);
  for (let number = first; number <= progress.newest; number++)
    if (number !== at.hole)
      lines.push(`#EXTINF:${channel.targetS.toFixed(3)},`, name(`seg${number}.${ending}`));
  for (let part = 0; part < progress.parts; part++)
    lines.push(
      `#EXT-X-PART:DURATION=${partS.toFixed(3)},URI="${name(`seg${progress.newest + 1}.${part}.${ending}`)}"`,
    );
  if (isLl)
    lines.push(
      `#EXT-X-PRELOAD-HINT:TYPE=PART,URI="${name(`seg${progress.newest + 1}.${progress.parts}.${ending}`)}"`,
    );
  if (at.ended) lines.push('#EXT-X-ENDLIST');
  return `${lines.join('\n')}\n`;
}
