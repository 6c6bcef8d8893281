import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
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

/** Gets the stream in pieces as large as a datagram of seven packets; `isStep`: here every second keyframe begins. */
type Feed = (datagram: Uint8Array, isStep: boolean) => void;

const packetBytes = 188;
const datagramBytes = 7 * packetBytes;
/** Of ffmpeg's muxer. */
const videoPid = 0x100;

const gop = ['-g', '25', '-keyint_min', '25', '-sc_threshold', '0'];
const withoutB = ['-c:v', 'libx264', '-preset', 'ultrafast', '-tune', 'zerolatency', ...gop];

/** H.264 with two B-frames between others, as broadcasters send it. */
export const withB = ['-c:v', 'libx264', '-preset', 'ultrafast', '-bf', '2', ...gop];

/**
 * Starts an encoder: 320x180, 25 pictures and one keyframe a second, as a transport stream.
 * It goes to the packagers by TCP: a busy machine delays it, and loses nothing that is not meant to be lost.
 */
export async function startLiveSource(options: SourceOptions = {}): Promise<LiveSource> {
  const encoder = spawn('ffmpeg', encoderArgs(options), { stdio: ['ignore', 'pipe', 'inherit'] });
  const feeds: Feed[] = [];
  const packagers: Packager[] = [];
  let rest: Buffer = Buffer.alloc(0);
  let keys = 0;
  encoder.stdout.on('data', (bytes: Buffer) => {
    const all = Buffer.concat([rest, bytes]);
    rest = all.subarray(all.length - (all.length % datagramBytes));
    for (let at = 0; at < all.length - rest.length; at += datagramBytes) {
      const datagram = all.subarray(at, at + datagramBytes);
      const hasKey = beginsKeyframe(datagram);
      if (hasKey) keys += 1;
      for (const feed of feeds) feed(datagram, hasKey && keys % 2 === 0);
    }
  });
  const servers: Server[] = [];
  return {
    async packager(folder, kind) {
      const { server, feed } = await startFeed(kind);
      servers.push(server);
      feeds.push(feed);
      const packager = createPackager(folder, portOf(server), kind);
      packagers.push(packager);
      return packager;
    },
    async stop() {
      await Promise.all([...packagers.map((packager) => packager.kill()), end(encoder)]);
      for (const server of servers) server.close();
    },
  };
}

/** Gives whoever is connected what arrives from then on; nobody connected is no fault. */
async function startFeed({
  losesEvery = Number.POSITIVE_INFINITY,
  isInStep = false,
}: PackagerKind) {
  const readers = new Map<Socket, { hasBegun: boolean }>();
  const server = createServer((reader) => {
    readers.set(reader, { hasBegun: !isInStep });
    reader.on('close', () => readers.delete(reader));
    // A packager that was killed.
    reader.on('error', () => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  let sent = 0;
  // The tables that a demultiplexer needs stand right before a keyframe.
  let before: Uint8Array = new Uint8Array(0);
  const feed: Feed = (datagram, isStep) => {
    sent += 1;
    for (const [reader, state] of readers) {
      if (!state.hasBegun && isStep) reader.write(before);
      state.hasBegun ||= isStep;
      if (state.hasBegun && sent % losesEvery !== 0) reader.write(datagram);
    }
    before = datagram;
  };
  return { server, feed };
}

/** Whether a picture that can be decoded by itself begins in one of its packets (ISO/IEC 13818-1 2.4.3.5). */
function beginsKeyframe(datagram: Uint8Array): boolean {
  for (let at = 0; at < datagram.length; at += packetBytes) {
    const [, start = 0, pid = 0, control = 0, length = 0, flags = 0] = datagram.subarray(
      at,
      at + 6,
    );
    const isVideo = (start & 0x40) !== 0 && ((start & 0x1f) << 8) + pid === videoPid;
    if (isVideo && (control & 0x20) !== 0 && length > 0 && (flags & 0x40) !== 0) return true;
  }
  return false;
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the feed has no port');
  return address.port;
}

function encoderArgs(options: SourceOptions): string[] {
  const { video = withoutB, secondsMax = 900 } = options;
  return [
    ...['-hide_banner', '-loglevel', 'error', '-nostdin', '-t', String(secondsMax)],
    ...['-re', '-f', 'lavfi', '-i', 'testsrc2=s=320x180:r=25'],
    ...['-re', '-f', 'lavfi', '-i', 'sine=f=440:b=4:r=48000'],
    ...['-map', '0:v', '-map', '1:a', '-vf', numberedPicture(), ...video],
    ...['-threads', '1', '-pix_fmt', 'yuv420p', '-b:v', '300k', '-maxrate', '300k'],
    ...['-bufsize', '300k', '-c:a', 'aac', '-b:a', '48k', '-ac', '1', '-t', String(secondsMax)],
    ...['-f', 'mpegts', '-flush_packets', '1', 'pipe:1'],
  ];
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
