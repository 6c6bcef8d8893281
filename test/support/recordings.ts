import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createFmp4Reader } from '../../src/core/media/fmp4-reader.ts';
import { createTsReader } from '../../src/core/media/ts-reader.ts';
import type { Reading, SegmentReader } from '../../src/core/media/units.ts';
import { bytesOf, clip, clipFolder, hasCommand, numbered } from './ffmpeg-clips.ts';

/** What one encoder sends: a TS file made once, as fast as it can be encoded. */
export type SourceOptions = {
  readonly video: readonly string[];
  readonly audio?: readonly string[];
  readonly picture?: string;
  readonly sound?: string;
  readonly rate?: string;
  readonly seconds?: number;
  /** PTS at which it begins, seconds. */
  readonly startS?: number;
};

export const x264 = [
  ...['-c:v', 'libx264', '-preset', 'ultrafast', '-sc_threshold', '0', '-threads', '1'],
  ...['-pix_fmt', 'yuv420p', '-b:v', '300k'],
];

export function makeSource(name: string, options: SourceOptions): Promise<string> {
  const { rate = '25', seconds = 24, audio = ['-c:a', 'aac', '-b:a', '64k'] } = options;
  const picture = options.picture ?? `testsrc2=s=320x180:r=${rate}`;
  const sound = options.sound ?? 'sine=f=440:b=4:r=48000';
  return clip(`${name}.ts`, [
    ...['-f', 'lavfi', '-i', picture, '-f', 'lavfi', '-i', sound, '-t', String(seconds)],
    ...[...options.video, ...audio, '-ac', '2', '-map', '0:v', '-map', '1:a'],
    ...['-output_ts_offset', String(options.startS ?? 10)],
  ]);
}

export type PackagerOptions = {
  /** Keeps the source's times (`-copyts`), or bases them anew. */
  readonly keepsTimes: boolean;
  readonly segmentS: number;
  /** Joins the source after so much of it has been sent, share of its bytes. */
  readonly joinsAt?: number;
  /** Made by GStreamer, as one file, instead of ffmpeg. */
  readonly byGstreamer?: boolean;
  /** Container between source and packager. */
  readonly through?: 'mp4' | 'flv' | 'mkv';
  readonly type?: 'mpegts' | 'fmp4';
  /** Every so many-th datagram of seven packets is lost. */
  readonly losesEvery?: number;
};

/** Packages a source; gives the folder with its segments. */
export async function packageSource(
  source: string,
  name: string,
  options: PackagerOptions,
): Promise<string> {
  const folder = join(clipFolder(), name);
  mkdirSync(folder, { recursive: true });
  let input = join(folder, 'input.tsx');
  writeFileSync(input, feedOf(new Uint8Array(readFileSync(source)), options));
  if (options.byGstreamer) return packageByGstreamer(input, folder);
  if (options.through !== undefined) {
    const filter = options.through === 'mkv' ? [] : ['-bsf:a', 'aac_adtstoasc'];
    input = await clip(join(name, `through.${options.through}`), [
      ...['-copyts', '-f', 'mpegts', '-i', input, '-c', 'copy', ...filter],
    ]);
  }
  const isFmp4 = options.type === 'fmp4';
  const pattern = join(folder, isFmp4 ? 's%d.m4s' : 's%d.ts');
  const format = options.through === undefined ? ['-f', 'mpegts'] : [];
  await clip(join(name, 'index.m3u8'), [
    ...(options.keepsTimes ? ['-copyts'] : []),
    ...[...format, '-i', input, '-map', '0:v', '-map', '0:a', '-c', 'copy'],
    ...(options.keepsTimes ? ['-muxdelay', '0', '-muxpreload', '0'] : []),
    ...['-f', 'hls', '-hls_time', String(options.segmentS), '-hls_list_size', '0'],
    ...(isFmp4 ? ['-bsf:a', 'aac_adtstoasc', '-hls_segment_type', 'fmp4'] : []),
    ...(isFmp4 ? ['-hls_fmp4_init_filename', 'init.mp4'] : []),
    ...['-hls_segment_filename', pattern],
  ]);
  return folder;
}

const gstreamer = 'gst-launch-1.0';
export const hasGstreamer = hasCommand(gstreamer);

function packageByGstreamer(input: string, folder: string): string {
  const mux = ['mpegtsmux', 'name=m', '!', 'filesink', `location=${join(folder, 's0.ts')}`];
  const lane = (parser: string) => ['d.', '!', 'queue', '!', parser, '!', 'm.'];
  const source = ['filesrc', `location=${input}`, '!', 'tsdemux', 'name=d'];
  execFileSync(gstreamer, ['-q', ...source, ...mux, ...lane('h264parse'), ...lane('aacparse')]);
  return folder;
}

/** The packets that a packager receives. */
function feedOf(bytes: Uint8Array, options: PackagerOptions): Uint8Array {
  const datagram = 7 * 188;
  const from = Math.floor((bytes.length * (options.joinsAt ?? 0)) / datagram) * datagram;
  const parts: Uint8Array[] = [];
  for (let at = from, index = 1; at < bytes.length; at += datagram, index += 1) {
    const isLost = options.losesEvery !== undefined && index % options.losesEvery === 0;
    if (!isLost) parts.push(bytes.subarray(at, at + datagram));
  }
  return Buffer.concat(parts);
}

/** Reads every segment of a folder, in order. */
export function readFolder(folder: string): Reading[] {
  const isTs = numbered(folder, '.ts').some((path) => /s\d+\.ts$/.test(path));
  const reader: SegmentReader = isTs
    ? createTsReader()
    : createFmp4Reader(bytesOf(join(folder, 'init.mp4')));
  const ending = isTs ? '.ts' : '.m4s';
  const paths = numbered(folder, ending).filter((path) => /s\d+\.\w+$/.test(path));
  return paths.map((path) => reader.read(bytesOf(path), 'segment'));
}
