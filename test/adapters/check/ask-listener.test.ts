import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, createServer as createSocketServer, type Server } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { askListener, resolveHost } from '../../../src/adapters/check/ask-listener.ts';
import { createAuthority } from '../../support/certificates.ts';
import { isInstalled } from '../../support/installed.ts';
import { tempFolder } from '../../support/temp-folder.ts';

async function portOf(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

describe('a listener', () => {
  it('is asked once, by its name, and a redirect is told and not followed', async () => {
    const asked: unknown[] = [];
    const server = createServer((request, response) => {
      asked.push([request.headers.host, request.url]);
      response.writeHead(302, { location: '/elsewhere', 'x-understudy-node': 'node-a' }).end('x');
    });
    const port = await portOf(server);
    const host = `node-a.localhost:${port}`;
    const answer = await askListener(`http://${host}/ch1/index.m3u8?pass=p`, { mustTrust: true });
    expect(answer).toMatchObject({ kind: 'answer', status: 302, certificate: undefined });
    const header = answer.kind === 'answer' ? answer.header : () => undefined;
    expect([header('location'), header('x-understudy-node'), header('x-none')]).toEqual([
      ...['/elsewhere', 'node-a', undefined],
    ]);
    expect(asked).toEqual([[host, '/ch1/index.m3u8?pass=p']]);
  });

  it('that is not there, hangs up or speaks something else is silent, with the cause', async () => {
    const rude = await portOf(createSocketServer((socket) => socket.destroy()));
    const odd = await portOf(createSocketServer((socket) => socket.end('SSH-2.0-x\r\n')));
    const of = async (port: number) =>
      askListener(`http://127.0.0.1:${port}/`, { mustTrust: false });
    expect(await of(9)).toEqual({ kind: 'silence', cause: 'ECONNREFUSED' });
    expect(await of(rude)).toEqual({ kind: 'silence', cause: 'ECONNRESET' });
    expect(await of(odd)).toMatchObject({ kind: 'silence', cause: expect.stringMatching(/^HPE_/) });
  });

  it('that takes the connection and says nothing is given up', async () => {
    const sockets: { destroy(): void }[] = [];
    const port = await portOf(createSocketServer((socket) => void sockets.push(socket)));
    const answer = await askListener(`http://127.0.0.1:${port}/`, { mustTrust: false });
    expect(answer).toEqual({ kind: 'silence', cause: 'no answer within 5000 ms' });
    for (const socket of sockets) socket.destroy();
  }, 15_000);
});

describe.skipIf(!isInstalled('openssl'))('a listener with a certificate', () => {
  async function start(hosts: string[], onRequest: RequestListener) {
    const { certFile, keyFile } = createAuthority(tempFolder()).issue('edge', { hosts });
    const pair = { cert: readFileSync(certFile), key: readFileSync(keyFile) };
    return portOf(createSecureServer(pair, onRequest));
  }

  it('that is not trusted is looked at, but never sent a pass', async () => {
    const asked: unknown[] = [];
    const port = await start(['127.0.0.1'], (request, response) => {
      asked.push(request.url);
      response.end();
    });
    const url = `https://127.0.0.1:${port}`;
    const refused = await askListener(`${url}/?pass=p`, { mustTrust: true });
    expect(refused.kind).toBe('silence');
    expect(asked).toEqual([]);
    const seen = await askListener(`${url}/`, { mustTrust: false });
    const certificate = seen.kind === 'answer' ? seen.certificate : undefined;
    expect(certificate).toMatchObject({
      coversName: true,
      untrusted: expect.stringMatching(/^[A-Z_]+$/),
    });
    const { validFrom = 0, validTo = 0 } = certificate ?? {};
    expect(validTo - validFrom).toBe(90 * 86_400_000);
    expect(Math.abs(validTo - Date.now() - 60 * 86_400_000)).toBeLessThan(60_000);
  });

  it('for other names is found out', async () => {
    const port = await start(['edge.example.net'], (_, response) => void response.end());
    const seen = await askListener(`https://127.0.0.1:${port}/`, { mustTrust: false });
    expect(seen).toMatchObject({ certificate: { coversName: false } });
  });
});

describe('a host', () => {
  it('is an address itself, or what the system says, or this machine below localhost', async () => {
    expect(await resolveHost('198.51.100.7')).toEqual({ addresses: ['198.51.100.7'] });
    expect(await resolveHost('[2001:db8::7]')).toEqual({ addresses: ['2001:db8::7'] });
    expect(await resolveHost('node-a.localhost')).toEqual({ addresses: ['127.0.0.1'] });
    expect(await resolveHost('none.invalid')).toEqual({ cause: expect.any(String) });
  }, 15_000);
});
