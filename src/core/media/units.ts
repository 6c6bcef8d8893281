import type { AudioFormat } from './audio-headers.ts';

/** Ticks per second of every time in here (ISO 13818-1 2.4.3.7). */
export const ticksPerSecond = 90_000;

/** Time stamps count modulo 2^33: they wrap every 26.5 hours. */
export const ticksWrap = 2 ** 33;

/** Video formats whose pictures can be taken apart and written again. */
export type VideoFormat = 'h264' | 'hevc' | 'mpeg2';

type TrackBase = {
  /** PID, or track id in fMP4. */
  readonly id: number;
  /** RFC 6381 string where the container says it (fMP4). */
  readonly codec?: string | undefined;
  /** The samples are encrypted: they can be carried, not read. */
  readonly encrypted: boolean;
};

export type VideoTrack = TrackBase & {
  readonly kind: 'video';
  readonly format: VideoFormat;
  /** Parameter sets given outside of the pictures (avcC, hvcC); empty for MPEG-TS. */
  readonly parameterSets: readonly Uint8Array[];
};

export type AudioTrack = TrackBase & {
  readonly kind: 'audio';
  readonly format: AudioFormat;
  /** ISO 639-2 code where the container says it. */
  readonly language?: string | undefined;
};

/** What is carried as it is: SCTE-35, ID3, teletext, subtitles, and codecs that are not taken apart. */
export type OtherTrack = TrackBase & {
  readonly kind: 'other';
  /** MPEG-TS stream type; absent in fMP4. */
  readonly streamType?: number | undefined;
  /** MPEG-TS descriptors of the stream, as they stand. */
  readonly descriptors: Uint8Array;
  /** Pixels, for a video codec that is not taken apart (fMP4). */
  readonly resolution?: string | undefined;
};

export type Track = VideoTrack | AudioTrack | OtherTrack;

type UnitBase = {
  /** Id of its track. */
  readonly track: number;
  /** Where it begins in all that the reader was given, bytes. */
  readonly at: number;
  /** Packets of it were lost or broken. */
  readonly damaged: boolean;
};

/** All that one video time stamp stands for: a frame, or the two fields of one. */
export type VideoUnit = UnitBase & {
  readonly kind: 'video';
  /** Ticks modulo 2^33. */
  readonly pts: number;
  readonly dts: number;
  /** Playback may begin here. */
  readonly isKey: boolean;
  /** NAL units, or MPEG-2 units beginning with the start code value, in order. */
  readonly parts: readonly Uint8Array[];
};

export type AudioFrame = UnitBase & {
  readonly kind: 'audio';
  /** Ticks modulo 2^33; not whole where the frame duration is not. */
  readonly pts: number;
  readonly samples: number;
  readonly sampleRate: number;
  /** With its header (ADTS, MPEG audio, AC-3). */
  readonly bytes: Uint8Array;
};

export type OtherUnit = UnitBase & {
  readonly kind: 'other';
  /** Ticks modulo 2^33; absent for sections and PES packets without a time. */
  readonly pts?: number | undefined;
  /** `section`: whole, with its CRC. `pes`: payload, with `streamId`. `sample`: of fMP4. */
  readonly form: 'pes' | 'section' | 'sample';
  readonly streamId?: number | undefined;
  readonly bytes: Uint8Array;
};

export type Unit = VideoUnit | AudioFrame | OtherUnit;

/** What a reader found in the bytes it was given. */
export type Reading = {
  /** All tracks known so far, in the order of the container. */
  readonly tracks: readonly Track[];
  /** In the order in which they begin. */
  readonly units: readonly Unit[];
  /** Breaks seen: continuity jumps, packets marked broken, headers that make no sense. */
  readonly faults: number;
};

/**
 * Reads segments, or a feed, in order; keeps what is cut in half for the next call. Never throws, and
 * keeps no more than its named limits whatever it is given.
 */
export type SegmentReader = {
  /** `end`: `segment` when the bytes end where a segment ends, `open` when more of the same may follow. */
  read(bytes: Uint8Array, end: 'segment' | 'open'): Reading;
};

/** `time` into [0, 2^33). */
export function wrapTicks(time: number): number {
  return ((time % ticksWrap) + ticksWrap) % ticksWrap;
}

/** `ticks` modulo 2^33 into (-2^32, 2^32]: the shorter way from one time to another. */
export function signedTicks(ticks: number): number {
  const wrapped = wrapTicks(ticks);
  return wrapped > ticksWrap / 2 ? wrapped - ticksWrap : wrapped;
}

/** The value congruent to `time` modulo 2^33 that is nearest to `reference`. */
export function unwrapTicks(time: number, reference: number): number {
  return time + Math.round((reference - time) / ticksWrap) * ticksWrap;
}
