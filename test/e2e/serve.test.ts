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

/** A node of its own, once it runs; `said` is what it has said so far. */
async function startNode() {
  const env = {
    PATH: process.env.PATH,
    UNDERSTUDY_LISTEN: '127.0.0.1:0',
    UNDERSTUDY_ADMIN_LISTEN: '127.0.0.1:0',
    UNDERSTUDY_DATA_DIR: tempFolder(),
  };
  const child = spawn(process.execPath, [program, 'serve'], { env, cwd: tempFolder() });
  onTestFinished(() => void child.kill('SIGKILL'));
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (part: Buffer) => {
      text += part.toString();
    });
  const said = () => text;
  onTestFinished(() => checkOutput(text));
  await until(said, '"event":"agent started"');
  const port = (name: string) => Number(new RegExp(`"${name}":(\\d+)`).exec(text)?.[1]);
  return { child, said, port };
}

async function until(said: () => string, what: string): Promise<void> {
  const end = performance.now() + startMsMax;
  while (!said().includes(what)) {
    if (performance.now() > end) throw new Error(said());
    await delay(20);
  }
}

/** A viewer in the middle of its request, who is given a while to finish. */
async function startRequest(port: number): Promise<void> {
  const viewer = connect(port, '127.0.0.1');
  viewer.on('error', () => {});
  await once(viewer, 'connect');
  viewer.write('GET /x/index.m3u8 HTTP/1.1\r\n');
}

test('a node is ready when it has started, not ready while it stops, and ends by itself on SIGTERM', async () => {
  const { child, said, port } = await startNode();
  const ready = () =>
    fetch(`http://127.0.0.1:${port('admin')}/readyz`).then(
      ({ status }) => status,
      () => undefined,
    );
  expect(await ready()).toBe(200);
  expect((await fetch(`http://127.0.0.1:${port('viewers')}/x/index.m3u8`)).status).toBe(404);

  await startRequest(port('viewers'));
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const seen = new Set<number | undefined>();
  while (child.exitCode === null) {
    seen.add(await ready());
    await delay(20);
  }
  expect(seen).toContain(503);
  expect((await exited)[0]).toBe(0);
  expect(said()).toContain('"event":"agent stopping"');
});

test.each([
  ['SIGTERM', 'SIGTERM'],
  ['SIGTERM', 'SIGINT'],
  ['SIGINT', 'SIGTERM'],
] as const)('a node that stops on %s ends at once on %s', async (first, second) => {
  const { child, said, port } = await startNode();
  await startRequest(port('viewers'));
  const exited = once(child, 'exit');
  child.kill(first);
  await until(said, '"event":"agent stopping"');
  child.kill(second);
  expect(await exited).toEqual([null, second]);
});

test('wrong settings end it at once with exit code 2 and every fault by name', async () => {
  const wrong = {
    UNDERSTUDY_LISTEN: 'nowhere',
    UNDERSTUDY_COLOUR: 'red',
    UNDERSTUDY_ALERT_WEBHOOKS: 'https://fine.example/,https://ops:100%@alerts.example/,ftp://x',
  };
  const env = { PATH: process.env.PATH, ...wrong };
  const child = spawn(process.execPath, [program, 'serve'], { env, cwd: tempFolder() });
  let said = '';
  child.stderr.on('data', (part: Buffer) => {
    said += part.toString();
  });
  const [code] = await once(child, 'close');
  expect(code).toBe(2);
  for (const name of Object.keys(wrong)) expect(said).toContain(name);
  expect(said).toContain('entry 2 must be an http(s) URL');
  expect(said).not.toContain('100%');
  checkOutput(said);
});
