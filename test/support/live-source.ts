import { type ChildProcess, spawn } from 'node:child_process';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { numberedPicture } from './ffmpeg-source.ts';
import { createPackager, type Packager, type PackagerKind } from './packager.ts';

/** One encoder of the whole group. Its pictures carry their number, see `player-page.js`. */
export type LiveSource = {
  /** A packager of its own feed that writes into `folder`; not started yet. */
  packager(folder: string, kind: PackagerKind): Promise<Packager>;
  /** Ends the encoder and every packager. */
  stop(): Promise<void>;
};

type SourceOptions = {
  /** Instead of H.264 without B-frames. */
  readonly video?: readonly string[];
  /** The encoder ends by itself after so long: it must not outlive tests that were cut short. */
  readonly secondsMax?: number;
};

type Feed = { readonly port: number; readonly losesEvery: number | undefined; sent: number };

const gop = ['-g', '25', '-keyint_min', '25', '-sc_threshold', '0'];
const withoutB = ['-c:v', 'libx264', '-preset', 'ultrafast', '-tune', 'zerolatency', ...gop];

/** H.264 with two B-frames between others, as broadcasters send it. */
export const withB = ['-c:v', 'libx264', '-preset', 'ultrafast', '-bf', '2', ...gop];

/** Starts an encoder: 320x180, 25 pictures and one keyframe a second; as a transport stream by UDP. */
export async function startLiveSource(options: SourceOptions = {}): Promise<LiveSource> {
  const relay = await boundSocket();
  const feeds: Feed[] = [];
  relay.on('message', (datagram) => {
    for (const feed of feeds) {
      feed.sent += 1;
      const isLost = feed.losesEvery !== undefined && feed.sent % feed.losesEvery === 0;
      // Nobody listening is no fault: the packager is not there now.
      if (!isLost) relay.send(datagram, feed.port, '127.0.0.1', () => undefined);
    }
  });
  const args = encoderArgs(relay.address().port, options);
  const encoder = spawn('ffmpeg', args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const packagers: Packager[] = [];
  return {
    async packager(folder, kind) {
      const port = await freeUdpPort();
      feeds.push({ port, losesEvery: kind.losesEvery, sent: 0 });
      const packager = createPackager(folder, port, kind);
      packagers.push(packager);
      return packager;
    },
    async stop() {
      await Promise.all([...packagers.map((packager) => packager.kill()), end(encoder)]);
      relay.close();
    },
  };
}

function encoderArgs(port: number, options: SourceOptions): string[] {
  const { video = withoutB, secondsMax = 900 } = options;
  return [
    ...['-hide_banner', '-loglevel', 'error', '-nostdin', '-t', String(secondsMax)],
    ...['-re', '-f', 'lavfi', '-i', 'testsrc2=s=320x180:r=25'],
    ...['-re', '-f', 'lavfi', '-i', 'sine=f=440:b=4:r=48000'],
    ...['-map', '0:v', '-map', '1:a', '-vf', numberedPicture(), ...video],
    ...['-threads', '1', '-pix_fmt', 'yuv420p', '-b:v', '300k', '-maxrate', '300k'],
    ...['-bufsize', '300k', '-c:a', 'aac', '-b:a', '48k', '-ac', '1', '-t', String(secondsMax)],
    ...['-f', 'mpegts', `udp://127.0.0.1:${port}?pkt_size=1316`],
  ];
}

async function boundSocket(): Promise<Socket> {
  const socket = createSocket('udp4');
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return socket;
}

async function freeUdpPort(): Promise<number> {
  const socket = await boundSocket();
  const { port } = socket.address();
  socket.close();
  return port;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
