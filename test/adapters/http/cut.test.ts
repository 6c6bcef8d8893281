import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:http2';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { listen } from '../../../src/adapters/http/listen.ts';
import { createViewerApp } from '../../../src/adapters/http/viewer-app.ts';
import type { Viewing } from '../../../src/agent/viewing.ts';
import { createFakeLog } from '../../support/fake-log.ts';
import { isInstalled } from '../../support/installed.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

const viewing = { open: async () => ({ kind: 'cut' }) } as unknown as Viewing;

async function start(tls?: { certFile: string; keyFile: string }) {
  const log = createFakeLog();
  const app = createViewerApp({
    ...{ viewing, nodeId: 'a', clock: createVirtualClock(), log, trustedProxies: [] },
  });
  const listener = await listen({ app, host: '127.0.0.1', port: 0, log, tls });
  onTestFinished(() => listener.close());
  return { log, port: listener.address.port };
}

it('an answer that is cut closes the connection without a word, and is no fault of the agent', async () => {
  const { log, port } = await start();
  await expect(fetch(`http://127.0.0.1:${port}/ch1/index.m3u8`)).rejects.toThrow('fetch failed');
  expect(log.lines).toEqual([]);
});

it.skipIf(!isInstalled('openssl'))('over HTTP/2 only the request is cut', async () => {
  const folder = tempFolder();
  const files = { certFile: join(folder, 'cert.pem'), keyFile: join(folder, 'key.pem') };
  execFileSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
      ...['-days', '2', '-subj', '/CN=a', '-keyout', files.keyFile, '-out', files.certFile],
    ],
    { stdio: 'ignore' },
  );
  const { log, port } = await start(files);
  const session = connect(`https://127.0.0.1:${port}`, { rejectUnauthorized: false });
  onTestFinished(() => session.destroy());
  for (const path of ['/ch1/index.m3u8', '/ch1/again.m3u8']) {
    const request = session.request({ ':path': path });
    let status: unknown;
    request.on('response', (headers) => {
      status = headers[':status'];
    });
    request.on('error', () => {});
    request.resume();
    await once(request, 'close');
    expect([path, status]).toEqual([path, undefined]);
  }
  expect(log.lines).toEqual([]);
});
