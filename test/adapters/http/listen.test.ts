import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:http2';
import { get } from 'node:https';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { connect as connectTls, type DetailedPeerCertificate } from 'node:tls';
import { Hono } from 'hono';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listen } from '../../../src/adapters/http/listen.ts';
import { createViewerApp } from '../../../src/adapters/http/viewer-app.ts';
import { type Answer, notFromHere } from '../../../src/agent/answer.ts';
import type { Viewing } from '../../../src/agent/viewing.ts';
import type { ViewerRequest } from '../../../src/agent/viewing-parts.ts';
import { createFakeLog } from '../../support/fake-log.ts';
import { isInstalled } from '../../support/installed.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

const app = new Hono().get('/', (context) => context.text('hello'));

/** A certificate for `name` that nobody has signed but itself. */
function makeCertificate(folder: string, name: string) {
  const files = { certFile: join(folder, `${name}.pem`), keyFile: join(folder, `${name}.key`) };
  execFileSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
      ...['-days', '2', '-subj', `/CN=${name}`, '-keyout', files.keyFile, '-out', files.certFile],
    ],
    { stdio: 'ignore' },
  );
  return files;
}

async function statusOverH2(port: number): Promise<number | undefined> {
  const session = connect(`https://127.0.0.1:${port}`, { rejectUnauthorized: false });
  const request = session.request({ ':path': '/x/index.m3u8' });
  const [headers] = await once(request, 'response');
  session.destroy();
  return headers[':status'];
}

async function statusOverH1(port: number): Promise<number | undefined> {
  const options = { host: '127.0.0.1', port, path: '/x/index.m3u8', rejectUnauthorized: false };
  const [response] = await once(get({ ...options, agent: false }), 'response');
  response.resume();
  return response.statusCode;
}

