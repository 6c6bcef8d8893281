import { withAdtsHeader } from '../../src/core/media/adts.ts';
import type {
  AudioFrame,
  OtherUnit,
  Reading,
  Track,
  Unit,
  VideoUnit,
} from '../../src/core/media/units.ts';
import { wrapTicks } from '../../src/core/media/units.ts';

/** A source without an encoder: pictures that are known by their number, and sound beside them. */
export type SyntheticOptions = {
  /** Time of picture 0, ticks of the packager. */
  readonly base?: number;
  /** Pictures from and to (exclusive). */
  readonly from?: number;
  readonly to: number;
  readonly periodTicks?: number;
  readonly isKey?: (picture: number) => boolean;
  /** Pictures that are not there. */
  readonly isMissing?: (picture: number) => boolean;
  readonly isDamaged?: (picture: number) => boolean;
  readonly sampleRate?: number | 'none';
  /** Presentation behind decoding, pictures. */
  readonly reorder?: number;
  /** How much later in the bytes sound comes than pictures, ticks. */
  readonly soundLate?: number;
  readonly others?: readonly OtherUnit[];
};

const videoTrack: Track = {
  kind: 'video',
  id: 256,
  encrypted: false,
  format: 'h264',
  parameterSets: [],
};
export const audioTrack: Track = { kind: 'audio', id: 257, encrypted: false, format: 'aac' };

const sps = Uint8Array.of(0x67, 0x42, 0xc0, 0x0d, 1);
const pps = Uint8Array.of(0x68, 0xce, 1);

/** Units in the order in which their bytes come. */
export function syntheticUnits(options: SyntheticOptions): Unit[] {
  const { from = 0, to, soundLate = 0, others = [] } = options;
  const ordered: { at: number; unit: Unit }[] = [];
  for (let picture = from; picture < to; picture += 1) {
    if (options.isMissing?.(picture)) continue;
    const unit = pictureOf(picture, options);
    ordered.push({ at: dtsOf(picture, options), unit });
  }
  if (options.sampleRate !== 'none') {
    for (const frame of framesOf(options))
      ordered.push({ at: frame.time + soundLate, unit: frame.unit });
  }
  for (const unit of others) ordered.push({ at: unit.at, unit });
  return ordered.sort((a, b) => a.at - b.at).map(({ unit }) => unit);
}

export function syntheticReading(options: SyntheticOptions, more: readonly Track[] = []): Reading {
  const audio = options.sampleRate === 'none' ? [] : [audioTrack];
  return { tracks: [videoTrack, ...audio, ...more], units: syntheticUnits(options), faults: 0 };
}

/** The same reading in pieces of so many units. */
export function inPieces(reading: Reading, size: number): Reading[] {
  const pieces: Reading[] = [];
  for (let at = 0; at < reading.units.length; at += size) {
    pieces.push({ ...reading, units: reading.units.slice(at, at + size) });
  }
  return pieces;
}

function dtsOf(picture: number, { base = 0, periodTicks = 3_600 }: SyntheticOptions): number {
  return base + Math.round(picture * periodTicks);
}

function pictureOf(picture: number, options: SyntheticOptions): VideoUnit {
  const { isKey = (number) => number % 25 === 0, reorder = 0, periodTicks = 3_600 } = options;
  const key = isKey(picture);
  const dts = dtsOf(picture, options);
  const content = Uint8Array.from({ length: 200 }, (_, i) => 1 + ((picture * 31 + i * 7) % 250));
  const slice = Uint8Array.of(key ? 0x65 : 0x41, ...content);
  return {
    kind: 'video',
    track: 256,
    at: dts,
    damaged: options.isDamaged?.(picture) ?? false,
    pts: wrapTicks(dts + Math.round(reorder * periodTicks)),
    dts: wrapTicks(dts),
    isKey: key,
    parts: key ? [sps, pps, slice] : [slice],
  };
}

function framesOf(options: SyntheticOptions): { time: number; unit: AudioFrame }[] {
  const { base = 0, from = 0, to, periodTicks = 3_600, sampleRate = 48_000 } = options;
  const rate = sampleRate === 'none' ? 48_000 : sampleRate;
  const step = (1_024 * 90_000) / rate;
  const first = Math.ceil((from * periodTicks) / step);
  const end = Math.floor((to * periodTicks) / step);
  const frames: { time: number; unit: AudioFrame }[] = [];
  for (let index = first; index < end; index += 1) {
    const time = base + index * step;
    const config = { coreType: 2, rateIndex: rate === 48_000 ? 3 : 4, channels: 2 };
    const content = Uint8Array.from({ length: 60 }, (_, i) => (index * 13 + i) % 251);
    frames.push({
      time,
      unit: {
        kind: 'audio',
        track: 257,
        at: time,
        damaged: false,
        pts: wrapTicks(time),
        samples: 1_024,
        sampleRate: rate,
        bytes: withAdtsHeader(config, content),
      },
    });
  }
  return frames;
}
