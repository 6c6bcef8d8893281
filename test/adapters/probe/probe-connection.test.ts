import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { openProbeConnection } from '../../../src/adapters/probe/probe-connection.ts';

async function withServer(answer: RequestListener) {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const connection = openProbeConnection();
  onTestFinished(() => connection.close());
  const get = (path: string, limits: { deadlineMs?: number; bytesMax?: number } = {}) =>
    connection.get(`http://127.0.0.1:${port}${path}`, {
      ...{ userAgent: 'Tv/1.0', deadlineMs: 5_000, bytesMax: 100, ...limits },
    });
  return { connection, port, get };
}

it('brings status, node and body, and follows no redirect', async () => {
  const { get } = await withServer((request, response) => {
    const agent = request.headers['user-agent'];
    if (request.url === '/moved') response.writeHead(302, { location: '/elsewhere' });
    else response.setHeader('x-understudy-node', 'node-a');
    response.end(agent);
  });
  const found = await get('/a');
  expect(found).toMatchObject({ kind: 'answer', status: 200, node: 'node-a' });
  expect(found.kind === 'answer' && Buffer.from(found.bytes).toString()).toBe('Tv/1.0');
  expect(await get('/moved')).toMatchObject({ status: 302, location: '/elsewhere' });
});

it('tells a closed connection from silence, and a refused one is closed', async () => {
  const { get, connection } = await withServer((request, response) => {
    if (request.url === '/cut') response.destroy();
  });
  expect(await get('/cut')).toEqual({ kind: 'fault', fault: 'cut' });
  expect(await get('/never', { deadlineMs: 50 })).toEqual({ kind: 'fault', fault: 'silent' });
  const nobody = { userAgent: '', deadlineMs: 5_000, bytesMax: 100 };
  expect(await connection.get('http://127.0.0.1:1/', nobody)).toEqual({
    ...{ kind: 'fault', fault: 'cut' },
  });
});

it('reads as much as it may, and no byte more', async () => {
  const { get } = await withServer((request, response) =>
    response.end('x'.repeat(Number(request.url?.slice(1)))),
  );
  expect((await get('/100')).kind).toBe('answer');
  expect(await get('/101')).toEqual({ kind: 'fault', fault: 'too-large' });
});

it('finds names below localhost on this machine, as browsers do', async () => {
  const { connection, port } = await withServer((_, response) => response.end());
  const limits = { userAgent: '', deadlineMs: 5_000, bytesMax: 100 };
  const found = await connection.get(`http://node-a.localhost:${port}/`, limits);
  expect(found).toMatchObject({ status: 200 });
});

it('breaks off what is under way when it is closed', async () => {
  const { get, connection } = await withServer(() => connection.close());
  expect(await get('/never')).toEqual({ kind: 'fault', fault: 'cut' });
});