async function certificateAt(port: number): Promise<DetailedPeerCertificate> {
  const socket = connectTls({ host: '127.0.0.1', port, rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const certificate = socket.getPeerCertificate(true);
  socket.destroy();
  return certificate;
}

/** The files are looked at every 2 s: by then somebody has. */
const seenMs = 2_500;

describe.skipIf(!isInstalled('openssl'))('a listener with a certificate', () => {
  it('speaks HTTP/2 and 1.1, and takes a new certificate without dropping connections', async () => {
    const folder = tempFolder();
    const first = makeCertificate(folder, 'first');
    const second = makeCertificate(folder, 'second');
    const log = createFakeLog();
    const listener = await listen({ app, host: '127.0.0.1', port: 0, tls: first, log });
    onTestFinished(() => listener.close());
    const { port } = listener.address;

    const session = connect(`https://127.0.0.1:${port}`, { rejectUnauthorized: false });
    onTestFinished(() => session.destroy());
    const ask = async () => {
      const request = session.request({ ':path': '/' });
      const [headers] = await once(request, 'response');
      request.resume();
      await once(request, 'end');
      return headers[':status'];
    };
    expect(await ask()).toBe(200);
    expect((await certificateAt(port)).subject.CN).toBe('first');

    copyFileSync(second.keyFile, first.keyFile);
    copyFileSync(second.certFile, first.certFile);
    await expect
      .poll(async () => (await certificateAt(port)).subject.CN, { timeout: 15_000 })
      .toBe('second');
    expect(await ask()).toBe(200);
  });
});

describe.skipIf(!isInstalled('openssl'))('a listener whose certificate files change', () => {
  const waitMs = { timeout: 20_000, interval: 200 };

  async function start() {
    const folder = tempFolder();
    const files = makeCertificate(folder, 'first');
    const log = createFakeLog();
    const ends: number[] = [];
    const onExpiry = (at: number) => void ends.push(at);
    const listener = await listen({ app, host: '127.0.0.1', port: 0, tls: files, log, onExpiry });
    onTestFinished(() => listener.close());
    const { port } = listener.address;
    const name = async () => (await certificateAt(port)).subject.CN;
    const told = () => log.lines.map(({ event }) => event);
    return { folder, files, port, name, told, ends };
  }

  it('one after the other says nothing of the moment in which they do not fit', async () => {
    const { folder, files, name, told, ends } = await start();
    const second = makeCertificate(folder, 'second');
    copyFileSync(second.keyFile, files.keyFile);
    await delay(seenMs);
    expect([await name(), told(), ends.length]).toEqual(['first', [], 1]);
    copyFileSync(second.certFile, files.certFile);
    await expect.poll(name, waitMs).toBe('second');
    expect(told()).toEqual(['certificate reloaded']);
    const inTwoDays = Date.now() + 2 * 86_400_000;
    for (const at of ends) expect(Math.abs(at - inTwoDays)).toBeLessThan(120_000);
    expect(ends).toHaveLength(2);
  }, 40_000);

  it.each([
    ['half of a certificate', (text: string) => text.slice(0, text.length / 2)],
    ['a whole one and half of the next', (text: string) => text + text.slice(0, 300)],
  ])(
    'to %s goes on with the old one and says so, until they are whole',
    async (_, spoil) => {
      const { folder, files, port, name, told } = await start();
      const session = connect(`https://127.0.0.1:${port}`, { rejectUnauthorized: false });
      onTestFinished(() => session.destroy());
      await once(session, 'remoteSettings');
      const second = makeCertificate(folder, 'second');
      copyFileSync(second.keyFile, files.keyFile);
      writeFileSync(files.certFile, spoil(readFileSync(second.certFile, 'utf8')));
      await expect.poll(told, waitMs).toEqual(['certificate not reloaded']);
      expect(await name()).toBe('first');
      expect(session.closed).toBe(false);
      copyFileSync(second.certFile, files.certFile);
      await expect.poll(name, waitMs).toBe('second');
      const request = session.request({ ':path': '/' });
      const [headers] = await once(request, 'response');
      expect(headers[':status']).toBe(200);
    },
    60_000,
  );

  it('that vanish goes on with the old one', async () => {
    const { files, name, told } = await start();
    rmSync(files.keyFile);
    await expect.poll(told, waitMs).toEqual(['certificate not reloaded']);
    expect(await name()).toBe('first');
  }, 40_000);
});

describe.skipIf(!isInstalled('openssl'))('a listener over TLS', () => {
  it('lets no HTTP/2 connection that never ends keep the process', async () => {
    const tls = makeCertificate(tempFolder(), 'any');
    const endless = new Hono().get('/', () => new Promise<Response>(() => {}));
    const log = createFakeLog();
    const listener = await listen({ app: endless, host: '127.0.0.1', port: 0, tls, log });
    const url = `https://127.0.0.1:${listener.address.port}`;
    const session = connect(url, { rejectUnauthorized: false });
    session.on('error', () => {});
    session.request({ ':path': '/' }).on('error', () => {});
    await once(session, 'remoteSettings');
    const ended = once(session, 'close');
    await listener.close();
    await ended;
  });

  it.each(['h2', 'http/1.1'] as const)(
    'by %s tells that a viewer is on https, and from where',
    async (protocol) => {
      const tls = makeCertificate(tempFolder(), 'any');
      const log = createFakeLog();
      const viewers: unknown[] = [];
      const open = async ({ viewer }: ViewerRequest): Promise<Answer> => {
        viewers.push(viewer);
        return notFromHere('unknown-stream');
      };
      const viewing = { open } as unknown as Viewing;
      const clock = createVirtualClock();
      const parts = { viewing, nodeId: 'node-a', clock, log, trustedProxies: [] };
      const viewerApp = createViewerApp(parts);
      const listener = await listen({ app: viewerApp, host: '127.0.0.1', port: 0, tls, log });
      onTestFinished(() => listener.close());
      const { port } = listener.address;
      expect(await (protocol === 'h2' ? statusOverH2(port) : statusOverH1(port))).toBe(404);
      expect(viewers).toMatchObject([{ address: '127.0.0.1', isHttps: true }]);
    },
  );
});

describe('a listener', () => {
  it('takes a free port for 0, says which, and can be closed while a connection idles', async () => {
    const listener = await listen({ app, host: '127.0.0.1', port: 0, log: createFakeLog() });
    const answer = await fetch(`http://127.0.0.1:${listener.address.port}/`);
    expect(await answer.text()).toBe('hello');
    await listener.close();
    await expect(fetch(`http://127.0.0.1:${listener.address.port}/`)).rejects.toThrow();
  });

  it('that cannot have its port says so', async () => {
    const log = createFakeLog();
    const first = await listen({ app, host: '127.0.0.1', port: 0, log });
    onTestFinished(() => first.close());
    const again = listen({ app, host: '127.0.0.1', port: first.address.port, log });
    await expect(again).rejects.toThrow('EADDRINUSE');
  });
});
