import type { Container } from '../stream/stream.ts';
import { readAudioHeader } from './audio-headers.ts';
import { createFmp4Reader, isFmp4 } from './fmp4-reader.ts';
import { frameRateOf } from './frame-rate.ts';
import { createTsReader, isTs } from './ts-reader.ts';
import type { AudioFrame, Reading, Track, VideoTrack, VideoUnit } from './units.ts';
import type { VideoHeader } from './video-headers.ts';
import { readH264Sps, readHevcSps, readMpeg2Sequence } from './video-headers.ts';

/** What a multivariant playlist says of a variant stream, measured from one of its segments. */
export type SegmentDescription = {
  readonly container: Container;
  /** CODECS value (RFC 6381), video first; empty when no codec is known. */
  readonly codecs: string;
  /** `{width}x{height}` of the first video, as shown. */
  readonly resolution?: string | undefined;
  /** Frames per second of the first video, at most three decimals. */
  readonly frameRate?: number | undefined;
};

/**
 * Describes a media segment. `init` is the initialization section of an fMP4 segment that does not hold
 * its own. Undefined when the bytes are neither MPEG-TS nor fMP4, or no track is found. Never throws.
 */
export function describeSegment(
  bytes: Uint8Array,
  init?: Uint8Array,
): SegmentDescription | undefined {
  const container = isTs(bytes) ? 'ts' : isFmp4(bytes) ? 'fmp4' : undefined;
  if (container === undefined) return undefined;
  const reader = container === 'ts' ? createTsReader() : createFmp4Reader(init);
  const reading = reader.read(bytes, 'segment');
  if (reading.tracks.length === 0) return undefined;
  const found = reading.tracks.map((track) => describeTrack(track, reading));
  const video = found.find((entry) => entry.kind === 'video');
  const sorted = [...found.filter((e) => e === video), ...found.filter((e) => e !== video)];
  const codecs = new Set(sorted.flatMap((entry) => entry.codec ?? []));
  return {
    container,
    codecs: [...codecs].join(','),
    resolution: video?.resolution,
    frameRate: video?.frameRate,
  };
}

type TrackDescription = {
  readonly kind: Track['kind'];
  readonly codec: string | undefined;
  readonly resolution?: string | undefined;
  readonly frameRate?: number | undefined;
};

function describeTrack(track: Track, reading: Reading): TrackDescription {
  switch (track.kind) {
    case 'video':
      return describeVideo(track, reading);
    case 'audio': {
      const frame = reading.units.find(
        (unit): unit is AudioFrame => unit.kind === 'audio' && unit.track === track.id,
      );
      const header = frame && readAudioHeader(track.format, frame.bytes, 0);
      return { kind: 'audio', codec: track.codec ?? header?.codec };
    }
    case 'other': {
      const { codec, resolution } = track;
      return { kind: resolution === undefined ? 'other' : 'video', codec, resolution };
    }
  }
}

function describeVideo(track: VideoTrack, reading: Reading): TrackDescription {
  const units = reading.units.filter(
    (unit): unit is VideoUnit => unit.kind === 'video' && unit.track === track.id,
  );
  const header = findHeader(track, units);
  const times = units.map((unit) => unit.pts);
  return {
    kind: 'video',
    codec: track.codec ?? header?.codec,
    resolution: header && `${header.width}x${header.height}`,
    frameRate: frameRateOf(times, header?.frameRate),
  };
}

function findHeader(track: VideoTrack, units: readonly VideoUnit[]): VideoHeader | undefined {
  for (const parts of [track.parameterSets, ...units.map((unit) => unit.parts)]) {
    for (const [index, part] of parts.entries()) {
      const header = readHeader(track, part, parts[index + 1]);
      if (header !== undefined) return header;
    }
  }
  return undefined;
}

function readHeader(track: VideoTrack, part: Uint8Array, next: Uint8Array | undefined) {
  switch (track.format) {
    case 'h264':
      return readH264Sps(part);
    case 'hevc':
      return readHevcSps(part);
    case 'mpeg2':
      return readMpeg2Sequence(part, next);
  }
}
