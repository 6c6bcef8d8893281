import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createHttpAuthority } from '../../../src/adapters/viewer-auth/http-backend.ts';
import { testNow } from '../../support/builders.ts';

const question = {
  ...{ token: 'secret-1', address: '203.0.113.1', stream: 'a/ch1', session: 's1' },
  ...({ protocol: 'hls', userAgent: 'Player/1' } as const),
};

/** A backend that answers so, and what it was sent. */
async function serve(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  deadlineMs = 10_000,
) {
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    bodies.push(body);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/auth`;
  const authority = createHttpAuthority({ url, deadlineMs });
  return { bodies, ask: () => authority.ask(question, testNow) };
}

describe('a backend that is asked for each viewer', () => {
  it('gets token, address, stream and session, and names login, limit and duration', async () => {
    const backend = await serve((_, response) =>
      response
        .writeHead(200, { 'x-userid': 'anna', 'x-max-sessions': '2', 'x-authduration': '30' })
        .end('welcome'),
    );
    expect(await backend.ask()).toEqual({
      ...{ kind: 'granted', login: 'anna', sessionsMax: 2, validS: 30 },
    });
    expect(JSON.parse(backend.bodies[0] ?? '')).toEqual({
      ...{ token: 'secret-1', ip: '203.0.113.1', name: 'a/ch1', proto: 'hls' },
      ...{ session_id: 's1', user_agent: 'Player/1' },
    });
  });

  it.each([
    [200, 'granted'],
    [204, 'granted'],
    [401, 'denied'],
    [403, 'denied'],
    [302, 'unavailable'],
    [404, 'unavailable'],
    [429, 'unavailable'],
    [500, 'unavailable'],
  ])('by status %i: %s', async (status, kind) => {
    const backend = await serve((_, response) =>
      response.writeHead(status, { location: 'http://127.0.0.1:1/' }).end(),
    );
    expect((await backend.ask()).kind).toBe(kind);
  });

  it.each([
    { 'x-max-sessions': '-1' },
    { 'x-max-sessions': '2, 3' },
    { 'x-authduration': 'soon' },
    { 'x-userid': 'x'.repeat(201) },
    { 'x-userid': '' },
  ])('with headers %j gives no answer that could be trusted', async (headers) => {
    const backend = await serve((_, response) => response.writeHead(200, headers).end());
    expect((await backend.ask()).kind).toBe('unavailable');
  });

  it('that hangs or is not there gives none in time, and no secret in the cause', async () => {
    const hanging = await serve(() => {}, 300);
    expect(await hanging.ask()).toEqual({
      ...{ kind: 'unavailable', cause: 'the backend does not answer within 300 ms' },
    });
    const absent = createHttpAuthority({ url: 'http://127.0.0.1:1/?key=hush', deadlineMs: 500 });
    const answer = await absent.ask(question, testNow);
    expect(answer.kind).toBe('unavailable');
    expect(JSON.stringify(answer)).not.toMatch(/hush|secret-1/);
  });
});
