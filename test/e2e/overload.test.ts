import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { startFakeOrigin } from '../support/fake-origin-server.ts';
import { startTestNodes, untilInReserve } from '../support/nodes.ts';

const crowd = fileURLToPath(new URL('../support/crowd.mjs', import.meta.url));
const viewers = 30;
const limit = 5;

type Told = { readonly state: string; readonly key: string; readonly reporter: string };
type Second = { readonly fed: Readonly<Record<string, number>>; readonly refused: number };

/** A webhook that keeps what it is told. */
async function startWebhook() {
  const told: Told[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (part: Buffer) => {
      text += part.toString();
    });
    request.on('end', () => {
      response.end();
      told.push(JSON.parse(text) as Told);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { told, url: `http://127.0.0.1:${port}/` };
}

async function startChannel(): Promise<string> {
  const origin = await startFakeOrigin({ targetS: 4 });
  const timer = setInterval(() => origin.advance(), origin.channel.targetS * 1_000);
  onTestFinished(async () => {
    clearInterval(timer);
    await origin.close();
  });
  return origin.entry;
}

function startCrowd(entry: string): readonly Second[] {
  const seconds: Second[] = [];
  const child = spawn(process.execPath, [crowd, entry, String(viewers)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  createInterface(child.stdout).on('line', (line) => seconds.push(JSON.parse(line) as Second));
  return seconds;
}

async function until(isTrue: () => boolean, what: string): Promise<void> {
  const untilAt = performance.now() + 90_000;
  while (!isTrue()) {
    if (performance.now() > untilAt) throw new Error(`${what}: not within 90 s`);
    await delay(200);
  }
}

it('more viewers of a dead node than the others take are refused by them, and alerts tell so', async () => {
  const webhook = await startWebhook();
  const streams = { name: 'ch1', group: 'ch1', source: 'studio', canonical: false };
  const origin = await startChannel();
  const { nodes, stop } = await startTestNodes(
    [1, 2, 3].map(() => [{ ...streams, origin }]),
    [],
    {
      UNDERSTUDY_BACKUP_SESSION_LIMIT: String(limit),
      UNDERSTUDY_ALERT_WEBHOOKS: webhook.url,
    },
  );
  onTestFinished(stop);
  await untilInReserve(nodes, 'ch1');
  const [home, ...others] = nodes;
  if (home === undefined) throw new Error('there is no node');
  const seconds = startCrowd(`${home.url}/ch1/index.m3u8`);
  const fedBy = (host: string) => (seconds.at(-1)?.fed[host] ?? 0) > 0;
  await until(() => fedBy(home.host), 'viewers at home');
  // It is foreseen: the others take 10 of 30.
  const isTold = (key: string, reporter: string) =>
    webhook.told.some(
      (one) => one.state === 'raised' && one.key === key && one.reporter === reporter,
    );
  await until(() => isTold('78/ch1/node-a', 'node-b'), 'a death that could not be borne');
  expect(JSON.stringify(webhook.told)).toContain('not-survivable');

  await home.kill();
  for (const { id } of others) {
    await until(() => isTold('70/ch1/node-a', id), `a switch told by ${id}`);
    await until(() => isTold(`79//${id}`, id), `an overload told by ${id}`);
  }
  for (const { id, host } of others) await until(() => fedBy(host), `viewers fed by ${id}`);
  await until(() => (seconds.at(-1)?.refused ?? 0) > 0, 'viewers refused');
  for (const node of others) {
    const { total } = (await node.api('/sessions?kind=backup')) as { total: number };
    expect(total).toBe(limit);
  }
}, 240_000);
