import { describe, expect, it, vi } from 'vitest';
import { concatBytes } from '../../../src/core/media/bytes.ts';
import { createFmp4Reader } from '../../../src/core/media/fmp4-reader.ts';
import { splitByStartCodes } from '../../../src/core/media/nal-units.ts';
import { createTsReader } from '../../../src/core/media/ts-reader.ts';
import type { AudioFrame, Reading, VideoUnit } from '../../../src/core/media/units.ts';
import { ticksWrap } from '../../../src/core/media/units.ts';
import { roleOf } from '../../../src/core/media/video-units.ts';
import { bytesOf, clip, hasFfmpeg, probe, testSource } from '../../support/ffmpeg-clips.ts';

vi.setConfig({ testTimeout: 60_000 });

type ProbedPacket = {
  readonly codec_type: 'video' | 'audio';
  readonly pts_time: string;
  readonly dts_time: string;
  readonly pts: number;
  readonly dts: number;
  readonly size: string;
  readonly flags: string;
};

const source = testSource({ seconds: 3 });
const x264 = ['-c:v', 'libx264', '-preset', 'veryfast', '-g', '25', '-sc_threshold', '0'];
const x265 = [
  '-c:v',
  'libx265',
  '-preset',
  'ultrafast',
  '-x265-params',
  'log-level=none:keyint=25',
];

const rows = [
  { name: 'no-b', args: [...x264, '-bf', '0', '-c:a', 'aac'] },
  { name: 'b-frames', args: [...x264, '-bf', '3', '-c:a', 'aac', '-ar', '44100'] },
  { name: 'open-gop', args: [...x264, '-bf', '2', '-x264-params', 'open-gop=1', '-c:a', 'ac3'] },
  { name: 'hevc', args: [...x265, '-c:a', 'eac3'] },
  { name: 'slices', args: [...x264, '-x264-params', 'slices=4', '-c:a', 'libmp3lame'] },
] as const;
const tsRows = [
  ...rows,
  { name: 'mpeg2', args: ['-c:v', 'mpeg2video', '-g', '12', '-bf', '2', '-c:a', 'mp2'] },
  { name: 'wrap', args: [...x264, '-bf', '2', '-c:a', 'aac', '-output_ts_offset', '95442.3'] },
  { name: 'dvb', args: [...x264, '-c:a', 'ac3', '-mpegts_flags', '+system_b'] },
  { name: 'one-frame-per-pes', args: [...x264, '-c:a', 'aac', '-pes_payload_size', '0'] },
  { name: 'padded', args: [...x264, '-c:a', 'aac', '-muxrate', '4M'] },
] as const;

function videoOf(reading: Reading): VideoUnit[] {
  return reading.units.filter((unit) => unit.kind === 'video');
}

function audioOf(reading: Reading): AudioFrame[] {
  return reading.units.filter((unit) => unit.kind === 'audio');
}

function packetsOf(path: string): ProbedPacket[] {
  return (probe(path, '-show_packets').packets ?? []) as ProbedPacket[];
}

const modulo = (time: number) => ((time % ticksWrap) + ticksWrap) % ticksWrap;

