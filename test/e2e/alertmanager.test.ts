import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openAlertTargets } from '../../src/adapters/alerts/open-targets.ts';
import { createAlertStore } from '../../src/adapters/sqlite/alert-store.ts';
import { openDatabase } from '../../src/adapters/sqlite/database.ts';
import { systemClock } from '../../src/adapters/system/clock.ts';
import { AlertDelivery } from '../../src/agent/alert-delivery.ts';
import type { Alert } from '../../src/core/alert/alert.ts';
import { createFakeLog } from '../support/fake-log.ts';
import { isInstalled } from '../support/installed.ts';
import { tempFolder } from '../support/temp-folder.ts';

type Notification = {
  readonly status: string;
  readonly alerts: readonly { status: string; labels: object; annotations: object }[];
};

/** Whom Alertmanager tells: an operator's pager. */
async function startPager() {
  const waiting: ((notification: Notification) => void)[] = [];
  const got: Notification[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (part: Buffer) => {
      text += part.toString();
    });
    request.on('end', () => {
      response.end();
      const notification = JSON.parse(text) as Notification;
      got.push(notification);
      waiting.shift()?.(notification);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const next = () => new Promise<Notification>((resolve) => waiting.push(resolve));
  return { got, next, url: `http://127.0.0.1:${port}/` };
}

/** Alertmanager on a free port of loopback, without gossip; gives the URL of its API. */
async function startAlertmanager(pager: string): Promise<string> {
  const folder = tempFolder();
  const config = join(folder, 'alertmanager.yml');
  writeFileSync(
    config,
    `route: { receiver: pager, group_by: [alertname, node], group_wait: 0s, group_interval: 1s }
receivers:
  - name: pager
    webhook_configs: [{ url: '${pager}', send_resolved: true }]
`,
  );
  const child = spawn(
    'prometheus-alertmanager',
    [
      `--config.file=${config}`,
      `--storage.path=${folder}`,
      '--web.listen-address=127.0.0.1:0',
      '--cluster.listen-address=',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  return `http://${await addressOf(child)}/api/v2/alerts`;
}

function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code) => reject(new Error(`alertmanager ended with ${code}`)));
    if (child.stderr === null) return;
    createInterface(child.stderr).on('line', (line) => {
      const address = /Listening on.*address=(127\.0\.0\.1:\d+)/.exec(line)?.[1];
      if (address !== undefined) resolve(address);
    });
  });
}

/** One node's way from its store to the targets, driven as fast as needed. */
function createReporter(id: string, url: string) {
  const database = openDatabase({ dataDir: tempFolder(), nowMs: Date.now() });
  onTestFinished(() => void database.close());
  const store = createAlertStore(database);
  const targets = openAlertTargets([url], id);
  let standing: readonly Alert[] = [];
  const log = createFakeLog();
  const delivery = new AlertDelivery({
    ...{ clock: systemClock, log, store, targets, standing: () => standing },
    randomBytes: (length) => new Uint8Array(length),
  });
  return {
    log,
    async tell(kind: 'raised' | 'cleared', alert: Alert) {
      standing = kind === 'raised' ? [alert] : [];
      store.record(
        [{ kind, alert }],
        targets.map(({ key }) => key),
      );
      delivery.tick(systemClock.now());
      await delivery.settled();
    },
  };
}

describe.skipIf(!isInstalled('prometheus-alertmanager'))('a real Alertmanager', () => {
  it('tells a test that is marked as one', async () => {
    const pager = await startPager();
    const [target] = openAlertTargets([await startAlertmanager(pager.url)], 'node-a');
    const told = pager.next();
    expect(await target?.test(Date.now())).toEqual({ kind: 'taken' });
    const { status, alerts } = await told;
    expect([status, alerts.map(({ labels }) => labels)]).toEqual([
      'firing',
      [{ alertname: 'reserve-ott-test', severity: 'info', node: 'node-a' }],
    ]);
  });

  it('tells one alert that two nodes report, and that it is over', async () => {
    const pager = await startPager();
    const url = await startAlertmanager(pager.url);
    const [b, c] = [createReporter('node-b', url), createReporter('node-c', url)];
    const alert: Alert = {
      ...{ code: 70, group: 'ch1', node: 'node-a', cause: 'unreachable' },
      text: 'viewers of node-a watch group ch1 at other nodes',
      raisedAt: Date.now() - 5_000,
    };
    const isFiring = pager.next();
    await b.tell('raised', alert);
    await c.tell('raised', { ...alert, raisedAt: alert.raisedAt + 700 });
    const firing = await isFiring;
    expect(firing).toMatchObject({
      status: 'firing',
      alerts: [
        {
          labels: { alertname: 'reserve-ott-switch', code: '70', group: 'ch1', node: 'node-a' },
          annotations: { summary: alert.text, cause: 'unreachable' },
        },
      ],
    });
    expect(firing.alerts).toHaveLength(1);
    const listed = (await (await fetch(url)).json()) as unknown[];
    expect(listed).toHaveLength(1);

    const isResolved = pager.next();
    for (const node of [b, c]) await node.tell('cleared', { ...alert, clearedAt: Date.now() });
    expect(await isResolved).toMatchObject({
      status: 'resolved',
      alerts: [{ status: 'resolved' }],
    });
    expect([...b.log.lines, ...c.log.lines]).toEqual([]);
  });
});
