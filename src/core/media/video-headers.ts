import type { BitReader } from './bits.ts';
import { createBitReader, u16, u32 } from './bits.ts';
import { withoutEscapes } from './nal-units.ts';

/** What the header of a video stream says of it. */
export type VideoHeader = {
  /** RFC 6381 string. */
  readonly codec: string;
  /** Pixels shown, after cropping. */
  readonly width: number;
  readonly height: number;
  /** Frames per second as the header claims; absent if it says nothing. */
  readonly frameRate?: number | undefined;
};

/** No sequence header is longer; scaling lists and all, they stay far below. */
const headerBytesMax = 1_024;
const pixelsMax = 32_768;

/** Reads an H.264 sequence parameter set (NAL type 7, with its header byte); H.264 7.3.2.1.1 and E.1.1. */
export function readH264Sps(unit: Uint8Array): VideoHeader | undefined {
  const bytes = withoutEscapes(unit, headerBytesMax);
  if (bytes.length < 4 || ((bytes[0] ?? 0) & 31) !== 7) return undefined;
  const r = createBitReader(bytes.subarray(4));
  r.ue();
  const chroma = readH264Chroma(r, bytes[1] ?? 0);
  r.ue();
  skipPictureOrder(r);
  r.ue();
  r.flag();
  const columns = r.ue() + 1;
  const rows = r.ue() + 1;
  const fieldFactor = r.flag() ? 1 : 2;
  if (fieldFactor === 2) r.flag();
  r.flag();
  const crop = r.flag() ? [r.ue(), r.ue(), r.ue(), r.ue()] : [0, 0, 0, 0];
  const [unitX, unitY] = cropUnits(chroma);
  const width = columns * 16 - ((crop[0] ?? 0) + (crop[1] ?? 0)) * unitX;
  const height = (rows * 16 - ((crop[2] ?? 0) + (crop[3] ?? 0)) * unitY) * fieldFactor;
  if (r.overrun() || !isSize(width) || !isSize(height)) return undefined;
  const frameRate = r.flag() ? readH264FrameRate(r) : undefined;
  return { codec: `avc1.${hex(bytes.subarray(1, 4))}`, width, height, frameRate };
}

/**
 * Reads an HEVC sequence parameter set (NAL type 33, with its header bytes); H.265 7.3.2.2. The codec
 * string has the form of ISO 14496-15 E.3: compatibility flags in reverse bit order, constraint bytes without
 * trailing zeros.
 */
export function readHevcSps(unit: Uint8Array): VideoHeader | undefined {
  const bytes = withoutEscapes(unit, headerBytesMax);
  if (bytes.length < 15 || (((bytes[0] ?? 0) >> 1) & 63) !== 33) return undefined;
  const subLayers = ((bytes[2] ?? 0) >> 1) & 7;
  const r = createBitReader(bytes.subarray(15));
  skipSubLayers(r, subLayers);
  r.ue();
  const chromaFormat = r.ue();
  const separate = chromaFormat === 3 && r.flag();
  const codedWidth = r.ue();
  const codedHeight = r.ue();
  const crop = r.flag() ? [r.ue(), r.ue(), r.ue(), r.ue()] : [0, 0, 0, 0];
  const [unitX, unitY] = cropUnits(separate ? 0 : chromaFormat);
  const width = codedWidth - ((crop[0] ?? 0) + (crop[1] ?? 0)) * unitX;
  const height = codedHeight - ((crop[2] ?? 0) + (crop[3] ?? 0)) * unitY;
  if (r.overrun() || !isSize(width) || !isSize(height)) return undefined;
  return { codec: hevcCodec(bytes.subarray(3, 15)), width, height };
}

/** RFC 6381 string from the 12 bytes of `general_profile_space` to `general_level_idc`, as in an SPS or hvcC. */
export function hevcCodec(profileTierLevel: Uint8Array): string {
  const first = profileTierLevel[0] ?? 0;
  const space = ['', 'A', 'B', 'C'][first >> 6] ?? '';
  const flags = u32(profileTierLevel, 1);
  let reversed = 0;
  for (let i = 0; i < 32; i += 1) reversed = reversed * 2 + (Math.floor(flags / 2 ** i) % 2);
  const constraints = [...profileTierLevel.subarray(5, 11)];
  while (constraints.at(-1) === 0) constraints.pop();
  const tier = (first & 0x20) === 0 ? 'L' : 'H';
  const parts = [
    'hvc1',
    `${space}${first & 31}`,
    reversed.toString(16).toUpperCase(),
    `${tier}${profileTierLevel[11] ?? 0}`,
    ...constraints.map((byte) => byte.toString(16).toUpperCase()),
  ];
  return parts.join('.');
}

