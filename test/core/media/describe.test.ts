import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { describeSegment } from '../../../src/core/media/describe.ts';
import {
  bytesOf,
  clip,
  clipFolder,
  hasFfmpeg,
  probe,
  testSource,
} from '../../support/ffmpeg-clips.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const x264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '25'];
const x265 = [
  '-c:v',
  'libx265',
  '-preset',
  'ultrafast',
  '-x265-params',
  'log-level=none',
  '-tag:v',
  'hvc1',
];

type Row = {
  readonly name: string;
  readonly rate?: string;
  readonly size?: string;
  readonly args: readonly string[];
  /** What players expect where ffmpeg writes nothing, or something less exact. */
  readonly codecs?: string;
  readonly frameRate: number;
};

const rows: readonly Row[] = [
  {
    name: 'h264-baseline',
    args: [...x264, '-profile:v', 'baseline', '-c:a', 'aac', '-ar', '48000'],
    frameRate: 25,
  },
  {
    name: 'h264-main',
    rate: '30000/1001',
    size: '322x182',
    args: [
      '-c:v',
      'libx264',
      '-preset',
      'fast',
      '-profile:v',
      'main',
      '-bf',
      '2',
      '-c:a',
      'aac',
      '-ar',
      '44100',
    ],
    frameRate: 29.97,
  },
  {
    name: 'h264-high-interlaced',
    args: [
      '-c:v',
      'libx264',
      '-preset',
      'veryfast',
      '-profile:v',
      'high',
      '-flags',
      '+ilme+ildct',
      '-c:a',
      'ac3',
    ],
    frameRate: 25,
  },
  { name: 'h264-422', args: [...x264, '-pix_fmt', 'yuv422p10le', '-c:a', 'eac3'], frameRate: 25 },
  {
    name: 'hevc',
    args: [...x265, '-c:a', 'aac'],
    codecs: 'hvc1.1.6.L60.90,mp4a.40.2',
    frameRate: 25,
  },
  {
    name: 'hevc-main10',
    rate: '50',
    size: '640x360',
    args: [...x265, '-pix_fmt', 'yuv420p10le', '-c:a', 'libmp3lame'],
    codecs: 'hvc1.2.4.L90.90,mp4a.40.34',
    frameRate: 50,
  },
  {
    name: 'h264-mp3',
    rate: '24000/1001',
    args: [...x264, '-c:a', 'libmp3lame'],
    codecs: 'avc1.42c00c,mp4a.40.34',
    frameRate: 23.976,
  },
];

const tsOnly: readonly Row[] = [
  {
    name: 'mpeg2-mp2',
    args: ['-c:v', 'mpeg2video', '-c:a', 'mp2'],
    codecs: 'mp4v.61,mp4a.40.33',
    frameRate: 25,
  },
  {
    name: 'mpeg2-422-low-rate-mp3',
    rate: '30000/1001',
    args: ['-c:v', 'mpeg2video', '-pix_fmt', 'yuv422p', '-c:a', 'libmp3lame', '-ar', '22050'],
    codecs: 'mp4v.65,mp4a.40.34',
    frameRate: 29.97,
  },
];

/** One segment of a row, and the CODECS that ffmpeg's own packager writes for it. */
async function packaged(row: Row, type: 'mpegts' | 'fmp4') {
  const id = `${row.name}-${type}`;
  const ending = type === 'fmp4' ? 'm4s' : 'ts';
  await clip(`${id}.m3u8`, [
    ...testSource({ seconds: 1, rate: row.rate ?? '25', size: row.size ?? '320x180' }),
    ...row.args,
    ...['-f', 'hls', '-hls_time', '20', '-hls_segment_type', type],
    ...['-hls_segment_filename', `${id}-%d.${ending}`, '-hls_fmp4_init_filename', `${id}-init.mp4`],
    ...['-master_pl_name', `${id}-master.m3u8`],
  ]);
  const file = (name: string) => join(clipFolder(), name);
  const master = readFileSync(file(`${id}-master.m3u8`), 'utf8');
  return {
    segment: bytesOf(file(`${id}-0.${ending}`)),
    init: type === 'fmp4' ? bytesOf(file(`${id}-init.mp4`)) : undefined,
    playlist: file(`${id}.m3u8`),
    codecs: row.codecs ?? /CODECS="([^"]*)"/.exec(master)?.[1],
  };
}

