import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { cutAll, foundBy } from '../../support/canonical.ts';
import { clipFolder, hasFfmpeg, probe } from '../../support/ffmpeg-clips.ts';
import {
  makeSource,
  packageSource,
  readFolder,
  type SourceOptions,
  x264,
} from '../../support/recordings.ts';

vi.setConfig({ testTimeout: 120_000 });

const run = promisify(execFile);
const gop = ['-g', '25', '-keyint_min', '25'];
const withB = [...x264, '-bf', '2', ...gop];
const x265 = ['-x265-params', 'keyint=25:min-keyint=25:scenecut=0:log-level=none:pools=1'];

const rows: readonly { name: string; source: SourceOptions; frameTicks: number }[] = [
  {
    name: 'no B-frames',
    source: { video: [...x264, '-tune', 'zerolatency', ...gop] },
    frameTicks: 3_600,
  },
  { name: 'B-frames', source: { video: withB }, frameTicks: 3_600 },
  {
    name: 'HEVC',
    source: { video: ['-c:v', 'libx265', '-preset', 'ultrafast', ...x265] },
    frameTicks: 3_600,
  },
  {
    name: '29.97 fps and 44.1 kHz',
    source: { video: withB, rate: '30000/1001', sound: 'sine=f=440:b=4:r=44100' },
    frameTicks: 3_003,
  },
  { name: 'AC-3', source: { video: withB, audio: ['-c:a', 'ac3'] }, frameTicks: 3_600 },
  { name: 'E-AC-3', source: { video: withB, audio: ['-c:a', 'eac3'] }, frameTicks: 3_600 },
  { name: 'MP2', source: { video: withB, audio: ['-c:a', 'mp2'] }, frameTicks: 3_600 },
  { name: 'MP3', source: { video: withB, audio: ['-c:a', 'libmp3lame'] }, frameTicks: 3_600 },
  {
    name: 'MPEG-2',
    source: { video: ['-c:v', 'mpeg2video', '-g', '25', '-bf', '2', '-b:v', '500k'] },
    frameTicks: 3_600,
  },
];

type Packet = { codec_type: string; pts: number; dts: number; duration: number };

async function canonicalOf(name: string, options: SourceOptions) {
  const id = `play-${name.replaceAll(/\W/g, '-')}`;
  const source = await makeSource(id, options);
  const readings = readFolder(await packageSource(source, id, { keepsTimes: true, segmentS: 2 }));
  const member = foundBy(readings);
  const segments = [...cutAll(readings, member).values()];
  const path = join(clipFolder(), `${id}.ts`);
  writeFileSync(path, Buffer.concat(segments.map((segment) => segment.bytes)));
  return { path, segments, source };
}

describe.skipIf(!hasFfmpeg)('canonical segments one behind the other', () => {
  for (const { name, source: options, frameTicks } of rows) {
    it(`are read without a complaint, a gap or a jump: ${name}`, async () => {
      const { path, segments } = await canonicalOf(name, options);
      const warnings = await run('ffmpeg', ['-v', 'warning', '-i', path, '-f', 'null', '-']);
      expect(warnings.stderr).toBe('');
      const debug = await run(
        'ffmpeg',
        ['-v', 'debug', '-i', path, '-c', 'copy', '-f', 'null', '-'],
        {
          maxBuffer: 2 ** 26,
        },
      );
      expect(debug.stderr).not.toContain('Continuity check failed');
      const packets = (probe(path, '-show_packets').packets ?? []) as Packet[];
      const video = packets.filter((packet) => packet.codec_type === 'video');
      const audio = packets.filter((packet) => packet.codec_type === 'audio');
      const total = segments.reduce((sum, segment) => sum + segment.durationTicks, 0);
      expect(video.length).toBe(Math.round(total / frameTicks));
      expect(new Set(stepsOf(video))).toEqual(new Set([frameTicks]));
      const usual = audio[1]?.duration ?? 0;
      for (const step of stepsOf(audio)) expect(Math.abs(step - usual)).toBeLessThanOrEqual(2);
      expect(Math.abs(audio.length * usual - total)).toBeLessThanOrEqual(usual + audio.length);
    });
  }

  it('hold the pictures and the sound of the source, decoded', async () => {
    const { path, source } = await canonicalOf('B-frames', { video: withB });
    for (const stream of ['v', 'a']) {
      const ours = await decoded(path, stream);
      const theirs = await decoded(source, stream);
      const from = theirs.indexOf(ours[5] ?? '');
      expect(from).toBeGreaterThan(0);
      expect(ours.length).toBeGreaterThan(300);
      expect(theirs.slice(from, from + ours.length - 10)).toEqual(ours.slice(5, -5));
    }
  });
});

function stepsOf(packets: readonly Packet[]): number[] {
  return packets.slice(1).map((packet, index) => packet.dts - (packets[index]?.dts ?? 0));
}

/** Checksum of each decoded picture or frame of sound, without its time. */
async function decoded(path: string, stream: string): Promise<string[]> {
  const args = ['-v', 'error', '-i', path, '-map', `0:${stream}`, '-f', 'framemd5', '-'];
  const { stdout } = await run('ffmpeg', args, { maxBuffer: 2 ** 26 });
  const lines = stdout.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return lines.map((line) => line.split(',').at(-1)?.trim() ?? '');
}
