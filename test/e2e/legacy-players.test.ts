import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FfmpegSource, startFfmpegSource } from '../support/ffmpeg-source.ts';
import { isInstalled } from '../support/installed.ts';
import { startTestNodes, type TestNode, untilInReserve, untilSettled } from '../support/nodes.ts';
import { folderContent, type OriginServer, startOrigin } from '../support/origin-servers.ts';

/** A player that never moves by itself: how it is run for some seconds, and what shows that it played. */
const players = [
  {
    program: 'ffmpeg',
    args: (url: string) => [
      '-loglevel',
      'info',
      '-nostdin',
      '-i',
      url,
      '-t',
      '5',
      '-f',
      'null',
      '-',
    ],
    played: /frame=\s*1\d\d/,
  },
  {
    program: 'mpv',
    args: (url: string) => ['--no-config', '--vo=null', '--ao=null', '--length=5', url],
    played: /AV: 00:00:0[3-9]/,
  },
  {
    program: 'cvlc',
    args: (url: string) => [
      ...['-vvv', '--no-color', '--intf', 'dummy', '--vout', 'dummy', '--aout', 'dummy'],
      ...['--run-time', '8', '--play-and-exit', url, 'vlc://quit'],
    ],
    played: /Received first picture/,
  },
] as const;

const runMsMax = 40_000;

describe.skipIf(!isInstalled('ffmpeg'))('players that only follow redirects', () => {
  let source: FfmpegSource;
  let origins: readonly OriginServer[];
  let rig: Awaited<ReturnType<typeof startTestNodes>>;

  beforeAll(async () => {
    source = await startFfmpegSource();
    origins = await Promise.all(
      [3, 4].map((host) => startOrigin(`127.0.0.${host}`, folderContent(source.folder))),
    );
    const streams = origins.map(({ url }) => [
      { name: 'sport/hd', origin: `${url}/index.m3u8`, group: 'sport', source: 'one-packager' },
    ]);
    rig = await startTestNodes([[], ...streams]);
    await untilInReserve(rig.nodes.slice(1), 'sport');
    await untilSettled(rig.nodes);
  });

  afterAll(async () => {
    await rig?.stop();
    await Promise.all((origins ?? []).map((origin) => origin.close()));
    await source?.stop();
  });

  for (const { program, args, played } of players) {
    test.skipIf(!isInstalled(program))(
      `${program} opens a stream that the node does not have, follows the 302 and plays`,
      async () => {
        const url = `${home(rig.nodes).url}/sport/hd/index.m3u8`;
        const { output } = await run(program, args(url));
        expect(output).toMatch(played);
      },
    );
  }

  test.each([
    ['ffmpeg', 'Lavf/59.27.100'],
    ['VLC', 'VLC/3.0.24 LibVLC/3.0.24'],
    ['mpv', 'libmpv'],
  ])('%s is sent on with a pass and is never told of a backup', async (_, agent) => {
    const headers = { 'user-agent': agent };
    const url = `${home(rig.nodes).url}/sport/hd/index.m3u8?channel=7`;
    const sentOn = await fetch(url, { headers, redirect: 'manual' });
    expect(sentOn.status).toBe(302);
    const location = new URL(sentOn.headers.get('location') ?? '');
    expect(rig.nodes.slice(1).map((node) => node.url)).toContain(location.origin);
    expect(location.searchParams.get('channel')).toBe('7');
    const text = await (await fetch(location, { headers })).text();
    const uris = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    expect(uris).toHaveLength(1);
    expect(new URL(uris[0] ?? '', location).origin).toBe(location.origin);
  });
});

function home(nodes: readonly TestNode[]): TestNode {
  const [node] = nodes;
  if (node === undefined) throw new Error('there is no node');
  return node;
}

/** VLC does not run as root. */
const nobody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

/** Runs a program to its end, or ends it. */
async function run(program: string, args: readonly string[]): Promise<{ output: string }> {
  const env = { PATH: process.env.PATH, TERM: 'dumb', HOME: tmpdir() };
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'], ...nobody });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (part: Buffer) => {
      output += part.toString();
    });
  const timer = setTimeout(() => child.kill('SIGKILL'), runMsMax);
  await once(child, 'close');
  clearTimeout(timer);
  return { output };
}
