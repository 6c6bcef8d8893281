const contentTypes: Readonly<Record<string, string>> = {
  m3u8: 'application/vnd.apple.mpegurl',
  m3u: 'application/vnd.apple.mpegurl',
  mpd: 'application/dash+xml',
  ts: 'video/mp2t',
  mp4: 'video/mp4',
  m4s: 'video/iso.segment',
  m4v: 'video/mp4',
  m4a: 'audio/mp4',
  cmfv: 'video/mp4',
  cmfa: 'audio/mp4',
  aac: 'audio/aac',
  mp3: 'audio/mpeg',
  ac3: 'audio/ac3',
  ec3: 'audio/eac3',
  vtt: 'text/vtt',
  ttml: 'application/ttml+xml',
  jpg: 'image/jpeg',
  png: 'image/png',
};

/** The media type of a file name, by its ending. */
export function contentTypeOf(name: string): string {
  const ending = name.slice(name.lastIndexOf('.') + 1).toLowerCase();
  return contentTypes[ending] ?? 'application/octet-stream';
}
