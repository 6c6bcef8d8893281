import { expect, it, onTestFinished } from 'vitest';
import { listen } from '../../../src/adapters/http/listen.ts';
import { adminToken, createAdminRig } from '../../support/admin-rig.ts';

/** The admin API behind a real listener; asks for the stream `ch1` with the given method and body. */
async function listening() {
  const rig = createAdminRig();
  const { app, log } = rig;
  const listener = await listen({ app, host: '127.0.0.1', port: 0, log });
  onTestFinished(() => listener.close());
  const url = `http://127.0.0.1:${listener.address.port}/api/v1/streams/ch1`;
  const ask = async (init: RequestInit, token = adminToken) => {
    const authorization = `Bearer ${token}`;
    const headers = { authorization, 'content-type': 'application/json' };
    const response = await fetch(url, { ...init, headers, duplex: 'half' } as RequestInit);
    return { status: response.status, text: await response.text() };
  };
  return { ...rig, ask };
}

const inPieces = (text: string) => new Blob([text]).stream();
const body = '{"origin":"/srv/ch1"}';
const long = 'x'.repeat(200_000);

it('takes a body of known length and one in pieces', async () => {
  const { ask } = await listening();
  expect((await ask({ method: 'PUT', body })).status).toBe(201);
  expect((await ask({ method: 'PUT', body: inPieces(body) })).status).toBe(200);
  expect((await ask({ method: 'DELETE' })).status).toBe(204);
});

it('refuses a long body in either form, and goes on', async () => {
  const { ask } = await listening();
  expect((await ask({ method: 'PUT', body: long })).status).toBe(413);
  expect((await ask({ method: 'PUT', body: inPieces(long) })).status).toBe(413);
  expect((await ask({ method: 'PUT', body: long }, 'wrong')).status).toBe(401);
  expect((await ask({ method: 'PUT', body })).status).toBe(201);
});

it('answers methods of any kind', async () => {
  const { ask } = await listening();
  expect((await ask({ method: 'OPTIONS' })).status).toBe(405);
  expect((await ask({ method: 'POST', body: '' })).status).toBe(405);
  expect((await ask({ method: 'PUT' })).status).toBe(400);
  const head = await ask({ method: 'HEAD' });
  expect([head.status, head.text]).toEqual([404, '']);
});

it('counts wrong tokens by the address of the socket', async () => {
  const { ask } = await listening();
  for (let at = 0; at < 10; at += 1) await ask({}, 'wrong');
  expect((await ask({})).status).toBe(429);
});
