import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { Agent, get, type IncomingMessage } from 'node:http';
import { connect } from 'node:http2';
import { buffer, text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { testSecrets } from '../support/agent-output.ts';
import { createAuthority } from '../support/certificates.ts';
import { type FakeOrigin, startFakeOrigin } from '../support/fake-origin-server.ts';
import { urisOf } from '../support/group-rig.ts';
import { isInstalled } from '../support/installed.ts';
import { startTestNodes, type TestNode } from '../support/nodes.ts';
import { tempFolder } from '../support/temp-folder.ts';

const browser = 'Mozilla/5.0 (X11; Linux x86_64) Chrome/156.0';
const waitMsMax = 30_000;
/** Beyond it a worker repeats nothing, whatever it has heard. */
const wordAgeMsMax = 1_000;

let origin: FakeOrigin;
/** One for all tests: a start takes seconds. */
let node: TestNode;
beforeAll(async () => {
  origin = await startFakeOrigin({ targetS: 2, isLive: true });
  const started = await startNode();
  node = started.node;
  return async () => {
    await started.stop();
    await origin.close();
  };
});

/** A node with two workers, serving. */
async function startNode(settings: Record<string, string> = {}) {
  const streams = [[{ name: 'ch1', origin: origin.entry, canonical: false }]];
  const { nodes, stop } = await startTestNodes(streams, [], {
    ...{ UNDERSTUDY_WORKERS: '2', UNDERSTUDY_STOP_DRAIN_S: '1' },
    ...settings,
  });
  const [one] = nodes;
  if (one === undefined) throw new Error('there is no node');
  await untilServing(one);
  return { node: one, stop };
}

/** Lines of the log are written a while after what they tell. */
async function untilServing(node: TestNode): Promise<void> {
  await until(async () => (await readiness(node)) === 200 && workersOf(node).length === 2);
}

const readiness = (node: TestNode) =>
  fetch(`${node.adminUrl}/readyz`).then(
    ({ status }) => status,
    () => undefined,
  );

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + waitMsMax;
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error('it does not come about');
    await delay(20);
  }
}

/** The process of each worker that serves. */
function workersOf(node: TestNode): readonly { worker: number; pid: number }[] {
  return node
    .log()
    .split('\n')
    .slice(0, -1)
    .filter((line) => line.includes('"worker serves"'))
    .map((line) => JSON.parse(line))
    .filter(({ pid }) => isRunning(pid));
}

const isRunning = (pid: number) => existsSync(`/proc/${pid}`);

/** A viewer with one connection, which is one worker's. */
async function openViewer(node: TestNode) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const ask = async (url: string) => {
    const asked = get(url, { agent, headers: { 'user-agent': browser } });
    const [answer]: IncomingMessage[] = await once(asked, 'response');
    if (answer === undefined) throw new Error('no answer');
    const body = await buffer(answer);
    return { status: answer.statusCode, reason: answer.headers['x-understudy-reason'], body };
  };
  const entry = `${node.url}/ch1/index.m3u8`;
  const { body } = await ask(entry);
  const playlist = new URL(urisOf(body.toString())[0] ?? '', entry).href;
  return { ask, playlist };
}

type Viewer = Awaited<ReturnType<typeof openViewer>>;

async function sessionsOf(node: TestNode) {
  const { total, sessions } = Object(await node.api('/sessions'));
  return { total: Number(total), ids: sessions.map(({ id }: { id: string }) => id) as string[] };
}

async function endSession(node: TestNode, id: string): Promise<void> {
  const headers = { authorization: `Bearer ${testSecrets.adminToken}` };
  const url = `${node.adminUrl}/api/v1/sessions/${id}`;
  expect((await fetch(url, { method: 'DELETE', headers })).status).toBe(204);
}

/** How many answers each worker has given by itself. */
async function repeatedBy(node: TestNode): Promise<Record<string, number>> {
  const metrics = await (await fetch(`${node.adminUrl}/metrics`)).text();
  const lines = metrics.matchAll(
    /^understudy_worker_repeated_answers_total\{worker="(\d)"\} (\d+)$/gm,
  );
  return Object.fromEntries([...lines].map(([, worker, count]) => [worker, Number(count)]));
}

