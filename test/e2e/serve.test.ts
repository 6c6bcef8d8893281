import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { checkOutput } from '../support/agent-output.ts';
import { tempFolder } from '../support/temp-folder.ts';

const program = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const startMsMax = 20_000;

test('a node is ready when it has started, not ready while it stops, and ends by itself on SIGTERM', async () => {
  const env = {
    PATH: process.env.PATH,
    UNDERSTUDY_LISTEN: '127.0.0.1:0',
    UNDERSTUDY_ADMIN_LISTEN: '127.0.0.1:0',
    UNDERSTUDY_DATA_DIR: tempFolder(),
  };
  const child = spawn(process.execPath, [program, 'serve'], { env, cwd: tempFolder() });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (part: Buffer) => {
      said += part.toString();
    });
  const end = performance.now() + startMsMax;
  while (!said.includes('"event":"agent started"')) {
    if (performance.now() > end) throw new Error(said);
    await delay(20);
  }
  const port = (name: string) => Number(new RegExp(`"${name}":(\\d+)`).exec(said)?.[1]);
  const ready = () =>
    fetch(`http://127.0.0.1:${port('admin')}/readyz`).then(
      ({ status }) => status,
      () => undefined,
    );
  expect(await ready()).toBe(200);
  expect((await fetch(`http://127.0.0.1:${port('viewers')}/x/index.m3u8`)).status).toBe(404);

  // A viewer in the middle of its request is given a while to finish.
  const viewer = connect(port('viewers'), '127.0.0.1');
  viewer.on('error', () => {});
  await once(viewer, 'connect');
  viewer.write('GET /x/index.m3u8 HTTP/1.1\r\n');
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const seen = new Set<number | undefined>();
  while (child.exitCode === null) {
    seen.add(await ready());
    await delay(20);
  }
  expect(seen).toContain(503);
  expect((await exited)[0]).toBe(0);
  expect(said).toContain('"event":"agent stopping"');
  checkOutput(said);
});

test('wrong settings end it at once with exit code 2 and every fault by name', async () => {
  const env = { PATH: process.env.PATH, UNDERSTUDY_LISTEN: 'nowhere', UNDERSTUDY_COLOUR: 'red' };
  const child = spawn(process.execPath, [program, 'serve'], { env, cwd: tempFolder() });
  let said = '';
  child.stderr.on('data', (part: Buffer) => {
    said += part.toString();
  });
  const [code] = await once(child, 'close');
  expect(code).toBe(2);
  expect(said).toContain('UNDERSTUDY_LISTEN');
  expect(said).toContain('UNDERSTUDY_COLOUR');
});
