import { withAdtsHeader } from '../../src/core/media/adts.ts';
import type { AudioFrame, Reading, Track, Unit, VideoUnit } from '../../src/core/media/units.ts';
import { ticksPerSecond, wrapTicks } from '../../src/core/media/units.ts';

/** One source that several packagers take: pictures are known by their number, and sound beside them. */
export type SharedSource = {
  readonly periodTicks: number;
  readonly periodMs: number;
  readonly isKey: (picture: number) => boolean;
  /** What is read of the pictures `from` to `to` (exclusive) by one packager. */
  read(part: SourcePart): Reading;
};

/** Ten pictures a second, one of them a keyframe, and sparse sound: cheap, and all that a timeline is made of. */
type SourceOptions = {
  readonly fps?: number;
  /** A keyframe each so many pictures. */
  readonly keyEvery?: number;
  readonly isKey?: (picture: number) => boolean;
  /** Hz, AAC; `none`: pictures only. */
  readonly soundRate?: number | 'none';
  /** What a picture shows: two that show the same are the same bytes. */
  readonly shows?: (picture: number) => number;
  /** Bytes of one picture. */
  readonly pictureBytes?: number;
};

export type SourcePart = {
  readonly from: number;
  readonly to: number;
  /** Time of picture 0, ticks of the packager; any number. */
  readonly base: number;
  readonly rung?: number;
  readonly kind?: 'video' | 'audio';
  /** Another encoder makes other pictures of the same scene; `keys` says whether its keyframes are others too. */
  readonly encoder?: { readonly id: number; readonly keys: boolean };
  readonly isMissing?: (picture: number) => boolean;
  readonly isDamaged?: (picture: number) => boolean;
  /** How much later than pictures its muxer writes sound, ticks. */
  readonly soundLate?: number;
};

const videoTrack: Track = {
  kind: 'video',
  id: 256,
  encrypted: false,
  format: 'h264',
  parameterSets: [],
};
const audioTrack: Track = { kind: 'audio', id: 257, encrypted: false, format: 'aac' };
const sets = [Uint8Array.of(0x67, 0x42, 0xc0, 0x0d, 1), Uint8Array.of(0x68, 0xce, 1)];
const frameSamples = 1_024;

export function createSharedSource(options: SourceOptions = {}): SharedSource {
  const { fps = 10, keyEvery = 10, soundRate = 8_000, pictureBytes = 40 } = options;
  const { shows = (picture) => picture, isKey = (picture) => picture % keyEvery === 0 } = options;
  const periodTicks = ticksPerSecond / fps;
  const source: SharedSource = {
    ...{ periodTicks, isKey },
    periodMs: 1_000 / fps,
    read(part) {
      const { kind = 'video' } = part;
      const hasSound = soundRate !== 'none' || kind === 'audio';
      const rate = soundRate === 'none' ? 48_000 : soundRate;
      const tracks = [
        ...(kind === 'video' ? [videoTrack] : []),
        ...(hasSound && soundRate !== 'none' ? [audioTrack] : []),
      ];
      const pictures = kind === 'video' ? picturesOf(part) : [];
      const frames = tracks.includes(audioTrack) ? framesOf(part, periodTicks, rate) : [];
      const units = [...pictures, ...frames]
        .sort((a, b) => a.order - b.order)
        .map(({ unit }): Unit => unit);
      return { tracks, units, faults: 0 };
    },
  };
  return source;

  function picturesOf(part: SourcePart) {
    const units: { order: number; unit: VideoUnit }[] = [];
    for (let picture = part.from; picture < part.to; picture += 1)
      if (!part.isMissing?.(picture))
        units.push({ order: picture * periodTicks, unit: pictureOf(picture, part) });
    return units;
  }

  function pictureOf(picture: number, part: SourcePart): VideoUnit {
    const key = isKey(picture);
    const { encoder, rung = 0, base } = part;
    const by = encoder !== undefined && (encoder.keys || !key) ? encoder.id : 0;
    const time = wrapTicks(base + Math.round(picture * periodTicks));
    const slice = contentOf([shows(picture), rung, by], pictureBytes);
    slice[0] = key ? 0x65 : 0x41;
    const damaged = part.isDamaged?.(picture) ?? false;
    const whole = damaged ? slice.subarray(0, slice.length / 2) : slice;
    return {
      ...{ kind: 'video', track: videoTrack.id, at: 0, isKey: key, pts: time, dts: time },
      damaged,
      parts: key ? [...sets, whole] : [whole],
    };
  }
}

function framesOf(part: SourcePart, periodTicks: number, rate: number) {
  const { from, to, base, soundLate = 0 } = part;
  const step = (frameSamples * ticksPerSecond) / rate;
  const units: { order: number; unit: AudioFrame }[] = [];
  const first = Math.ceil((from * periodTicks - soundLate) / step);
  for (let index = first; index * step + soundLate < to * periodTicks; index += 1) {
    const config = { coreType: 2, rateIndex: rate === 48_000 ? 3 : 11, channels: 2 };
    const unit: AudioFrame = {
      ...{ kind: 'audio', track: audioTrack.id, at: 0, damaged: false },
      ...{ samples: frameSamples, sampleRate: rate, pts: wrapTicks(base + index * step) },
      bytes: withAdtsHeader(config, contentOf([index], 12)),
    };
    units.push({ order: index * step + soundLate, unit });
  }
  return units;
}

/** Bytes that tell `values` apart, none of them zero. */
function contentOf(values: readonly number[], length: number): Uint8Array {
  let state = 0x9e37_79b1;
  for (const value of values)
    state = Math.imul(state ^ (value + 0x7f4a_7c15), 0x85eb_ca6b) ^ (state >>> 13);
  return Uint8Array.from({ length }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return 1 + ((state >>> 16) % 250);
  });
}