describe.skipIf(!hasFfmpeg)('MPEG-TS from ffmpeg', () => {
  for (const { name, args } of tsRows) {
    it(`gives the pictures and frames that ffprobe finds: ${name}`, async () => {
      const path = await clip(`${name}.ts`, [...source, ...args]);
      const bytes = bytesOf(path);
      const reading = createTsReader().read(bytes, 'segment');
      const packets = packetsOf(path);
      const video = packets.filter((packet) => packet.codec_type === 'video');
      const audio = packets.filter((packet) => packet.codec_type === 'audio');
      expect(reading.faults).toBe(0);
      expect(video.length).toBeGreaterThan(70);
      const found = videoOf(reading).map((u) => [u.pts, u.dts, u.isKey]);
      expect(found).toEqual(
        video.map((p) => [modulo(p.pts), modulo(p.dts), p.flags.startsWith('K')]),
      );
      const frames = audioOf(reading);
      expect(frames.map((frame) => frame.bytes.length)).toEqual(audio.map((p) => Number(p.size)));
      for (const [index, frame] of frames.entries()) {
        // ffprobe rounds inside of a PES packet, and adds rounded durations up.
        const distance = modulo(frame.pts - (audio[index]?.pts ?? 0) + 100) - 100;
        expect(Math.abs(distance)).toBeLessThanOrEqual(4);
      }
    });

    it(`gives the same when it comes in pieces: ${name}`, async () => {
      const bytes = bytesOf(await clip(`${name}.ts`, [...source, ...args]));
      const whole = createTsReader().read(bytes, 'segment');
      const reader = createTsReader();
      const units = [];
      for (let at = 0; at < bytes.length; at += 7_777) {
        const end = at + 7_777 < bytes.length ? 'open' : 'segment';
        units.push(...reader.read(bytes.subarray(at, at + 7_777), end).units);
      }
      expect(units.length).toBe(whole.units.length);
      expect(units).toEqual(whole.units);
    });
  }

  for (const { name, args } of rows.filter((row) => row.name !== 'hevc')) {
    it(`gives every NAL unit of the elementary stream: ${name}`, async () => {
      const path = await clip(`${name}.ts`, [...source, ...args]);
      const raw = await clip(`${name}.h264`, ['-i', path, '-map', 'v', '-c', 'copy']);
      const reading = createTsReader().read(bytesOf(path), 'segment');
      const parts = videoOf(reading).flatMap((unit) => [...unit.parts]);
      expect(concatBytes(parts)).toEqual(concatBytes(splitByStartCodes(bytesOf(raw))));
    });
  }
});

describe.skipIf(!hasFfmpeg)('fMP4 from ffmpeg', () => {
  for (const { name, args } of rows) {
    it(`gives the samples that ffprobe finds: ${name}`, async () => {
      const flags = ['-movflags', '+frag_keyframe+empty_moov+delay_moov+default_base_moof'];
      const path = await clip(`${name}.mp4`, [...source, ...args, ...flags]);
      const reading = createFmp4Reader().read(bytesOf(path), 'segment');
      const packets = packetsOf(path);
      const video = packets.filter((packet) => packet.codec_type === 'video');
      const audio = packets.filter((packet) => packet.codec_type === 'audio');
      expect(reading.faults).toBe(0);
      const units = videoOf(reading);
      expect(units.map((u) => u.isKey)).toEqual(video.map((p) => p.flags.startsWith('K')));
      expectNear(units, 'pts', video);
      expectNear(units, 'dts', video);
      const frames = audioOf(reading);
      expect(frames.length).toBe(audio.length);
      const header = args.includes('aac') ? 7 : 0;
      expect(frames.map((f) => f.bytes.length - header)).toEqual(audio.map((p) => Number(p.size)));
      expectNear(frames, 'pts', audio);
    });
  }

  it('gives the same slices as MPEG-TS of the same encoding', async () => {
    const { args } = rows[1];
    const ts = await clip('b-frames.ts', [...source, ...args]);
    const copy = [
      '-c',
      'copy',
      '-bsf:a',
      'aac_adtstoasc',
      '-movflags',
      '+frag_keyframe+empty_moov',
    ];
    const mp4 = await clip('from-ts.mp4', ['-i', ts, ...copy]);
    const slices = (reading: Reading) =>
      videoOf(reading).map((u) => u.parts.filter((part) => roleOf('h264', part) === 'slice'));
    const fromMp4 = slices(createFmp4Reader().read(bytesOf(mp4), 'segment'));
    expect(fromMp4).toEqual(slices(createTsReader().read(bytesOf(ts), 'segment')));
    expect(fromMp4.length).toBe(75);
  });
});

/** ffprobe prints microseconds: a tick is eleven of them. */
function expectNear<Time extends 'pts' | 'dts'>(
  units: readonly Readonly<Record<Time, number>>[],
  time: Time,
  packets: readonly ProbedPacket[],
): void {
  expect(units.length).toBe(packets.length);
  for (const [index, unit] of units.entries()) {
    const ticks = Number(packets[index]?.[`${time}_time`]) * 90_000;
    expect(Math.abs(modulo(unit[time] - ticks + 10) - 10)).toBeLessThan(1.1);
  }
}
