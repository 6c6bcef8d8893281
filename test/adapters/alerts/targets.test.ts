import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openAlertTargets } from '../../../src/adapters/alerts/open-targets.ts';
import type { AlertNotice, AlertTarget } from '../../../src/agent/alert-ports.ts';
import type { Alert } from '../../../src/core/alert/alert.ts';

type Got = { readonly path: string | undefined; readonly authorization: unknown; body: unknown };

/** A server that keeps what it is told; `answer` may do what it likes. */
async function startReceiver(answer: (response: ServerResponse) => void = ok) {
  const got: Got[] = [];
  const server = createServer((request: IncomingMessage, response) => {
    let text = '';
    request.setEncoding('utf8');
    request.on('data', (part: string) => {
      text += part;
    });
    request.on('end', () => {
      const { url: path, headers } = request;
      got.push({ path, authorization: headers.authorization, body: JSON.parse(text) });
      answer(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { got, host: `127.0.0.1:${port}`, url: `http://127.0.0.1:${port}` };
}

function ok(response: ServerResponse): void {
  response.writeHead(200).end('{}');
}

function only(url: string, reporter = 'node-c'): AlertTarget {
  const [target] = openAlertTargets([url], reporter);
  if (target === undefined) throw new Error('there is no target');
  return target;
}

const alert: Alert = {
  ...{ code: 70, group: 'ch1', node: 'node-a', cause: 'unreachable', text: 'carried' },
  raisedAt: 1_800_000_000_000,
};
const raised: AlertNotice = { kind: 'raised', alert };
const cleared: AlertNotice = { kind: 'cleared', alert: { ...alert, clearedAt: 1_800_000_060_000 } };

describe('a webhook', () => {
  it('gets one JSON object for each alert that is raised or cleared', async () => {
    const { url, got } = await startReceiver();
    const target = only(`${url}/hook?key=1`);
    expect(target.batchMax).toBe(1);
    expect(await target.send([raised])).toEqual({ kind: 'taken' });
    expect(await target.send([cleared])).toEqual({ kind: 'taken' });
    expect(got[0]).toMatchObject({ path: '/hook?key=1' });
    expect(got[0]?.body).toEqual({
      ...{ state: 'raised', code: 70, name: 'reserve-ott-switch', severity: 'critical' },
      ...{ group: 'ch1', node: 'node-a', cause: 'unreachable', text: 'carried' },
      remedy: 'start that node, or mend the way to its peer listener; GET /api/v1/peers says more',
      ...{ reporter: 'node-c', key: '70/ch1/node-a', raisedAt: '2027-01-15T08:00:00.000Z' },
    });
    expect(got[1]?.body).toMatchObject({ state: 'cleared', clearedAt: '2027-01-15T08:01:00.000Z' });
  });

  it('with a login in its URL gets it as a header', async () => {
    const { host, got } = await startReceiver();
    const target = only(`http://ops:s%40cret@${host}/`);
    await target.send([raised]);
    const login = Buffer.from('ops:s@cret').toString('base64');
    expect(got[0]?.authorization).toBe(`Basic ${login}`);
    expect(JSON.stringify([target.key, target.host])).not.toMatch(/cret/);
  });

  it.each([
    [204, 'taken'],
    [302, 'refused'],
    [400, 'refused'],
    [404, 'refused'],
    [408, 'failed'],
    [429, 'failed'],
    [500, 'failed'],
    [503, 'failed'],
  ] as const)('that answers %i has %s it', async (status, kind) => {
    const { url } = await startReceiver((response) => {
      response.writeHead(status, { location: '/elsewhere' }).end();
    });
    expect((await only(`${url}/?key=secret`).send([raised])).kind).toBe(kind);
  });

  it('that is not there, or hangs up, has failed, and nothing secret is told of it', async () => {
    const gone = await only('http://ops:secret@127.0.0.1:9/secret?secret').send([raised]);
    expect(gone.kind).toBe('failed');
    const { url } = await startReceiver((response) => void response.socket?.destroy());
    const hungUp = await only(`${url}/secret`).send([raised]);
    expect(hungUp.kind).toBe('failed');
    expect(JSON.stringify([gone, hungUp])).not.toMatch(/secret/);
  });
});

describe('a test alert', () => {
  it('comes to a webhook as something that is marked, and is taken or not as any other', async () => {
    const { url, got } = await startReceiver();
    expect(await only(`${url}/hook?key=1`).test(1_800_000_000_000)).toEqual({ kind: 'taken' });
    expect(got[0]).toEqual({
      ...{ path: '/hook?key=1', authorization: undefined },
      body: {
        ...{ state: 'test', name: 'reserve-ott-test', severity: 'info', node: 'node-c' },
        ...{ text: 'test alert of node-c: nothing is wrong', reporter: 'node-c' },
        ...{ key: 'test/node-c', raisedAt: '2027-01-15T08:00:00.000Z' },
      },
    });
    const refusing = await startReceiver((response) => void response.writeHead(404).end());
    const outcome = await only(refusing.url).test(1_800_000_000_000);
    expect(outcome).toEqual({ kind: 'refused', cause: 'status 404' });
  });

  it('comes to an Alertmanager as an alert that is over after a minute', async () => {
    const { url, got } = await startReceiver();
    await only(`${url}/api/v2/alerts`).test(1_800_000_000_000);
    expect(got[0]?.body).toEqual([
      {
        labels: { alertname: 'reserve-ott-test', severity: 'info', node: 'node-c' },
        annotations: { summary: 'test alert of node-c: nothing is wrong', reporter: 'node-c' },
        startsAt: '2027-01-15T08:00:00.000Z',
        endsAt: '2027-01-15T08:01:00.000Z',
      },
    ]);
  });
});

describe('an Alertmanager', () => {
  it('is known by the path of its API', () => {
    const batches = [
      'http://am:9093/api/v2/alerts',
      'http://am:9093/prefix/api/v2/alerts/',
      'http://am:9093/',
      'http://am:9093/api/v2/alerts/x',
    ].map((url) => only(url).repeatMs !== undefined);
    expect(batches).toEqual([true, true, false, false]);
  });

  it('gets labels that are equal whoever reports, and the latest state of each alert', async () => {
    const { url, got } = await startReceiver();
    await only(`${url}/api/v2/alerts`, 'node-b').send([raised]);
    await only(`${url}/api/v2/alerts`, 'node-c').send([raised, cleared]);
    const bodies = got.map(({ body }) => body as { labels: object; endsAt?: string }[]);
    expect(bodies.map((body) => body.map(({ endsAt }) => endsAt))).toEqual([
      [undefined],
      ['2027-01-15T08:01:00.000Z'],
    ]);
    expect(bodies[0]?.[0]?.labels).toEqual(bodies[1]?.[0]?.labels);
    expect(bodies[0]?.[0]).toMatchObject({
      labels: { alertname: 'reserve-ott-switch', code: '70', group: 'ch1', node: 'node-a' },
      annotations: { summary: 'carried', cause: 'unreachable', reporter: 'node-b' },
      startsAt: '2027-01-15T08:00:00.000Z',
    });
  });
});
