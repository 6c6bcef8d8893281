import { latin1Bytes } from './bytes.ts';

/**
 * The multivariant playlist for an origin that has only a media playlist: one variant, no renditions. Bandwidths are
 * bit/s, rounded up; `resolution` is `1280x720`. What is not known is left out.
 */
export function makeMultivariant(m: {
  readonly uri: string;
  readonly bandwidth: number;
  readonly averageBandwidth?: number | undefined;
  readonly codecs?: string | undefined;
  readonly resolution?: string | undefined;
  readonly frameRate?: number | undefined;
}): Uint8Array {
  const attributes = [
    `BANDWIDTH=${Math.ceil(m.bandwidth)}`,
    m.averageBandwidth === undefined ? [] : `AVERAGE-BANDWIDTH=${Math.ceil(m.averageBandwidth)}`,
    m.codecs === undefined ? [] : `CODECS="${m.codecs}"`,
    m.resolution === undefined ? [] : `RESOLUTION=${m.resolution}`,
    m.frameRate === undefined ? [] : `FRAME-RATE=${m.frameRate.toFixed(3)}`,
  ].flat();
  return latin1Bytes(`#EXTM3U\n#EXT-X-STREAM-INF:${attributes.join(',')}\n${m.uri}\n`);
}
