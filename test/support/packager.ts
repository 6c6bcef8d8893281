import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** How a packager makes HLS of its feed. */
export type PackagerKind = {
  readonly segmentS: number;
  /** Keeps the source's times (`-copyts`), or bases them anew. */
  readonly keepsTimes?: boolean;
  /** A container that the feed is piped through first. */
  readonly through?: 'flv' | 'mp4';
  /** GStreamer's hlssink2 instead of ffmpeg. */
  readonly byGstreamer?: boolean;
  /** Segments listed at once; 12 unless told otherwise. */
  readonly listed?: number;
  /** Every so many-th piece of seven packets, a datagram, does not arrive. */
  readonly losesEvery?: number;
  /** Its feed begins with every second keyframe of the source: with 2 s segments all such cut at the same ones. */
  readonly isInStep?: boolean;
};

/** A packager that writes a live media playlist `index.m3u8` and its segments into a folder. */
export type Packager = {
  readonly folder: string;
  /** The media playlist as it is now; empty before there is one. */
  playlist(): string;
  start(): void;
  /** It stands still and keeps its files: the playlist is frozen. */
  freeze(): void;
  kill(): Promise<void>;
  /** Resolves when it lists `count` segments. @throws when it does not within a time that is ample. */
  untilListed(count: number): Promise<void>;
};

const listMsMax = 40_000;
const quiet = ['-hide_banner', '-loglevel', 'fatal', '-nostdin'];

export function createPackager(folder: string, port: number, kind: PackagerKind): Packager {
  mkdirSync(folder, { recursive: true });
  const command = commandOf(folder, port, kind);
  let child: ChildProcess | undefined;
  const playlist = () => {
    try {
      return readFileSync(join(folder, 'index.m3u8'), 'utf8');
    } catch {
      return '';
    }
  };
  const isRunning = () => child !== undefined && child.exitCode === null && !child.signalCode;
  const signal = (name: NodeJS.Signals) => {
    if (child?.pid !== undefined && isRunning()) process.kill(-child.pid, name);
  };
  return {
    folder,
    playlist,
    start() {
      // A group of its own, so that both ends of a pipe are reached.
      child = spawn('sh', ['-c', command], {
        stdio: ['ignore', 'ignore', 'inherit'],
        detached: true,
      });
    },
    freeze: () => signal('SIGSTOP'),
    async kill() {
      if (child === undefined || !isRunning()) return;
      const ended = once(child, 'exit');
      signal('SIGKILL');
      await ended;
    },
    async untilListed(count) {
      const until = performance.now() + listMsMax;
      while (playlist().split('#EXTINF').length - 1 < count) {
        if (!isRunning() || performance.now() > until)
          throw new Error(`the packager does not list ${count} segments: ${command}`);
        await delay(100);
      }
    },
  };
}

function commandOf(folder: string, port: number, kind: PackagerKind): string {
  if (kind.byGstreamer === true) return quoted(gstreamer(folder, port, kind.segmentS));
  const input = ['-analyzeduration', '1000000', '-probesize', '200000'];
  // A packager whose feed has gone ends by itself: it must not outlive tests that were cut short.
  const url = `tcp://127.0.0.1:${port}?timeout=20000000`;
  const times = kind.keepsTimes === true ? ['-copyts'] : [];
  const source = ['ffmpeg', ...quiet, ...times, ...input, '-i', url, '-c', 'copy'];
  if (kind.through === undefined) return quoted([...source, ...hls(folder, kind)]);
  const flags = kind.through === 'mp4' ? ['-movflags', 'frag_keyframe+empty_moov'] : [];
  const pipe = ['-bsf:a', 'aac_adtstoasc', ...flags, '-f', kind.through, 'pipe:1'];
  const target = ['ffmpeg', ...quiet, ...times, '-i', 'pipe:0', '-c', 'copy'];
  return `${quoted([...source, ...pipe])} | ${quoted([...target, ...hls(folder, kind)])}`;
}

function hls(folder: string, kind: PackagerKind): string[] {
  return [
    ...['-map', '0:v', '-map', '0:a'],
    ...(kind.keepsTimes === true ? ['-muxdelay', '0', '-muxpreload', '0'] : []),
    ...[
      '-f',
      'hls',
      '-hls_time',
      String(kind.segmentS),
      '-hls_list_size',
      String(kind.listed ?? 12),
    ],
    ...['-hls_delete_threshold', '20', '-hls_flags', 'delete_segments+temp_file'],
    ...['-hls_segment_filename', join(folder, 's%d.ts'), join(folder, 'index.m3u8')],
  ];
}

function gstreamer(folder: string, port: number, segmentS: number): string[] {
  const sink = [
    ...['hlssink2', 'name=sink', `location=${join(folder, 's%05d.ts')}`],
    ...[`playlist-location=${join(folder, 'index.m3u8')}`, `target-duration=${segmentS}`],
    ...['playlist-length=12', 'max-files=40'],
  ];
  return [
    ...['gst-launch-1.0', '-q', ...sink, 'tcpclientsrc', 'host=127.0.0.1'],
    ...[`port=${port}`, '!', 'video/mpegts', '!', 'tsdemux', 'name=demux'],
    ...['demux.', '!', 'queue', '!', 'h264parse', '!', 'sink.video'],
    ...['demux.', '!', 'queue', '!', 'aacparse', '!', 'sink.audio'],
  ];
}

function quoted(words: readonly string[]): string {
  return words.map((word) => `'${word}'`).join(' ');
}
