import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync } from 'node:fs';
import { connect } from 'node:http2';
import { join } from 'node:path';
import { connect as connectTls, type DetailedPeerCertificate } from 'node:tls';
import { Hono } from 'hono';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listen } from '../../../src/adapters/http/listen.ts';
import { createFakeLog } from '../../support/fake-log.ts';
import { isInstalled } from '../../support/installed.ts';
import { tempFolder } from '../../support/temp-folder.ts';

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

async function certificateAt(port: number): Promise<DetailedPeerCertificate> {
  const socket = connectTls({ host: '127.0.0.1', port, rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const certificate = socket.getPeerCertificate(true);
  socket.destroy();
  return certificate;
}

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