describe.skipIf(!hasFfmpeg)('a segment made by ffmpeg', () => {
  const cases = [
    ...rows.map((row) => ({ row, type: 'mpegts' as const })),
    ...tsOnly.map((row) => ({ row, type: 'mpegts' as const })),
    ...rows.map((row) => ({ row, type: 'fmp4' as const })),
  ];
  for (const { row, type } of cases) {
    it(`is described as its packager and ffprobe describe it: ${row.name} in ${type}`, async () => {
      const { segment, init, codecs, playlist } = await packaged(row, type);
      const [stream] = probe(playlist, '-select_streams', 'v', '-show_streams').streams ?? [];
      const { width, height } = stream as unknown as { width: number; height: number };
      expect(describeSegment(segment, init)).toEqual({
        container: type === 'fmp4' ? 'fmp4' : 'ts',
        codecs,
        resolution: `${width}x${height}`,
        frameRate: row.frameRate,
      });
    });
  }

  it('is described without a picture when it has only sound', async () => {
    const path = await clip('sound.ts', ['-f', 'lavfi', '-i', 'sine=d=1', '-c:a', 'aac']);
    const found = describeSegment(bytesOf(path));
    expect(found).toEqual({ container: 'ts', codecs: 'mp4a.40.2' });
  });

  it('is described from an fMP4 file that holds its own initialization section', async () => {
    const args = [...testSource({ seconds: 1 }), ...x264, '-c:a', 'aac'];
    const path = await clip('own-init.mp4', [...args, '-movflags', '+frag_keyframe+empty_moov']);
    expect(describeSegment(bytesOf(path))?.codecs).toMatch(/^avc1\.[0-9a-f]{6},mp4a\.40\.2$/);
  });
});

describe('bytes that are no segment', () => {
  it('are not described', () => {
    expect(describeSegment(new Uint8Array(0))).toBeUndefined();
    expect(describeSegment(new TextEncoder().encode('<html>404</html>'))).toBeUndefined();
    expect(describeSegment(new Uint8Array(4_096).fill(0x47))).toBeUndefined();
  });

  it('never throw and never hang, whatever they are', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2_000 }), fc.boolean(), (bytes, asMp4) => {
        if (asMp4) bytes.set(new TextEncoder().encode('\0\0\0\x10moof').subarray(0, bytes.length));
        else for (let at = 0; at < bytes.length; at += 188) bytes[at] = 0x47;
        describeSegment(bytes, bytes);
      }),
      { numRuns: 300 },
    );
  });
});

describe.skipIf(!hasFfmpeg)('a segment with bytes changed on the way', () => {
  const originals: { bytes: Uint8Array; init: Uint8Array | undefined }[] = [];

  beforeAll(async () => {
    for (const name of ['h264-main', 'hevc']) {
      const row = rows.find((candidate) => candidate.name === name) as Row;
      for (const type of ['mpegts', 'fmp4'] as const) {
        const { segment, init } = await packaged(row, type);
        originals.push({ bytes: segment.subarray(0, 60_000), init });
      }
    }
    expect(readdirSync(clipFolder()).length).toBeGreaterThan(4);
  });

  it('never throws and never hangs', () => {
    const change = fc.record({ at: fc.nat(), value: fc.nat(255) });
    const property = fc.property(
      fc.nat(3),
      fc.array(change, { minLength: 1, maxLength: 60 }),
      fc.nat(),
      (index, changes, cut) => {
        const original = originals[index];
        if (original === undefined) return;
        const bytes = original.bytes.slice();
        const init = original.init?.slice();
        for (const { at, value } of changes) {
          bytes[at % bytes.length] = value;
          bytes[at % 700] = value;
          if (init !== undefined) init[at % init.length] = value;
        }
        describeSegment(bytes.subarray(0, bytes.length - (cut % bytes.length)), init);
      },
    );
    fc.assert(property, { numRuns: 200 });
  });
});
