import { expect, it, onTestFinished, vi } from 'vitest';
import { type Connection, follow } from '../../src/console/live.ts';

/** Follows a node that answers with these statuses, one after the other, then not any more. */
function following(...statuses: number[]) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
  const stop = new AbortController();
  vi.stubGlobal('fetch', async () => {
    const status = statuses.shift();
    if (status === undefined) throw new TypeError('not there');
    return new Response('event: node\ndata: {}\n\n', { status });
  });
  onTestFinished(async () => {
    stop.abort();
    await vi.advanceTimersByTimeAsync(60_000);
    vi.unstubAllGlobals();
    vi.useRealTimers();
  });
  const connections: Connection[] = [];
  void follow({
    ...{ token: 'test', stop: stop.signal, onEvent: () => {} },
    onConnection: (connection) => connections.push(connection),
  });
  return connections;
}

it('a console that has to wait goes on by itself after a minute', async () => {
  const connections = following(429, 200);
  await vi.advanceTimersByTimeAsync(59_999);
  expect(connections).toEqual(['busy']);
  await vi.advanceTimersByTimeAsync(1);
  expect(connections).toEqual(['busy', 'live', 'waiting']);
});

it('a console whose token is wrong waits for another one', async () => {
  const connections = following(401, 200);
  await vi.advanceTimersByTimeAsync(600_000);
  expect(connections).toEqual(['refused']);
});

it('a console that has lost its node tries again after two seconds', async () => {
  const connections = following(503, 200);
  await vi.advanceTimersByTimeAsync(1_999);
  expect(connections).toEqual(['lost']);
  await vi.advanceTimersByTimeAsync(1);
  expect(connections).toEqual(['lost', 'live', 'waiting']);
});
