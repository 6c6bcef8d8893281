/**
 * The variant streams and renditions of one multivariant playlist, in its order. URIs are viewer
 * paths below `/{stream}/` (relative, no leading slash, with the origin's query if it has one, without a pass).
 */
export type Ladder = {
  readonly variants: readonly Variant[];
  readonly renditions: readonly Rendition[];
};

/** One EXT-X-STREAM-INF entry (RFC 8216bis 4.4.6.2); attribute values as written, without quotes. */
export type Variant = {
  readonly uri: string;
  /** BANDWIDTH, bit/s. */
  readonly bandwidth: number;
  readonly codecs?: string | undefined;
  readonly resolution?: string | undefined;
  readonly audio?: string | undefined;
  readonly subtitles?: string | undefined;
  readonly video?: string | undefined;
};

/** One EXT-X-MEDIA entry of TYPE AUDIO, SUBTITLES or VIDEO (RFC 8216bis 4.4.6.1). */
export type Rendition = {
  readonly type: 'AUDIO' | 'SUBTITLES' | 'VIDEO';
  readonly groupId: string;
  readonly name: string;
  readonly language?: string | undefined;
  /** Absent for a rendition that is in the variant itself. */
  readonly uri?: string | undefined;
};
