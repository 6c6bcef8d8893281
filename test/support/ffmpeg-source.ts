import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** A running ffmpeg that publishes a live HLS stream (`index.m3u8`, `video.m3u8`, segments) into a folder. */
export type FfmpegSource = { readonly folder: string; stop(): Promise<void> };

const segmentS = 2;
const startMsMax = 30_000;
const font = '/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf';

/**
 * Starts a source whose pictures carry their number as an 18-bit bar code (see `player-page.js`) and
 * resolves when three segments are listed.
 * @throws when ffmpeg ends or lists nothing within 30 s.
 */
export async function startFfmpegSource(): Promise<FfmpegSource> {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-source-'));
  const child = spawn('ffmpeg', ffmpegArgs(folder), { stdio: ['ignore', 'ignore', 'inherit'] });
  const stop = async () => {
    if (isRunning(child)) {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    }
    rmSync(folder, { recursive: true, force: true });
  };
  const startedAt = performance.now();
  while (countSegments(join(folder, 'video.m3u8')) < 3) {
    if (!isRunning(child) || performance.now() - startedAt > startMsMax) {
      await stop();
      throw new Error('ffmpeg has not published three segments');
    }
    await delay(100);
  }
  return { folder, stop };
}

/** Writes the number of a picture into it, as `player-page.js` reads it and as a viewer does. */
export function numberedPicture(): string {
  const bars = Array.from(
    { length: 18 },
    (_, bit) =>
      `drawbox=x=${bit * 16}:y=0:w=16:h=16:color=white:t=fill:enable='mod(floor(n/pow(2,${bit})),2)'`,
  );
  return [
    'drawbox=x=0:y=0:w=320:h=16:color=black:t=fill',
    ...bars,
    'drawbox=x=288:y=0:w=16:h=16:color=white:t=fill',
    `drawtext=fontfile=${font}:text='%{n}':x=8:y=140:fontsize=22:fontcolor=white:box=1:boxcolor=black`,
  ].join(',');
}

function ffmpegArgs(folder: string): string[] {
  const text = `
    -hide_banner -loglevel error -nostdin
    -re -f lavfi -i testsrc2=s=320x180:r=25 -re -f lavfi -i sine=f=440:b=4:r=48000
    -map 0:v -map 1:a -c:v libx264 -preset ultrafast -tune zerolatency -threads 1 -pix_fmt yuv420p
    -g 50 -keyint_min 50 -sc_threshold 0 -b:v 300k -maxrate 300k -bufsize 300k -c:a aac -b:a 48k -ac 1
    -f hls -hls_time ${segmentS} -hls_list_size 8 -hls_delete_threshold 20
    -hls_flags program_date_time+delete_segments+temp_file+independent_segments`;
  return [
    ...text.trim().split(/\s+/),
    '-vf',
    numberedPicture(),
    ...['-master_pl_name', 'index.m3u8', '-hls_segment_filename', join(folder, '%d.ts')],
    join(folder, 'video.m3u8'),
  ];
}

function isRunning(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}

function countSegments(playlist: string): number {
  try {
    return readFileSync(playlist, 'utf8').split('#EXTINF').length - 1;
  } catch {
    return 0;
  }
}
