/** The bit rate of a segment, bit/s; undefined for one without length or duration. */
export function bitRate(bytes: number, durationMs: number): number | undefined {
  return bytes > 0 && durationMs > 0 ? (bytes * 8 * 1000) / durationMs : undefined;
}

/**
 * The BANDWIDTH that is announced once a segment of `rate` bit/s was seen: the peak so far, rounded up to two
 * significant digits so that it seldom changes, and never lowered (RFC 8216bis 4.4.6.2 wants the peak).
 */
export function raiseBandwidth(announced: number, rate: number): number {
  if (rate <= announced) return announced;
  const step = 10 ** Math.max(0, Math.floor(Math.log10(rate)) - 1);
  return Math.ceil(rate / step) * step;
}