/**
 * Reads an MPEG-2 sequence header (start code B3, ISO 13818-2 6.2.2.1) and, where it is given, the sequence
 * extension behind it. The codec is `mp4v.6x`, x the profile's object type (RFC 6381 3.3).
 */
export function readMpeg2Sequence(
  unit: Uint8Array,
  extension?: Uint8Array,
): VideoHeader | undefined {
  if (unit.length < 8 || unit[0] !== 0xb3) return undefined;
  const isExtension = extension !== undefined && extension.length >= 7 && extension[0] === 0xb5;
  const profile = isExtension ? (extension[1] ?? 0) & 15 : 4;
  const wide = isExtension ? (((extension[2] ?? 0) & 1) << 1) | ((extension[3] ?? 0) >> 7) : 0;
  const high = isExtension ? ((extension[3] ?? 0) >> 5) & 3 : 0;
  const width = (u16(unit, 1) >> 4) | (wide << 12);
  const height = (u16(unit, 2) & 0xfff) | (high << 12);
  if (!isSize(width) || !isSize(height)) return undefined;
  // Profiles with the escape bit (8 and up) are 4:2:2 and multi-view.
  const type = profile >= 8 ? '65' : (['61', '64', '63', '62', '61', '60'][profile] ?? '61');
  return { codec: `mp4v.${type}`, width, height, frameRate: mpeg2Rates[(unit[4] ?? 0) & 15] };
}

/** ISO 13818-2 table 6-4. */
const mpeg2Rates = [
  undefined,
  24_000 / 1_001,
  24,
  25,
  30_000 / 1_001,
  30,
  50,
  60_000 / 1_001,
  60,
] as const;

const profilesWithChroma = [100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135];

/** Chroma format for cropping; 0 also for separate colour planes. */
function readH264Chroma(r: BitReader, profile: number): number {
  if (!profilesWithChroma.includes(profile)) return 1;
  const format = r.ue();
  const separate = format === 3 && r.flag();
  r.ue();
  r.ue();
  r.flag();
  if (r.flag()) skipScalingLists(r, format === 3 ? 12 : 8);
  return separate ? 0 : format;
}

function skipScalingLists(r: BitReader, count: number): void {
  for (let list = 0; list < count; list += 1) {
    if (r.flag()) skipScalingList(r, list < 6 ? 16 : 64);
  }
}

function skipScalingList(r: BitReader, size: number): void {
  let last = 8;
  let next = 8;
  for (let i = 0; i < size && next !== 0; i += 1) {
    next = (last + r.se() + 256) % 256;
    last = next === 0 ? last : next;
  }
}

function skipPictureOrder(r: BitReader): void {
  const type = r.ue();
  if (type === 0) r.ue();
  if (type !== 1) return;
  r.flag();
  r.se();
  r.se();
  const count = Math.min(r.ue(), 255);
  for (let i = 0; i < count; i += 1) r.se();
}

function readH264FrameRate(r: BitReader): number | undefined {
  const extendedAspect = 255;
  if (r.flag() && r.bits(8) === extendedAspect) r.skip(32);
  if (r.flag()) r.flag();
  if (r.flag()) {
    r.skip(4);
    if (r.flag()) r.skip(24);
  }
  if (r.flag()) {
    r.ue();
    r.ue();
  }
  if (!r.flag()) return undefined;
  const tick = r.bits(32);
  const scale = r.bits(32);
  return r.overrun() || tick === 0 || scale === 0 ? undefined : scale / (2 * tick);
}

function skipSubLayers(r: BitReader, count: number): void {
  if (count === 0) return;
  let bits = 0;
  for (let i = 0; i < 8; i += 1) {
    const profile = r.flag();
    const level = r.flag();
    if (i < count) bits += (profile ? 88 : 0) + (level ? 8 : 0);
  }
  r.skip(bits);
}

/** Luma samples per cropping unit (H.264 table 6-1, H.265 table 6-1). */
function cropUnits(chromaFormat: number): readonly [number, number] {
  if (chromaFormat === 1) return [2, 2];
  return chromaFormat === 2 ? [2, 1] : [1, 1];
}

function isSize(pixels: number): boolean {
  return pixels > 0 && pixels <= pixelsMax;
}

function hex(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
