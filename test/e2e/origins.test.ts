import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { hasFfmpeg } from '../support/ffmpeg-clips.ts';
import { startTestNodes } from '../support/nodes.ts';
import { tempFolder } from '../support/temp-folder.ts';

const page = readFileSync(new URL('../../docs/origins.md', import.meta.url), 'utf8');
const commands = [
  ...page.matchAll(/```sh\n(ffmpeg [^`]+)```\n\n```yaml\n- name: ch1\n {2}origin: (\S+)/g),
];
const input = "-i 'udp://239.1.2.3:5000?fifo_size=100000&overrun_nonfatal=1'";

/** A minute of pictures and sound, as an encoder would send them. */
function makeFilm(folder: string): string {
  const film = join(folder, 'film.ts');
  execFileSync('ffmpeg', [
    ...['-loglevel', 'error', '-f', 'lavfi', '-i', 'testsrc2=size=320x180:rate=25'],
    ...['-f', 'lavfi', '-i', 'sine', '-t', '60', '-c:v', 'libx264', '-preset', 'ultrafast'],
    ...['-g', '50', '-c:a', 'aac', film],
  ]);
  return film;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

it('the page of origins has two commands of ffmpeg', () => {
  expect(commands.map(([, command = '']) => command.includes(input))).toEqual([true, true]);
});

it.skipIf(!hasFfmpeg).each(commands.map(([, command, origin], at) => [at, command, origin]))(
  'command %i of ffmpeg in the page of origins makes a stream that is on air',
  async (_, command = '', origin = '') => {
    const folder = tempFolder();
    const output = join(folder, 'ch1');
    mkdirSync(output);
    const here = String(command)
      .replace(input, `-re -i ${makeFilm(folder)}`)
      .replaceAll('/srv/hls/ch1', output)
      .replace('-s:v:0 1280x720', '-s:v:0 320x180')
      .replace('-s:v:1 640x360', '-s:v:1 160x90');
    const packager = spawn('sh', ['-c', `exec ${here}`], { stdio: 'ignore' });
    onTestFinished(() => end(packager));
    const stream = { name: 'ch1', origin: String(origin).replace('/srv/hls/ch1', output) };
    const { nodes, stop } = await startTestNodes([[stream]]);
    onTestFinished(stop);
    const [node] = nodes;
    const onAir = async () => {
      // Who watches has the stream read.
      await fetch(`${node?.url}/ch1/index.m3u8`).catch(() => undefined);
      return Object(await node?.api('/streams/ch1').catch(() => undefined)).air?.hls?.onAir;
    };
    await expect.poll(onAir, { timeout: 60_000, interval: 500 }).toBe(true);
    const entry = await (await fetch(`${node?.url}/ch1/index.m3u8`)).text();
    const variants = entry.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    expect(variants).toHaveLength(String(origin).endsWith('master.m3u8') ? 2 : 1);
    for (const variant of variants) {
      const url = new URL(variant, `${node?.url}/ch1/`);
      const media = await (await fetch(url)).text();
      const segment = media.split('\n').find((line) => line !== '' && !line.startsWith('#'));
      const answer = await fetch(new URL(segment ?? '', url));
      expect(answer.status, media).toBe(200);
      expect((await answer.arrayBuffer()).byteLength % 188).toBe(0);
    }
  },
);
