import { createBitReader, u16 } from './bits.ts';

/** Audio formats whose frames are found by their headers. */
export type AudioFormat = 'aac' | 'mpeg' | 'ac3' | 'eac3';

/** What one frame header says. */
export type AudioHeader = {
  /** RFC 6381 string. */
  readonly codec: string;
  /** Whole frame with its header. */
  readonly frameBytes: number;
  readonly headerBytes: number;
  readonly samples: number;
  readonly sampleRate: number;
  /** False for a part that belongs to the frame before it (E-AC-3 dependent and further substreams). */
  readonly begins: boolean;
};

/** Bytes that must be there before a header can be read. */
export const audioHeaderBytes = 7;

/** Reads the frame header at `at`; undefined if there is none or fewer than {@link audioHeaderBytes} bytes are left. */
export function readAudioHeader(
  format: AudioFormat,
  bytes: Uint8Array,
  at: number,
): AudioHeader | undefined {
  if (at + audioHeaderBytes > bytes.length) return undefined;
  if (format === 'aac') return readAdts(bytes, at);
  return format === 'mpeg' ? readMpegAudio(bytes, at) : readAc3(bytes, at);
}

/** Sampling rates by index (ISO 14496-3 table 1.18). */
const aacRates = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000,
  7_350,
] as const;

/** ADTS (ISO 14496-3 1.A.2.2). */
function readAdts(bytes: Uint8Array, at: number): AudioHeader | undefined {
  if ((u16(bytes, at) & 0xfff6) !== 0xfff0) return undefined;
  const word = bytes[at + 2] ?? 0;
  const sampleRate = aacRates[(word >> 2) & 15];
  const headerBytes = ((bytes[at + 1] ?? 0) & 1) === 1 ? 7 : 9;
  const frameBytes =
    (((bytes[at + 3] ?? 0) & 3) << 11) | ((bytes[at + 4] ?? 0) << 3) | ((bytes[at + 5] ?? 0) >> 5);
  if (sampleRate === undefined || frameBytes <= headerBytes) return undefined;
  const blocks = ((bytes[at + 6] ?? 0) & 3) + 1;
  return {
    codec: `mp4a.40.${(word >> 6) + 1}`,
    frameBytes,
    headerBytes,
    samples: 1_024 * blocks,
    sampleRate,
    begins: true,
  };
}

/** What an AudioSpecificConfig says; `objectType` 5 or 29 when SBR or PS is signalled in it. */
export type AacConfig = {
  readonly objectType: number;
  /** Of the core coder, without SBR. */
  readonly coreType: number;
  readonly rateIndex: number;
  readonly sampleRate: number;
  readonly channels: number;
};

/** Reads an AudioSpecificConfig (ISO 14496-3 1.6.2.1). */
export function readAacConfig(bytes: Uint8Array): AacConfig | undefined {
  const r = createBitReader(bytes.subarray(0, 16));
  const readType = () => {
    const type = r.bits(5);
    return type === 31 ? 32 + r.bits(6) : type;
  };
  const readRate = () => {
    const index = r.bits(4);
    return { index, hz: index === 15 ? r.bits(24) : (aacRates[index] ?? 0) };
  };
  const objectType = readType();
  const rate = readRate();
  const channels = r.bits(4);
  let coreType = objectType;
  if (objectType === 5 || objectType === 29) {
    readRate();
    coreType = readType();
  }
  if (r.overrun() || rate.hz === 0 || objectType === 0) return undefined;
  return { objectType, coreType, rateIndex: rate.index, sampleRate: rate.hz, channels };
}

const mpegBitrates: Readonly<Record<string, readonly number[]>> = {
  '1-1': [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
  '1-2': [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
  '1-3': [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  '2-1': [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
  '2-2': [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
  '2-3': [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
};

/** MPEG-1 and MPEG-2 audio, layers I to III (ISO 11172-3 2.4.1.3), with the MPEG-2.5 rates. Free format is not read. */
function readMpegAudio(bytes: Uint8Array, at: number): AudioHeader | undefined {
  if ((u16(bytes, at) & 0xffe0) !== 0xffe0) return undefined;
  const version = ((bytes[at + 1] ?? 0) >> 3) & 3;
  const layer = 4 - (((bytes[at + 1] ?? 0) >> 1) & 3);
  const third = bytes[at + 2] ?? 0;
  const rateIndex = (third >> 2) & 3;
  const isFirst = version === 3;
  const kbit = mpegBitrates[`${isFirst ? 1 : 2}-${layer}`]?.[(third >> 4) - 1];
  if (version === 1 || kbit === undefined || rateIndex === 3) return undefined;
  const divisor = [4, 1, 2, 1][version] ?? 1;
  const sampleRate = ([44_100, 48_000, 32_000][rateIndex] ?? 0) / divisor;
  const samples = layer === 1 ? 384 : layer === 3 && !isFirst ? 576 : 1_152;
  const padding = (third >> 1) & 1;
  const slot = layer === 1 ? 4 : 1;
  const slots = Math.floor((samples * kbit * 125) / (sampleRate * slot)) + padding;
  return {
    codec: `mp4a.40.${31 + layer}`,
    frameBytes: slots * slot,
    headerBytes: 4,
    samples,
    sampleRate,
    begins: true,
  };
}

const ac3Rates = [48_000, 44_100, 32_000] as const;
const ac3Kbit = [
  32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 576, 640,
] as const;

/** AC-3 and E-AC-3 (ETSI TS 102 366 4.3.1 and E.1.2.1), told apart by bsid. */
function readAc3(bytes: Uint8Array, at: number): AudioHeader | undefined {
  if (u16(bytes, at) !== 0x0b77) return undefined;
  const isEnhanced = (bytes[at + 5] ?? 0) >> 3 > 10;
  return isEnhanced ? readEac3(bytes, at) : readPlainAc3(bytes, at);
}

function readPlainAc3(bytes: Uint8Array, at: number): AudioHeader | undefined {
  const word = bytes[at + 4] ?? 0;
  const sampleRate = ac3Rates[word >> 6];
  const sizeCode = word & 63;
  const kbit = ac3Kbit[sizeCode >> 1];
  if (sampleRate === undefined || kbit === undefined) return undefined;
  // 1536 samples at kbit/s in 16-bit words, rounded down, the odd codes one word longer at 44.1 kHz.
  const words = Math.floor((kbit * 96_000) / sampleRate);
  const extra = sampleRate === 44_100 ? sizeCode & 1 : 0;
  return {
    codec: 'ac-3',
    frameBytes: (words + extra) * 2,
    headerBytes: 5,
    samples: 1_536,
    sampleRate,
    begins: true,
  };
}

function readEac3(bytes: Uint8Array, at: number): AudioHeader | undefined {
  const word = u16(bytes, at + 2);
  const fourth = bytes[at + 4] ?? 0;
  const code = fourth >> 6;
  const halfRate = ac3Rates[(fourth >> 4) & 3];
  const sampleRate = code === 3 ? (halfRate ?? 0) / 2 : (ac3Rates[code] ?? 0);
  const blocks = code === 3 ? 6 : ([1, 2, 3, 6][(fourth >> 4) & 3] ?? 6);
  if (sampleRate === 0) return undefined;
  return {
    codec: 'ec-3',
    frameBytes: ((word & 0x7ff) + 1) * 2,
    headerBytes: 5,
    samples: 256 * blocks,
    sampleRate,
    begins: word >> 14 !== 1 && ((word >> 11) & 7) === 0,
  };
}