/** Viewers who reload as players do, until each worker has answered by itself. Connections go to workers in turn. */
async function watchAtBoth(node: TestNode): Promise<readonly Viewer[]> {
  const before = await repeatedBy(node);
  const viewers: Viewer[] = [];
  for (let count = 0; count < 4; count += 1) viewers.push(await openViewer(node));
  await until(async () => {
    for (const { ask, playlist } of viewers) expect((await ask(playlist)).status).toBe(200);
    const after = await repeatedBy(node);
    return ['1', '2'].every((worker) => (after[worker] ?? 0) > (before[worker] ?? 0) + 10);
  });
  return viewers;
}

/** Whether the node was seen not to be ready before another process took its place. */
async function killWorker(node: TestNode): Promise<boolean> {
  const [victim] = workersOf(node);
  process.kill(victim?.pid ?? 0, 'SIGKILL');
  let wasUnready = false;
  await until(async () => {
    wasUnready ||= (await readiness(node)) === 503;
    const pids = workersOf(node).map(({ pid }) => pid);
    return wasUnready || (pids.length === 2 && !pids.includes(victim?.pid ?? 0));
  });
  return wasUnready;
}

describe('a node with two workers', () => {
  it('serves viewers by both, counts each session once, and refuses an ended one at both in time', async () => {
    const viewers = await watchAtBoth(node);
    const { total, ids } = await sessionsOf(node);
    expect(total).toBe(4);

    const [, second] = viewers;
    // The same session over a connection of the other worker.
    const elsewhere = await openViewer(node);
    const again: Viewer = { ask: elsewhere.ask, playlist: second?.playlist ?? '' };
    for (let count = 0; count < 5; count += 1)
      expect((await again.ask(again.playlist)).status).toBe(200);
    expect((await sessionsOf(node)).total).toBe(5);

    for (const id of ids) await endSession(node, id);
    const endedAt = performance.now();
    const refusals = await Promise.all(
      [...viewers, again].map(async ({ ask, playlist }) => {
        for (;;) {
          const afterMs = performance.now() - endedAt;
          const { status, reason } = await ask(playlist);
          if (status !== 200) return { status, reason };
          // However busy the machine is: no worker repeats anything on older word.
          expect(afterMs).toBeLessThan(wordAgeMsMax);
          await delay(5);
        }
      }),
    );
    for (const refusal of refusals)
      expect(refusal).toEqual({ status: 403, reason: 'session-ended' });
  });

  it('gives every viewer the new playlist when a segment comes, and the bytes of the origin', async () => {
    const viewers = await watchAtBoth(node);
    const read = async ({ ask, playlist }: Viewer) => urisOf((await ask(playlist)).body.toString());
    const [before = []] = await Promise.all(viewers.map(read));
    for (const viewer of viewers)
      await until(async () => (await read(viewer)).at(-1) !== before.at(-1));
    for (const { ask, playlist } of viewers) {
      const uri = urisOf((await ask(playlist)).body.toString()).at(-1) ?? '';
      const url = new URL(uri, playlist);
      const expected = await fetch(new URL(url.pathname.replace('/ch1/', ''), origin.entry));
      const bytes = Buffer.from(await expected.arrayBuffer());
      for (let count = 0; count < 3; count += 1)
        expect((await ask(url.href)).body.equals(bytes)).toBe(true);
    }
  });

  it('loses one worker and no session: viewers connect anew and are answered, and the worker comes back', async () => {
    const viewers = await watchAtBoth(node);
    const before = await sessionsOf(node);
    // Its place is taken in a moment, each time a bit later: a slow test may miss that once.
    let wasUnready = false;
    for (let count = 0; count < 5 && !wasUnready; count += 1) wasUnready = await killWorker(node);
    expect(wasUnready).toBe(true);
    for (const { ask, playlist } of viewers) {
      // The first one may meet the connection that was cut: players ask again.
      const answer = await ask(playlist).catch(() => ask(playlist));
      expect(answer.status).toBe(200);
    }
    const after = await sessionsOf(node);
    expect(after.ids.filter((id) => !before.ids.includes(id))).toEqual([]);
    await untilServing(node);
    expect(await (await fetch(`${node.adminUrl}/metrics`)).text()).toMatch(
      /^understudy_worker_restarts_total\{worker="\d"\} [1-5]$/m,
    );
    await watchAtBoth(node);
  });

  it('kills a worker that hangs, and another one takes its place', async () => {
    const [victim] = workersOf(node);
    process.kill(victim?.pid ?? 0, 'SIGSTOP');
    await until(() => node.log().includes('"event":"worker hangs"'));
    await until(() => !isRunning(victim?.pid ?? 0));
    await untilServing(node);
    await watchAtBoth(node);
  });

  it('answers nothing by workers while the first process says nothing', async () => {
    const viewers = await watchAtBoth(node);
    process.kill(node.pid(), 'SIGSTOP');
    await delay(wordAgeMsMax + 100);
    let answers = 0;
    const asked = viewers.map(async ({ ask, playlist }) => {
      const { status } = await ask(playlist);
      answers += 1;
      return status;
    });
    await delay(500);
    const early = answers;
    process.kill(node.pid(), 'SIGCONT');
    expect(new Set(await Promise.all(asked))).toEqual(new Set([200]));
    expect(early).toBe(0);
  });

  it.skipIf(!isInstalled('openssl'))('serves over TLS by workers, HTTP/2 too', async () => {
    const authority = createAuthority(tempFolder());
    const files = authority.issue('edge', { hosts: ['127.0.0.2'] });
    const { node, stop } = await startNode({
      UNDERSTUDY_TLS_CERT_FILE: files.certFile,
      UNDERSTUDY_TLS_KEY_FILE: files.keyFile,
    });
    onTestFinished(stop);
    const session = connect(node.url.replace('http:', 'https:'), { rejectUnauthorized: false });
    onTestFinished(() => session.destroy());
    const ask = async (path: string) => {
      const request = session.request({ ':path': path, 'user-agent': browser });
      const [headers] = await once(request, 'response');
      return { status: headers[':status'], body: await text(request) };
    };
    const entry = await ask('/ch1/index.m3u8');
    const playlist = `/ch1/${urisOf(entry.body)[0]}`;
    await until(async () => {
      expect((await ask(playlist)).status).toBe(200);
      return Object.values(await repeatedBy(node)).some((count) => count > 3);
    });
    expect((await ask('/nothing/index.m3u8')).status).toBe(404);
    const metrics = await (await fetch(`${node.adminUrl}/metrics`)).text();
    expect(metrics).toMatch(/^understudy_certificate_expiry_timestamp_seconds\{.*\} \d/m);
  });

  it('lets another one whose port is taken end at once, with its workers', async () => {
    const { nodes, stop } = await startTestNodes([[]], [], {
      UNDERSTUDY_WORKERS: '2',
      UNDERSTUDY_LISTEN: new URL(node.url).host,
    });
    onTestFinished(stop);
    const [other] = nodes;
    const pid = other?.pid() ?? 0;
    await until(() => !isRunning(pid));
    expect(other?.log()).toContain('EADDRINUSE');
    expect(other?.log()).not.toContain('"worker serves"');
  });

  it('tells workers none of its secrets', async () => {
    for (const { pid } of workersOf(node))
      expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).not.toContain('UNDERSTUDY_');
  });

  it('ends with all of its processes on SIGTERM, with exit code 0', async () => {
    const { ask, playlist } = await openViewer(node);
    expect((await ask(playlist)).status).toBe(200);
    const pids = workersOf(node).map(({ pid }) => pid);
    const endings = node.log().split('"worker ended"').length;
    // A service manager tells every process of the service.
    for (const pid of pids) process.kill(pid, 'SIGTERM');
    expect((await ask(playlist)).status).toBe(200);
    expect(await node.terminate()).toBe(0);
    expect(pids.filter(isRunning)).toEqual([]);
    expect(node.log().split('"worker ended"')).toHaveLength(endings);
  });

  it('leaves no process behind when the first one is killed', async () => {
    node.start();
    await untilServing(node);
    const pids = workersOf(node).map(({ pid }) => pid);
    expect(pids.filter(isRunning)).toHaveLength(2);
    await node.kill();
    await until(() => !pids.some(isRunning));
  });
});
