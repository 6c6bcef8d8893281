import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { adminToken, createAdminRig } from '../../support/admin-rig.ts';

const followersMax = 32;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Follows as a console does; nothing is read unless the test reads it. */
const follow = ({ app }: ReturnType<typeof createAdminRig>, method = 'GET') =>
  Promise.resolve(
    app.request('/api/v1/live', {
      method,
      headers: { authorization: `Bearer ${adminToken}` },
    }),
  );

async function fill(rig: ReturnType<typeof createAdminRig>) {
  for (let at = 0; at < followersMax; at += 1) expect((await follow(rig)).status).toBe(200);
}

/** Reads an answer: the names of the next `count` events, fewer where it ends. */
function reading(response: Response) {
  const reader = response.body?.getReader();
  return async (count: number): Promise<readonly string[]> => {
    const events: string[] = [];
    while (events.length < count) {
      const { value, done } = (await reader?.read()) ?? { done: true };
      if (done) break;
      const text = new TextDecoder().decode(value);
      events.push(...[...text.matchAll(/^event: (\w+)$/gm)].map(([, name = '']) => name));
    }
    return events;
  };
}

const parts = ['node', 'groups', 'peers', 'key', 'alerts', 'forecast', 'drills'];

it('HEAD takes no place of a console', async () => {
  const rig = createAdminRig();
  for (let at = 0; at <= followersMax; at += 1) {
    const answer = await follow(rig, 'HEAD');
    expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([
      ...[200, 'text/event-stream', ''],
    ]);
  }
  await fill(rig);
  expect((await follow(rig)).status).toBe(409);
});

it('a console that reads nothing has its place for ten minutes, no longer', async () => {
  const rig = createAdminRig();
  await fill(rig);
  await vi.advanceTimersByTimeAsync(599_000);
  expect((await follow(rig)).status).toBe(409);
  await vi.advanceTimersByTimeAsync(2_000);
  expect((await follow(rig)).status).toBe(200);
});

it('what all consoles are told is made once a second, however many there are', async () => {
  const rig = createAdminRig();
  for (let at = 0; at < 3; at += 1)
    expect(await reading(await follow(rig))(parts.length)).toEqual(parts);
  expect(rig.facts.alertReads).toBe(1);
  rig.facts.now.monoMs += 1_000;
  await vi.advanceTimersByTimeAsync(1_000);
  expect(rig.facts.alertReads).toBe(2);
});

it('a console is told what changed, and nothing else', async () => {
  const rig = createAdminRig();
  const next = reading(await follow(rig));
  expect(await next(parts.length)).toEqual(parts);
  rig.facts.strangers = [{ id: 'node-x', lastAskedAt: 9 }];
  rig.facts.now.monoMs += 1_000;
  const changed = next(1);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await changed).toEqual(['peers']);
});

it('what goes wrong is a line in the log, the end for the console, and free for the next', async () => {
  const rig = createAdminRig();
  const { self } = rig.facts;
  rig.facts.self = undefined as never;
  for (let at = 0; at <= followersMax; at += 1) {
    const answer = await follow(rig);
    expect([answer.status, await answer.text()]).toEqual([200, '']);
  }
  expect(rig.log.lines).toHaveLength(followersMax + 1);
  expect(rig.log.lines[0]).toMatchObject({ level: 'error', event: 'console no longer told' });
  rig.facts.self = self;
  expect(await reading(await follow(rig))(parts.length)).toEqual(parts);
});
